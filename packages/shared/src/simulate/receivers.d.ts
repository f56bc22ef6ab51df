import type { Target } from '../plan.js';
import type { SimulationOptions } from './simulation.js';
/** The name of a receiver: the origin of a webhook, `queue:name`, `handler:name`, `call` or `heartbeat`. */
export declare function receiverOf(target: Target): string;
export type SimulatedPassage = {
    kind: 'go';
    isProbe: boolean;
} | {
    kind: 'fail';
}
/** The circuit is open. */
 | {
    kind: 'wait';
    waitMs: number;
}
/** The circuit has been open for so long that runs fail. */
 | {
    kind: 'refuse';
};
/** The receivers of a simulation: whether they are up, and the circuits of those that are not. */
export declare class Receivers {
    #private;
    private readonly options;
    circuitsOpened: number;
    constructor(options: Pick<SimulationOptions, 'outages' | 'circuitOpenMs'>);
    /** Asks whether an attempt may go now, and if it goes, whether it fails. */
    ask(target: Target, nowAt: number): SimulatedPassage;
    succeeded(target: Target, isProbe: boolean): void;
}
