import type { ClientBase, Pool } from 'pg';
import type { Database } from '../database.js';
import { monthOf, NOW } from '../instants.js';
import { SCHEMA } from '../schema/columns.js';
import { query } from '../statement.js';

/** Number of months after the current one whose partitions are created ahead of time. */
const MONTHS_AHEAD = 2;

/**
 * The partitioned tables. More than half of each page of `runs` is kept free, so that closing a run is a HOT update:
 * the new version of the row fits on the same page, and no index entry is rewritten. Measured share of HOT updates by
 * fillfactor: 100% at 45, 87% at 50, 35% at 70.
 */
const PARTITIONED = [
  { table: 'runs', storage: 'with (fillfactor = 45)' },
  { table: 'attempts', storage: '' },
] as const;

/**
 * The number of an advisory lock that keeps two processes from creating the same partition at once. Any number will do,
 * as long as every process uses the same one.
 */
const PARTITION_LOCK = 0x70617274;

/** SQL: true if both partitioned tables have their partition of the month (a date). */
export const hasPartitions = (month: string) =>
  `(${PARTITIONED.map(({ table }) => `to_regclass('${SCHEMA}.${table}_' || to_char(${month}, 'YYYY_MM')) is not null`).join(' and ')})`;

/** Creates the missing partitions of the current month and of the next two. */
export async function ensurePartitions(db: Pool | ClientBase, now: number | null): Promise<void> {
  const rows = await query<{ month: string }>(
    db as Database,
    `select month::date as month
     from generate_series(${monthOf(NOW)}, ${monthOf(NOW)} + :ahead * interval '1 month', interval '1 month') as month
     where to_regclass('carillon.attempts_' || to_char(month, 'YYYY_MM')) is null`,
    { now, ahead: MONTHS_AHEAD },
  );
  for (const { month } of rows) await createPartition(db, month);
}

/**
 * Creates the partitions of one month. Each table is created first and then attached, because attaching takes a lock
 * that conflicts neither with readers nor with claims; `create table … partition of` would lock out both.
 */
export async function createPartition(db: Pool | ClientBase, month: string): Promise<void> {
  const suffix = month.slice(0, 7).replace('-', '_');
  const statements = PARTITIONED.flatMap(({ table, storage }) => {
    const partition = `${SCHEMA}.${table}_${suffix}`;
    return [
      `create table ${partition} (like ${SCHEMA}.${table} including all) ${storage}`,
      `alter table ${partition} add constraint ${table}_month check (month = date '${month}')`,
      `alter table ${SCHEMA}.${table} attach partition ${partition} for values in ('${month}')`,
      // The constraint saves `attach partition` a scan of the table. Afterwards it would only slow down every insert.
      `alter table ${partition} drop constraint ${table}_month`,
    ];
  });
  // The advisory lock makes the second of two processes wait. That process then finds the tables and does nothing. The
  // block reads pg_class, because `to_regclass` would answer from a cache that the wait for an advisory lock does not
  // refresh.
  await db.query(`
    do $$ begin
      set local lock_timeout = '2s';
      perform pg_advisory_xact_lock(${PARTITION_LOCK});
      if not exists (
        select from pg_class where relname = 'attempts_${suffix}'
          and relnamespace = (select relnamespace from pg_class where oid = '${SCHEMA}.attempts'::regclass)
      ) then
        ${statements.join(';\n')};
      end if;
    end $$`);
}

/** The month whose partition an error reports as missing; null for any other error. */
export function missingMonth(error: unknown): string | null {
  const { code, detail = '' } = error as { code?: string; detail?: string };
  return code === '23514' ? (/\(month\) = \((\d{4,6}-\d\d-\d\d)\)/.exec(detail)?.[1] ?? null) : null;
}
