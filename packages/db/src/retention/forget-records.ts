import type { Cutoffs } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Statement, statement, type Values } from '../statement.js';
import { deleteInBatches, ROWS_PER_TRANSACTION } from './in-batches.js';
import { CUTOFFS, cutoffValues } from './read-cutoffs.js';

/**
 * Tables whose rows are deleted by the retention of their project's runs. `age` is the indexed column by which old rows
 * are found. `isNeeded` is true for an old row that must stay: a gap that ends after the cutoff, a deferral whose run
 * is kept, or a definition that a kept run has executed.
 */
const RECORDS = {
  gaps: { age: 'created_at', isNeeded: 'to_at >= cutoff.before' },
  deferrals: {
    age: 'from_at',
    isNeeded: `exists (select from carillon.runs r where r.schedule_id = old.schedule_id and r.occurrence_at = old.occurrence_at
                 and r.origin = old.origin)`,
  },
  schedule_versions: {
    age: 'superseded_at',
    isNeeded: `exists (select from carillon.runs r where r.schedule_id = old.schedule_id and r.version = old.version)`,
  },
};

const STATEMENTS = Object.entries(RECORDS).map(
  ([table, { age, isNeeded }]): [string, Statement<Values, object>] => [
    table,
    statement(
      `forget-${table}`,
      `with cutoff as materialized (select * from ${CUTOFFS})
       delete from carillon.${table} where ctid = any(array(
         select old.ctid from carillon.${table} old join cutoff on cutoff.project_id = old.project_id
         where old.${age} < (select max(before) from cutoff) and old.${age} < cutoff.before and not (${isNeeded})
         limit ${ROWS_PER_TRANSACTION} for update of old skip locked)) returning 1`,
    ),
  ],
);

/** Deletes gaps, deferrals and replaced definitions that are past the retention of their project's runs. */
export async function forgetRecords(
  pool: Pool,
  projects: readonly Cutoffs[],
): Promise<Record<string, number>> {
  const values = cutoffValues(projects, 'runsBefore');
  if (!values) return {};
  const deleted: Record<string, number> = {};
  for (const [table, deleteBatch] of STATEMENTS)
    deleted[table] = await deleteInBatches(pool, (tx) => deleteBatch(tx, values));
  return deleted;
}
