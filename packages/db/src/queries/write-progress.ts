import type { RunIdentity } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inTransaction } from '../database.js';
import { fromMs } from '../sql-text.js';
import { writeDownOf } from './write-down.js';

/** Shows how far a run has come. Guarded by the epoch, like everything that a worker writes about a run of its own. */
export async function writeProgress(
  pool: Pool,
  run: RunIdentity & { epoch: number },
  progress: string,
): Promise<void> {
  if (await update(pool, run, progress)) return;
  // Its row is not there yet, or not ours any more.
  await inTransaction(pool, async (tx) => {
    await writeDownOf(tx, run.scheduleId);
    await update(tx, run, progress);
  });
}

async function update(
  db: Database,
  { scheduleId, occurrenceAt, origin, epoch }: RunIdentity & { epoch: number },
  progress: string,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'write-progress',
    text: `update runs set progress = $5
           where schedule_id = $1 and occurrence_at = ${fromMs('$2::bigint')} and origin = $3
             and epoch + 0 = $4 and status = 'running'`,
    values: [scheduleId, occurrenceAt, origin, epoch, progress],
  });
  return rowCount === 1;
}
