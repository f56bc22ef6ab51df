import type { Plan } from './plan.js';
/** The number of open runs of a schedule, counted while its row is locked. */
export interface OpenRuns {
    /** Runs that are `running` or `retrying`, and queued runs that may start now. */
    started: number;
    queued: number;
}
export type Admission = {
    kind: 'start';
}
/** Start, and cancel the runs that are open. */
 | {
    kind: 'replace';
} | {
    kind: 'queue';
} | {
    kind: 'skip';
    reasonCode: 'overlap' | 'queue_full' | 'dependency';
    reason: string;
};
/** Decides by the schedule's policies whether another run may start beside the open runs. */
export declare function admitRun(plan: Plan, open: OpenRuns, isDependencyMet: boolean): Admission;
/** Maximum number of runs of the schedule that may be started at the same time. */
export declare function concurrentRuns(plan: Pick<Plan, 'overlap' | 'maxConcurrentRuns'>): number;
