import { readMissed } from '@carillon/db';
import type { WorkerContext } from '../context.js';

/** At start: logs how many runs are due and not claimed yet, then claims them. */
export async function claimMissedRuns(
  { pool, log }: WorkerContext,
  ring: () => Promise<void>,
): Promise<void> {
  log.info('Starting recovery check');
  const { count, oldestAt, newestAt } = await readMissed(pool, { olderThanMs: 0, now: null });
  if (count === 0 || oldestAt === null || newestAt === null) {
    log.info('No missed events found');
    return;
  }
  log.info(
    {
      count,
      oldestEventTimestamp: new Date(oldestAt).toISOString(),
      newestEventTimestamp: new Date(newestAt).toISOString(),
    },
    'Missed events found',
  );
  await ring();
}
