import { type Timing } from '@carillon/recurrence';
import type { Plan } from './plan.js';
/** A schedule whose next occurrence is due. */
export interface DueSchedule {
    key: string;
    timing: Timing;
    plan: Plan;
    occurrenceAt: number;
    dueAt: number;
    runsTotal: number;
}
/** Occurrences that were not run, all for the same reason; both ends included. */
export interface Stretch {
    fromAt: number;
    toAt: number;
    count: number;
    reasonCode: 'misfire' | 'overtaken' | 'paused' | 'skipped_by_request' | 'schedule_cancelled';
    reason: string;
}
export interface Moment {
    occurrenceAt: number;
    dueAt: number;
}
export type Decision = 
/** Start `run` (if any), record `passed` (if any), then move on to `next`, or finish the schedule. */
{
    kind: 'move';
    run: Moment | null;
    passed: Stretch | null;
    next: Moment | null;
}
/** The rule can no longer be evaluated, so the schedule pauses with this reason. */
 | {
    kind: 'broken';
    reason: string;
};
/** Decides by the misfire policy what happens at `nowAt` to a schedule that is due. */
export declare function decideDue(schedule: DueSchedule, nowAt: number): Decision;
/** The next occurrence strictly after an instant, and when it falls due. */
export declare function momentAfter({ key, timing, plan }: Pick<DueSchedule, 'key' | 'timing' | 'plan'>, afterAt: number): Moment | null;
export declare function momentOf(key: string, plan: Pick<Plan, 'jitterMs'>, occurrenceAt: number): Moment;
/** The stretch of occurrences from `fromAt` (included) until an instant. */
export declare function stretchFrom(timing: Timing, { fromAt, untilAt, ...why }: Pick<Stretch, 'fromAt' | 'reasonCode' | 'reason'> & {
    untilAt: number;
}): Stretch;
