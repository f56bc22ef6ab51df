import type { ClientBase, Pool } from 'pg';
import type { Database } from '../database.js';
import { monthOf, NOW } from '../instants.js';
import { SCHEMA } from '../schema/columns.js';
import { query } from '../statement.js';

/** How many months beside the current one have their partitions made ahead. */
const MONTHS_AHEAD = 2;

/**
 * The partitioned tables. More than half of each page of `runs` is kept free: closing a run is then a HOT update, which finds room on
 * its own page and rewrites no index entry (measured: 100% at 45, 87% at 50, 35% at 70).
 */
const PARTITIONED = [
  { table: 'runs', storage: 'with (fillfactor = 45)' },
  { table: 'attempts', storage: '' },
] as const;

/**
 * The number of an advisory lock. Any number will do, as long as every process uses the same one: two processes must
 * not create one partition at once.
 */
const PARTITION_LOCK = 0x70617274;

/** Makes the partitions of the current month and of those ahead, as far as they are missing. */
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
 * Makes the partitions of one month. A table is created first and attached then, because attaching takes a lock that
 * conflicts neither with readers nor with claims; `create table … partition of` would lock out both.
 */
export async function createPartition(db: Pool | ClientBase, month: string): Promise<void> {
  const suffix = month.slice(0, 7).replace('-', '_');
  const statements = PARTITIONED.flatMap(({ table, storage }) => {
    const partition = `${SCHEMA}.${table}_${suffix}`;
    return [
      `create table ${partition} (like ${SCHEMA}.${table} including all) ${storage}`,
      `alter table ${partition} add constraint ${table}_month check (month = date '${month}')`,
      `alter table ${SCHEMA}.${table} attach partition ${partition} for values in ('${month}')`,
      // The constraint has spared the attach a scan of the table. From now on it would only slow down every insert.
      `alter table ${partition} drop constraint ${table}_month`,
    ];
  });
  // The advisory lock makes the second of two processes wait; it then finds the tables and does nothing. It must look into
  // pg_class: `to_regclass` would answer from a cache that the wait for an advisory lock does not refresh.
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

/** The month whose partition is missing, if that is what an error says. */
export function missingMonth(error: unknown): string | null {
  const { code, detail = '' } = error as { code?: string; detail?: string };
  return code === '23514' ? (/\(month\) = \((\d{4,6}-\d\d-\d\d)\)/.exec(detail)?.[1] ?? null) : null;
}
