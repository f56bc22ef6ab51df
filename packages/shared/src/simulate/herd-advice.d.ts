import type { SimulatedRun, SimulatedSchedule } from './simulation.js';
/** A herd: many schedules that start in one second, and what would spread them. */
export interface HerdAdvice {
    kind: 'jitter' | 'catch_up';
    at: number;
    perSecond: number;
    /** The keys of the schedules of the herd. */
    schedules: string[];
    /** The jitter that spreads the herd; null for a herd after an outage, which no jitter can spread. */
    jitterMs: number | null;
    /** The largest number of starts in a second with `jitterMs`. */
    perSecondAfter: number | null;
}
/**
 * Advises on the second with the most starts that were on time, and on the second with the most starts after an outage.
 * The effect of a jitter is computed with the jitter function of the engine, not estimated.
 */
export declare function adviseOnHerds(schedules: readonly SimulatedSchedule[], runs: readonly SimulatedRun[]): HerdAdvice[];
