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
 * Decides the next occurrence after an edit; null finishes the schedule. The occurrences of a new rule begin after the
 * edit, except that a one-shot may be set to a past instant. If the edit replaces an occurrence that was already due,
 * `queueOrSkipOverdue` decides by the old rule and its misfire policy whether that occurrence runs.
 *
 * Two kinds of changes are decided elsewhere: changes of yearly events, which fire once in each local year
 * (`moveYearly`), and new time zone data (`nextUnderTzdata`).
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
  // If only a calendar changed, the pending occurrence stays pending, even if its instant is past because it was
  // rescheduled to a later time. It does not stay if the calendar excludes its day now.
  const hasOtherCalendar = isSameTiming({ ...timing, calendars: before.calendars }, before);
  return hasOtherCalendar ? Math.min(nowAt + 1, occurrenceAt ?? nowAt + 1) : nowAt + 1;
}

/** True if two timings are equal, apart from their `settledAts` (coming occurrences that already have a run). */
export const isSameTiming = (a: Timing, b: Timing): boolean =>
  storeTiming({ ...a, settledAts: [] }) === storeTiming({ ...b, settledAts: [] });

const hadRunOut = ({ plan, runsTotal }: ScheduleBeforeEdit) =>
  plan.maxRuns !== null && runsTotal >= plan.maxRuns;

/** The pending occurrence after the edit. A new jitter changes when it is due, unless a person has rescheduled it. */
function pendingUnder(schedule: ScheduleBeforeEdit, plan: Plan): DueOccurrence | null {
  const { key, occurrenceAt, dueAt } = schedule;
  if (occurrenceAt === null || dueAt === null) return null;
  const wasMovedByHand = dueAt !== dueOccurrenceOf(key, schedule.plan, occurrenceAt).dueAt;
  return wasMovedByHand ? { occurrenceAt, dueAt } : dueOccurrenceOf(key, plan, occurrenceAt);
}
