import type { Cutoffs } from '@carillon/shared';
import type { Pool } from 'pg';
import { inTransaction, isBehindPooler, queryTimeoutOf } from '../database.js';
import { monthOf, NOW } from '../instants.js';
import { SCHEMA } from '../schema/columns.js';
import { arrayOf, query } from '../statement.js';
import { carryOverMonth } from './carry-over-month.js';
import { inOneBatch } from './in-batches.js';

interface OldTable {
  month: string;
  /** The first instant after the month. */
  endAt: number;
  suffix: string;
  table: 'runs' | 'attempts';
  /** False if an earlier prune detached the table but could not drop it, because a reader held a lock for too long. */
  isAttached: boolean;
  /** True if an earlier prune began to detach the table and was interrupted. */
  isDetachPending: boolean;
}

/** An old month that is not dropped, because it holds runs of a project with a longer retention. */
export interface KeptMonth {
  month: string;
  endAt: number;
}

/**
 * Finds old months by the names of their tables, not among the partitions: a table that was detached but not dropped
 * yet is no longer a partition.
 */
const OLD_TABLES = `
  select old.*, (old.month + interval '1 month') at time zone 'UTC' as "endAt" from (
    select to_date(right(c.relname, 7), 'YYYY_MM') as month, right(c.relname, 7) as suffix,
           split_part(c.relname, '_', 1) as table, i.inhrelid is not null as "isAttached",
           coalesce(i.inhdetachpending, false) as "isDetachPending"
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relname ~ '^(runs|attempts)_\\d{4}_\\d\\d$' and c.relkind = 'r'
      and c.relnamespace = (select relnamespace from pg_class where oid = 'carillon.runs'::regclass)
  ) as old
  order by old.month, old.table desc`;

/**
 * Drops the months of history that are past the retention of every project that has runs in them. Returns the dropped
 * months, and the months that are kept for a project with a longer retention.
 *
 * A partition is detached with `concurrently`. A plain `detach` would wait for all reads of the table, and new
 * statements would wait behind it. If a read takes longer than the time-out of the statement, this function throws, and
 * the next call continues with that month.
 */
export async function dropOldMonths(
  pool: Pool,
  { projects, now }: { projects: readonly Cutoffs[]; now: number | null },
): Promise<{ dropped: string[]; kept: KeptMonth[] }> {
  const latest = Math.max(...projects.map(({ runsBefore }) => runsBefore ?? Number.NEGATIVE_INFINITY));
  const tables = (await query<OldTable>(pool, OLD_TABLES, {})).filter(({ endAt }) => endAt <= latest);
  const dropped: string[] = [];
  const kept: KeptMonth[] = [];
  for (const { month, endAt, suffix } of new Map(tables.map((old) => [old.month, old])).values()) {
    const keepers = projects.filter(({ runsBefore }) => runsBefore === null || runsBefore < endAt);
    if (await hasRuns(pool, keepers, `r.month = '${month}'`)) {
      kept.push({ month, endAt });
      continue;
    }
    if (!(await moveOpenRuns(pool, month, now))) continue;
    await carryOverMonth(pool, { month, now });
    // An attempt may lie in a later month than its run. So the attempts of this month may belong to earlier runs that
    // are kept.
    const keepsAttempts = await hasRuns(pool, keepers, `r.month < '${month}'`);
    for (const old of tables) {
      if (old.month !== month || (old.table === 'attempts' && keepsAttempts)) continue;
      await detachAndDrop(pool, old);
    }
    dropped.push(suffix);
  }
  return { dropped, kept };
}

async function hasRuns(pool: Pool, projects: readonly Cutoffs[], condition: string): Promise<boolean> {
  const rows = await query(
    pool,
    `select from unnest(:ids::bigint[]) as project(id)
     where exists (select from ${SCHEMA}.runs r where r.project_id = project.id and ${condition}) limit 1`,
    { ids: arrayOf(projects.map(({ projectId }) => projectId)) },
  );
  return rows.length > 0;
}

/**
 * Moves the open runs of an old month (such as runs that a pause keeps waiting) to the current month. Returns false if
 * a worker has a run of the month in flight. The month is then kept until the next call.
 */
async function moveOpenRuns(pool: Pool, month: string, now: number | null): Promise<boolean> {
  const running = await query(
    pool,
    `select from ${SCHEMA}.leases l join ${SCHEMA}.runs r on r.epoch = l.epoch and r.status = 'running'
     where r.month = :month limit 1`,
    { month },
  );
  if (running.length > 0) return false;
  await inTransaction(pool, (tx) =>
    query(
      tx,
      `update ${SCHEMA}.runs set month = ${monthOf(NOW)} where month = :month and next_attempt_at is not null`,
      { month, now },
    ),
  );
  return true;
}

async function detachAndDrop(
  pool: Pool,
  { table, suffix, isAttached, isDetachPending }: OldTable,
): Promise<void> {
  const partition = `${SCHEMA}.${table}_${suffix}`;
  const how = isDetachPending ? 'finalize' : 'concurrently';
  if (isAttached)
    await outsideTransaction(pool, `alter table ${SCHEMA}.${table} detach partition ${partition} ${how}`);
  // A backup may still read the detached table. The drop then times out, and the next prune tries again.
  await inOneBatch(pool, (tx) => tx.query(`drop table if exists ${partition}`));
}

/**
 * Runs a statement that Postgres refuses inside a transaction. `pool.query` can't be used, because behind a pooler it
 * begins a transaction. Without a pooler, Postgres gets a shorter time-out than the driver. If the driver gave up
 * first, the session in Postgres would go on waiting for the readers.
 */
async function outsideTransaction(pool: Pool, statement: string): Promise<void> {
  const client = await pool.connect();
  try {
    // Behind a pooler the session is shared, so the setting would apply to transactions of other clients.
    if (!isBehindPooler(pool))
      await client.query(`set statement_timeout = ${Math.floor(queryTimeoutOf(pool) * 0.75)}`);
    await client.query(statement);
  } finally {
    // The session keeps the short time-out and may still be busy with the statement, so the connection is closed.
    client.release(true);
  }
}
