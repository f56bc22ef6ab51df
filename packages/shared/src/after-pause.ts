import {
  type DueOccurrence,
  type DueSchedule,
  dueOccurrenceAfter,
  type Stretch,
  stretchFrom,
} from './decide-due.js';

/** A paused schedule, with the occurrence that came next when it was paused. */
export type PausedSchedule = Pick<DueSchedule, 'key' | 'timing' | 'plan' | 'occurrenceAt' | 'dueAt'>;

/** The end of a pause, and the reason of the occurrences that fell due during the pause. */
export interface PauseEnd {
  untilAt: number;
  reason: string;
}

/**
 * Decides where a schedule continues after its pause. Usually this is the first occurrence after the pause, and the
 * occurrences during the pause are recorded as skipped. With the misfire policy `all`, no occurrence is skipped, and
 * the schedule continues with the first one that fell due during the pause.
 */
export function afterPause(
  schedule: PausedSchedule,
  end: PauseEnd,
): { next: DueOccurrence | null; passed: Stretch | null } {
  const { occurrenceAt, dueAt, plan } = schedule;
  const passed = plan.misfire.policy === 'all' ? null : passedInPause(schedule, end);
  if (!passed) return { next: { occurrenceAt, dueAt }, passed };
  return { next: dueOccurrenceAfter(schedule, Math.max(end.untilAt, occurrenceAt)), passed };
}

/** The occurrences that fell due while the schedule was paused; null if there were none. */
export function passedInPause(
  { timing, occurrenceAt, dueAt }: PausedSchedule,
  { untilAt, reason }: PauseEnd,
): Stretch | null {
  if (dueAt > untilAt) return null;
  return stretchFrom(timing, { fromAt: occurrenceAt, untilAt, reasonCode: 'paused', reason });
}
