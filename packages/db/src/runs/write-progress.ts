import type { Database } from '../database.js';
import { type Holder, isHeldBy } from '../engine/fencing.js';
import { statement, type Values } from '../statement.js';
import { IS_RUN, identityOf, type RunKey } from './run-transitions.js';

const update = statement<Values>(
  'write-progress',
  `update carillon.runs r set progress = :progress
   where ${IS_RUN} and r.month = :month and r.epoch = :epoch and r.status = 'running'
     and exists (select from carillon.leases l where l.epoch = :epoch and ${isHeldBy('l')})`,
);

/** Records how far the work of a run has come. Nothing is written if this worker has lost the lease of the run. */
export async function writeProgress(
  db: Database,
  { workerId, token, generation }: Holder,
  run: RunKey & { epoch: number },
  progress: string,
): Promise<void> {
  const { month, epoch } = run;
  await update(db, { ...identityOf(run), month, epoch, workerId, token, generation, progress });
}
