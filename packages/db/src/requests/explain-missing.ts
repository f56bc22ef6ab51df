import type { Database } from '../database.js';
import { statement } from '../statement.js';
import { REFUSED_ACTION } from './finish-requests.js';

/** Why a schedule that was requested by SQL does not exist: its request waits for a worker, or was refused. */
export type MissingSchedule =
  | { kind: 'pending'; at: number }
  | { kind: 'refused'; at: number; reason: string };

const select = statement<
  { projectId: number; key: string },
  { kind: 'pending' | 'refused'; at: number; reason: string }
>(
  'explain-missing-schedule',
  `(select 'pending' as kind, requested_at as at, null as reason from carillon.sql_requests
    where project_id = :projectId and key = :key and action = 'schedule' order by id limit 1)
   union all
   (select 'refused', at, detail ->> 'reason' from carillon.audit_log
    where project_id = :projectId and subject = :key and action = '${REFUSED_ACTION}' order by id desc limit 1)
   limit 1`,
);

/** Looks for a request by SQL that explains why there is no schedule with this id; null if there was none. */
export async function explainMissing(
  db: Database,
  { projectId, key }: { projectId: number; key: string },
): Promise<MissingSchedule | null> {
  const [explanation] = await select(db, { projectId, key });
  return explanation ?? null;
}
