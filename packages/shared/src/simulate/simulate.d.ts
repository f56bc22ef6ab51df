import type { SimulatedSchedule, Simulation, SimulationOptions } from './simulation.js';
/** The simulation needs more steps than it may take. */
export declare class SimulationTooLarge extends Error {
    readonly maxSteps: number;
    /** The instant that the simulation had reached. */
    readonly reachedAt: number;
    constructor(maxSteps: number, 
    /** The instant that the simulation had reached. */
    reachedAt: number);
}
/**
 * Plays a set of schedules forward with the decisions of the engine: when an occurrence is due, what happens to missed
 * ones, whether a run may start beside others, when a failed attempt is tried again, and when a circuit opens. It has
 * no clock and no I/O. Throws SimulationTooLarge beyond `maxSteps`.
 */
export declare function simulate(schedules: readonly SimulatedSchedule[], options: SimulationOptions): Generator<void, Simulation>;
