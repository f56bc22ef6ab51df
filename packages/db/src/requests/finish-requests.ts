import type { Transaction } from '../database.js';
import { NOW } from '../instants.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';
import type { SqlRequest } from './lock-requests.js';

const remove = statement<{ projectId: number; ids: string }>(
  'delete-sql-requests',
  'delete from carillon.sql_requests where project_id = :projectId and id = any(:ids::bigint[])',
);

/** Deletes requests in the transaction that has carried them out or refused them. */
export async function deleteRequests(
  tx: Transaction,
  { projectId, ids }: { projectId: number; ids: readonly number[] },
): Promise<void> {
  if (ids.length > 0) await remove(tx, { projectId, ids: arrayOf(ids) });
}

/** A request that was refused, and why. */
export interface RefusedRequest {
  request: SqlRequest;
  reason: string;
}

/** The action that the audit entry of a refused request names. */
export const REFUSED_ACTION = 'schedule.refused';

const refusals = batch<{ key: string; actor: string; detail: string }>('refusal', {
  key: 'text',
  actor: 'text',
  detail: 'text',
});

const insert = statement<Values>(
  'record-sql-refusals',
  `insert into carillon.audit_log (project_id, actor, action, subject, detail, at)
   select :projectId, refusal.actor, '${REFUSED_ACTION}', refusal.key, refusal.detail::json, ${NOW} from ${refusals.source}`,
);

/** Records refusals in the audit log. The body of a request is left out, because it may contain secret headers. */
export async function recordRefusals(
  tx: Transaction,
  change: { projectId: number; refused: readonly RefusedRequest[]; now: number | null },
): Promise<void> {
  if (change.refused.length === 0) return;
  const rows = change.refused.map(({ request: { key, actor, action }, reason }) => ({
    key,
    actor,
    detail: JSON.stringify({ request: action, reason }),
  }));
  await insert(tx, { projectId: change.projectId, now: change.now, ...refusals.of(rows) });
}
