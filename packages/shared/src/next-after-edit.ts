import type { Timing } from '@carillon/recurrence';
import { type DueOccurrence, dueOccurrenceAfter, dueOccurrenceOf } from './decide-due.js';
import type { Plan } from './plan.js';
import { storeTiming } from './stored-definition.js';

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
 * own: `moveYearly` for yearly events, which fire once in each local year, and `nextUnderTzdata` for new time zone data.
 *
 * A new rule names nothing before the edit, except that a one-shot may be set to a past instant. If an edit replaces an
 * occurrence that was already due, `settleOverdue` decides by the old rule and its misfire policy whether it runs.
 */
export function nextAfterEdit(
  schedule: ScheduleBeforeEdit,
  { timing, plan }: { timing: Timing; plan: Plan },
): DueOccurrence | null {
  const { key, runsTotal, nowAt } = schedule;
  if (plan.maxRuns !== null && runsTotal >= plan.maxRuns) return null;
  const edited = { key, timing, plan };
  if (isSameTiming(schedule.timing, timing)) {
    // A schedule that had reached its maximum number of runs continues if the edit allows more runs.
    if (schedule.occurrenceAt === null) return hadRunOut(schedule) ? dueOccurrenceAfter(edited, nowAt) : null;
    return pendingUnder(schedule, plan);
  }
  const next = dueOccurrenceAfter(edited, startOf(schedule, timing) - 1);
  return next !== null && next.occurrenceAt === schedule.occurrenceAt ? pendingUnder(schedule, plan) : next;
}

/** The first instant at which the new rule may fire. */
function startOf({ timing: before, occurrenceAt, nowAt }: ScheduleBeforeEdit, timing: Timing): number {
  const { rule } = timing;
  // If the edit sets a one-shot to a past instant, that instant is still due, and the misfire policy decides whether it
  // fires.
  if (rule.kind === 'at' && JSON.stringify(rule) !== JSON.stringify(before.rule)) return rule.at;
  // If only a calendar changed, an occurrence that was rescheduled to a later time stays pending unless its day is
  // excluded now.
  const hasOtherCalendar = isSameTiming({ ...timing, calendars: before.calendars }, before);
  return hasOtherCalendar ? Math.min(nowAt + 1, occurrenceAt ?? nowAt + 1) : nowAt + 1;
}

/** True if two timings name the same occurrences. Their `settledAts` are not compared. */
export const isSameTiming = (a: Timing, b: Timing): boolean =>
  storeTiming({ ...a, settledAts: [] }) === storeTiming({ ...b, settledAts: [] });

const hadRunOut = ({ plan, runsTotal }: ScheduleBeforeEdit) =>
  plan.maxRuns !== null && runsTotal >= plan.maxRuns;

/** The pending occurrence. A new jitter moves its due time, unless a person has rescheduled it. */
function pendingUnder(schedule: ScheduleBeforeEdit, plan: Plan): DueOccurrence | null {
  const { key, occurrenceAt, dueAt } = schedule;
  if (occurrenceAt === null || dueAt === null) return null;
  const wasMovedByHand = dueAt !== dueOccurrenceOf(key, schedule.plan, occurrenceAt).dueAt;
  return wasMovedByHand ? { occurrenceAt, dueAt } : dueOccurrenceOf(key, plan, occurrenceAt);
}
