import type { Pool } from 'pg';
import { inTransaction } from '../database.js';
import { monthOf, NOW } from '../instants.js';
import { SCHEMA } from '../schema/columns.js';
import { query } from '../statement.js';

interface OldTable {
  month: string;
  suffix: string;
  table: 'runs' | 'attempts';
  /**
   * False if an earlier pass of retention detached the table but could not drop it, because a reader held the table for
   * too long.
   */
  isAttached: boolean;
  /** True if an earlier detach was interrupted. */
  isDetachPending: boolean;
}

/**
 * Finds old months by the names of the tables, because a table that was detached and not dropped yet is no partition
 * any more.
 */
const OLD_TABLES = `
  select old.* from (
    select to_date(right(c.relname, 7), 'YYYY_MM') as month, right(c.relname, 7) as suffix,
           split_part(c.relname, '_', 1) as table, i.inhrelid is not null as "isAttached",
           coalesce(i.inhdetachpending, false) as "isDetachPending"
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relname ~ '^(runs|attempts)_\\d{4}_\\d\\d$' and c.relkind = 'r'
      and c.relnamespace = (select relnamespace from pg_class where oid = 'carillon.runs'::regclass)
  ) as old
  where old.month + interval '1 month' < (${NOW} - :keepDays::int * interval '1 day') at time zone 'UTC'
  order by old.month, old.table desc`;

/**
 * Drops whole months of history that ended longer ago than `keepDays`; returns the months that it dropped. The
 * partition is detached concurrently, so readers of the table are not disturbed, and no other statement waits for them.
 * If a reader holds the table for longer than the statement time-out, this function throws, and the next call continues
 * with the same table.
 */
export async function dropOldRuns(
  pool: Pool,
  { keepDays, now }: { keepDays: number; now: number | null },
): Promise<string[]> {
  const dropped: string[] = [];
  const tables = await query<OldTable>(pool, OLD_TABLES, { keepDays, now });
  for (const { month, suffix } of new Map(tables.map((old) => [old.month, old])).values()) {
    if (!(await moveOpenRuns(pool, month, now))) continue;
    await keepTotals(pool, month);
    for (const old of tables) if (old.month === month) await detachAndDrop(pool, old);
    dropped.push(suffix);
  }
  return dropped;
}

/**
 * Moves the open runs of an old month, such as runs that a pause holds, to the current month. Returns false if a worker
 * has one of them in flight: the month is then kept until the next call.
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
      {
        month,
        now,
      },
    ),
  );
  return true;
}

/** Maximum number of runs that one statement looks through: a month may have many millions. */
const BATCH_SIZE = 10_000;

/**
 * The totals of a schedule that fired exactly once are derived from its run. They are copied to the schedule before the
 * run is dropped.
 */
async function keepTotals(pool: Pool, month: string): Promise<void> {
  for (let afterId = 0; ; ) {
    const [last] = await query<{ id: number | null }>(
      pool,
      `select max(schedule_id) as id from (
         select schedule_id from ${SCHEMA}.runs where month = :month and schedule_id > :afterId
         order by schedule_id limit ${BATCH_SIZE}
       ) as next`,
      { month, afterId },
    );
    if (!last?.id) return;
    await query(
      pool,
      `update ${SCHEMA}.schedules s
       set runs_total = 1, last_run_at = r.occurrence_at, last_claimed_at = r.recorded_at
       from ${SCHEMA}.runs r
       where r.month = :month and r.schedule_id > :afterId and r.schedule_id <= :lastId and r.origin = 'rule'
         and r.status <> 'skipped' and s.id = r.schedule_id and s.runs_total is null
         and not exists (select from ${SCHEMA}.agenda a where a.schedule_id = s.id)`,
      { month, afterId, lastId: last.id },
    );
    afterId = last.id;
  }
}

async function detachAndDrop(
  pool: Pool,
  { table, suffix, isAttached, isDetachPending }: OldTable,
): Promise<void> {
  const partition = `${SCHEMA}.${table}_${suffix}`;
  const how = isDetachPending ? 'finalize' : 'concurrently';
  if (isAttached) await pool.query(`alter table ${SCHEMA}.${table} detach partition ${partition} ${how}`);
  await pool.query(`drop table if exists ${partition}`);
}
