import { applyRetention, ensurePartitions } from '@carillon/db';
import type { RetentionDays } from '@carillon/shared';
import type { WorkerContext } from '../context.js';

/** Once an hour: creates the partitions of the months ahead, and deletes rows that are past their retention. */
export async function prune({ pool, log }: WorkerContext, defaults: RetentionDays): Promise<void> {
  await ensurePartitions(pool, null);
  const { months, deleted, postponed } = await applyRetention(pool, { defaults, now: null });
  if (months.length > 0 || Object.keys(deleted).length > 0)
    log.info({ months, deleted }, 'History past its retention was removed');
  if (postponed !== null)
    log.info(
      { reason: postponed },
      'A month of history is past its retention, but a long read of the runs is open. The next prune drops the month',
    );
}
