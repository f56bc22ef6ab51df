import type { MisfirePolicy, OverlapPolicy } from '../plan.js';
import type { SimulatedRun, SimulatedSchedule, Simulation } from './simulation.js';
/** The outcome of the occurrences of some schedules, in numbers. */
export interface SimulationFigures {
    schedules: number;
    /** Occurrences that the rules named: runs and skipped ones. */
    occurrences: number;
    /** Runs that started. */
    runs: number;
    /** Runs that were claimed later than their grace, after an outage. */
    caughtUp: number;
    /** Runs that waited for an earlier run of their schedule. */
    queued: number;
    /** Runs that an open circuit deferred. */
    deferred: number;
    /** Runs that took more than one attempt. */
    retried: number;
    failed: number;
    cancelled: number;
    /** Occurrences that did not run, by reason. */
    skipped: Record<string, number>;
}
export interface SimulatedSecond {
    at: number;
    perSecond: number;
    /** The schedules with the most starts in this second, at most ten. */
    schedules: {
        schedule: string;
        runs: number;
    }[];
}
export interface SimulationSummary {
    total: SimulationFigures;
    byMisfire: Record<MisfirePolicy, SimulationFigures>;
    byOverlap: Record<OverlapPolicy, SimulationFigures>;
    peak: SimulatedSecond | null;
}
/** Sums up a simulation: in total, by policy, and the second with the most starts. */
export declare function summarize(schedules: readonly SimulatedSchedule[], { runs, gaps }: Pick<Simulation, 'runs' | 'gaps'>): SimulationSummary;
/** The second in which most of these runs start; null if none does. */
export declare function peakOf(runs: readonly Pick<SimulatedRun, 'schedule' | 'startedAt'>[]): SimulatedSecond | null;
