import { type DueOccurrence, nextOccurrence, stretchFrom } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { accountFor } from '../runs/account-for.js';
import type { LockedSchedule } from './locked-schedule.js';

/**
 * A new definition may start a schedule again that was cancelled, or that had completed its runs. The old rule went on
 * naming occurrences meanwhile. They are recorded as skipped, because without a record they would count as missing.
 */
export async function settleStopped(
  tx: Transaction,
  schedule: LockedSchedule,
  next: DueOccurrence | null,
): Promise<void> {
  const stop = stopOf(schedule, next !== null);
  if (!stop) return;
  const { timing, nowAt } = schedule;
  const fromAt = nextOccurrence(timing, stop.at);
  // A one-shot that keeps its instant still runs.
  if (fromAt === null || fromAt > nowAt || fromAt === next?.occurrenceAt) return;
  const { reasonCode, reason } = stop;
  const stretch = stretchFrom(timing, { fromAt, untilAt: nowAt, reasonCode, reason });
  await accountFor(tx, [{ schedule, stretch }], nowAt);
}

/** When and why the schedule stopped; null if it has not, or if it stays finished. */
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
