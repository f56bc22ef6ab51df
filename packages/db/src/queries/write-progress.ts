import type { RunIdentity } from '@carillon/shared';
import type { Pool } from 'pg';
import { fromMs } from '../sql-text.js';

/** Shows how far a run has come. Guarded by the epoch, like everything that a worker writes about a run of its own. */
export async function writeProgress(
  pool: Pool,
  { scheduleId, occurrenceAt, origin, epoch }: RunIdentity & { epoch: number },
  progress: string,
): Promise<void> {
  await pool.query({
    name: 'write-progress',
    text: `update runs set progress = $5
           where schedule_id = $1 and occurrence_at = ${fromMs('$2::bigint')} and origin = $3
             and epoch + 0 = $4 and status = 'running'`,
    values: [scheduleId, occurrenceAt, origin, epoch, progress],
  });
}
