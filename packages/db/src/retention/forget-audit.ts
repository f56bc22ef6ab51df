import type { Cutoffs } from '@carillon/shared';
import type { Pool } from 'pg';
import { instant } from '../instants.js';
import { statement } from '../statement.js';
import { deleteInBatches, ROWS_PER_TRANSACTION } from './in-batches.js';

/**
 * Allows this transaction to delete entries of the audit log that were written before an instant. An SQL trigger
 * refuses all other deletes.
 */
const allow = statement<{ before: number }>(
  'allow-audit-retention',
  `select set_config('carillon_retention.before', ${instant(':before::bigint')}::text, true)`,
);

/**
 * Deletes those of the project's oldest entries that are past their retention. The entries are read by id, because no
 * index finds them by time. Ids grow with time, so a batch without an old entry means that no old entry is left.
 */
const deleteBatch = statement<{ projectId: number; before: number }, object>(
  'forget-audit',
  `delete from carillon.audit_log where at < ${instant(':before::bigint')} and id in (
     select id from carillon.audit_log where project_id = :projectId order by id limit ${ROWS_PER_TRANSACTION}) returning 1`,
);

/** Deletes the audit entries that are past the retention of their project, and returns their number. */
export async function forgetAudit(pool: Pool, projects: readonly Cutoffs[]): Promise<number> {
  let deleted = 0;
  for (const { projectId, auditBefore } of projects) {
    if (auditBefore === null) continue;
    const values = { projectId, before: Math.floor(auditBefore) };
    deleted += await deleteInBatches(pool, async (tx) => {
      await allow(tx, values);
      return deleteBatch(tx, values);
    });
  }
  return deleted;
}
