import { dropOldRuns, ensurePartitions, forgetEvents, forgetWorkers } from '@carillon/db';
import type { WorkerContext } from '../context.js';

/** Once an hour: makes room for the months ahead, and lets go of what nobody needs any more. */
export async function prune({ pool, log }: WorkerContext, keepDays: number | null): Promise<void> {
  await ensurePartitions(pool, null);
  await forgetWorkers(pool, null);
  await forgetEvents(pool, null);
  if (keepDays === null) return;
  const dropped = await dropOldRuns(pool, { keepDays, now: null });
  if (dropped.length > 0) log.info({ months: dropped }, 'History dropped');
}
