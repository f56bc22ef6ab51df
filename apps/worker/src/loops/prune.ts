import {
  dropOldRuns,
  ensurePartitions,
  forgetAlerts,
  forgetBulkActions,
  forgetDeferrals,
  forgetEvents,
  forgetMetricMinutes,
  forgetSessions,
  forgetStats,
  forgetWorkers,
} from '@carillon/db';
import type { WorkerContext } from '../context.js';

/** Once an hour: creates the partitions of the months ahead, and deletes rows that are older than their retention. */
export async function prune({ pool, log }: WorkerContext, keepDays: number | null): Promise<void> {
  await ensurePartitions(pool, null);
  await forgetWorkers(pool);
  await forgetEvents(pool, null);
  await forgetSessions(pool, null);
  await forgetStats(pool, null);
  await forgetMetricMinutes(pool, null);
  await forgetBulkActions(pool, null);
  await forgetAlerts(pool, null);
  if (keepDays === null) return;
  const dropped = await dropOldRuns(pool, { keepDays, now: null });
  await forgetDeferrals(pool, { keepDays, now: null });
  if (dropped.length > 0) log.info({ months: dropped }, 'History dropped');
}
