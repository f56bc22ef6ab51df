import {
  type DueOccurrence,
  nextOccurrence,
  type Stretch,
  stretchFrom,
  type Timing,
  UnusableRule,
} from '@carillon/shared';
import type { Transaction } from '../database.js';
import { accountFor } from '../runs/account-for.js';
import type { LockedSchedule } from './locked-schedule.js';

/**
 * Called if a new definition starts a stopped schedule again, one that was cancelled or had reached its `maxRuns`. The
 * occurrences that the old rule named meanwhile are recorded as skipped. Without a record, they would count as missing.
 */
export async function skipWhileStopped(
  tx: Transaction,
  schedule: LockedSchedule,
  next: DueOccurrence | null,
): Promise<void> {
  const stop = stopOf(schedule, next !== null);
  if (!stop) return;
  const { at: afterAt, ...why } = stop;
  const passed = passedExcept(schedule.timing, {
    afterAt,
    untilAt: schedule.nowAt,
    exceptAt: next?.occurrenceAt ?? null,
    why,
  });
  await accountFor(
    tx,
    passed.map((stretch) => ({ schedule, stretch })),
    schedule.nowAt,
  );
}

/**
 * Returns the occurrences of the old rule after `afterAt` and up to `untilAt`, as stretches (ranges of occurrences that
 * did not run). The next occurrence of the new definition (`exceptAt`) is left out, because it still runs. If an edit
 * set a one-shot to a past instant, `exceptAt` lies within the range and divides it into two stretches.
 */
function passedExcept(
  timing: Timing,
  {
    afterAt,
    untilAt,
    exceptAt,
    why,
  }: {
    afterAt: number;
    untilAt: number;
    exceptAt: number | null;
    why: Pick<Stretch, 'reasonCode' | 'reason'>;
  },
): Stretch[] {
  const isDivided = exceptAt !== null && exceptAt > afterAt && exceptAt <= untilAt;
  const parts = isDivided
    ? [
        { afterAt, untilAt: exceptAt - 1 },
        { afterAt: exceptAt, untilAt },
      ]
    : [{ afterAt, untilAt }];
  try {
    return parts.flatMap((part) => {
      const fromAt = nextOccurrence(timing, part.afterAt);
      if (fromAt === null || fromAt > part.untilAt) return [];
      return [stretchFrom(timing, { fromAt, untilAt: part.untilAt, ...why })];
    });
  } catch (error) {
    // If the rule can't be evaluated any more, it names no occurrences. The new definition replaces it.
    if (error instanceof UnusableRule) return [];
    throw error;
  }
}

/**
 * Returns when and why the schedule stopped: it was cancelled, or it had used up its `maxRuns` and the new definition
 * starts it again. Null in all other cases.
 */
function stopOf(
  { status, occurrenceAt, plan, lastRunAt, updatedAt }: LockedSchedule,
  isStartedAgain: boolean,
): { at: number; reasonCode: 'schedule_cancelled' | 'schedule_finished'; reason: string } | null {
  if (status === 'cancelled') {
    const reason = `the schedule was cancelled at ${new Date(updatedAt).toISOString()}, and replaced later`;
    return { at: updatedAt, reasonCode: 'schedule_cancelled', reason };
  }
  if (!isStartedAgain || occurrenceAt !== null || plan.maxRuns === null || lastRunAt === null) return null;
  const reason = 'the schedule had completed its runs, and started again later';
  return { at: lastRunAt, reasonCode: 'schedule_finished', reason };
}
