import type { Timing } from '@carillon/recurrence';
import { type Moment } from './decide-due.js';
import type { Plan } from './plan.js';
/** A schedule as an edit finds it. */
export interface ScheduleBeforeEdit {
    key: string;
    timing: Timing;
    plan: Plan;
    /** The next occurrence under the current definition; both null if there is none. */
    occurrenceAt: number | null;
    dueAt: number | null;
    runsTotal: number;
    nowAt: number;
}
/**
 * Decides the next occurrence after an edit; null finishes the schedule. Two kinds of edits have functions of their
 * own: `moveYearly` for yearly events, which belong to a local year, and `nextUnderTzdata` for new time zone data.
 *
 * The new definition names nothing before the edit. Occurrences that were due before the edit are settled by the old
 * definition.
 */
export declare function nextAfterEdit(schedule: ScheduleBeforeEdit, { timing, plan }: {
    timing: Timing;
    plan: Plan;
}): Moment | null;
/** True if two timings name the same occurrences, apart from those that are settled already. */
export declare const isSameTiming: (a: Timing, b: Timing) => boolean;
