import type { Pool } from 'pg';
import { FORGOTTEN_AFTER_DAYS } from '../engine/workers.js';
import { NOW } from '../instants.js';
import { statement } from '../statement.js';
import { deleteInBatches, ROWS_PER_TRANSACTION } from './in-batches.js';

type Values = { now: number | null };

const daysAgo = (days: number) => `${NOW} - ${days} * interval '1 day'`;

/**
 * Maximum number of pings (reports of a job about its runs) that are kept for each schedule. The oldest pings beyond
 * this number are deleted, even if their retention has not passed.
 */
const MAX_PINGS = 1_000;

/** By table, the condition for rows that are deleted. These retentions are the same for all projects. */
const PAST = {
  alerts: `resolved_at < ${daysAgo(90)}`,
  alert_messages: `created_at < ${daysAgo(30)}`,
  api_keys: `coalesce(revoked_at, expires_at) < ${daysAgo(90)}`,
  bulk_actions: `started_at < ${daysAgo(7)}`,
  domain_events: `handled_at < ${daysAgo(30)}`,
  // A forecast is used for a few minutes only. Workers replace the forecast of a large project. If the project is no
  // longer large, its last forecast would stay for ever.
  forecasts: `computed_at < ${daysAgo(1)}`,
  idempotency_keys: `created_at < ${daysAgo(1)}`,
  maintenance_windows: `ends_at < ${daysAgo(30)}`,
  // These rows are read for figures of the last day at most.
  metric_minutes: `minute < ${NOW} - interval '25 hours'`,
  pings: `at < ${daysAgo(30)}`,
  run_stats: `minute < ${daysAgo(35)}`,
  sessions: `expires_at <= ${NOW}`,
  webhook_secrets: `expires_at < ${NOW}`,
  workers: `heartbeat_at < ${daysAgo(FORGOTTEN_AFTER_DAYS)} and not exists (select from carillon.leases l where l.worker_id = workers.id)`,
};

/**
 * Rows are found by `ctid`, their physical place in the table. The lock keeps a row from moving before it is deleted.
 */
const deleteBatchOf = (name: string, table: string, condition: string) =>
  statement<Values, object>(
    `forget-${name}`,
    `delete from carillon.${table} where ctid = any(array(
       select ctid from carillon.${table} where ${condition} limit ${ROWS_PER_TRANSACTION} for update skip locked)) returning 1`,
  );

const STATEMENTS = Object.entries(PAST).map(([table, condition]) => ({
  table,
  deleteBatch: deleteBatchOf(table, table, condition),
}));

const deleteManyPings = deleteBatchOf(
  'many-pings',
  'pings',
  `id in (select id from (select id, row_number() over (partition by schedule_id order by at desc) as n from carillon.pings) as p
          where p.n > ${MAX_PINGS} and ${NOW} is not null)`,
);

/** Tables with a retention that is the same for all projects. */
export type FixedTable = keyof typeof PAST;

/**
 * Deletes the old rows of the tables in `PAST`, and the pings of each schedule beyond `MAX_PINGS`. Returns the number
 * of deleted rows by table.
 */
export async function forgetOld(
  pool: Pool,
  { now, only }: { now: number | null; only?: readonly FixedTable[] },
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  for (const { table, deleteBatch } of STATEMENTS) {
    if (only && !only.includes(table as FixedTable)) continue;
    deleted[table] = await deleteInBatches(pool, (tx) => deleteBatch(tx, { now }));
  }
  if (!only || only.includes('pings'))
    deleted.pings =
      (deleted.pings ?? 0) + (await deleteInBatches(pool, (tx) => deleteManyPings(tx, { now })));
  return deleted;
}
