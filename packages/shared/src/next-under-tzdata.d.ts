import { type Timing } from '@carillon/recurrence';
import { type Moment } from './decide-due.js';
import type { Plan } from './plan.js';
export interface ScheduleUnderTzdata {
    key: string;
    timing: Timing;
    plan: Plan;
    occurrenceAt: number;
    dueAt: number;
}
/**
 * Computes the pending occurrence under the time zone data of this process; null if it is the one that an earlier
 * version computed. The pending occurrence moves to the nearest instant that the rule names now. So a change of a zone
 * neither repeats an occurrence that has run nor leaves one out.
 */
export declare function nextUnderTzdata({ key, timing, plan, occurrenceAt, dueAt }: ScheduleUnderTzdata, nowAt: number): {
    timing: Timing;
    next: Moment;
} | null;
