import type { Pool } from 'pg';
import { nowOr } from '../sql-text.js';
import { bringBack } from './bring-back.js';

/** Workers that have been gone for so long that nobody asks about them any more. */
export async function forgetWorkers(pool: Pool, now: number | null): Promise<void> {
  await pool.query(
    `delete from workers w
     where w.heartbeat_at < ${nowOr('$1')} - interval '7 days'
       and not exists (select from leases l where l.worker_id = w.id)`,
    [now],
  );
}

/** Drops whole months of history that ended longer ago than `keepDays`; answers with the months that are gone. */
export async function dropOldRuns(
  pool: Pool,
  { keepDays, now }: { keepDays: number; now: number | null },
): Promise<string[]> {
  const { rows } = await pool.query<{ month: string }>(
    `select substring(relname from 6) as month
     from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'runs'::regclass and relname ~ '^runs_\\d{4}_\\d\\d$'
       and to_date(substring(relname from 6), 'YYYY_MM') + interval '1 month'
           < (${nowOr('$1')} - $2 * interval '1 day') at time zone 'UTC'
     order by 1`,
    [now, keepDays],
  );
  const dropped: string[] = [];
  for (const { month } of rows) {
    // A run of long ago may still be under way: a backfill, a retry that was held by a pause.
    const { rowCount } = await pool.query(
      `select from runs_${month} where status in ('queued', 'running', 'retrying')
       union all
       select from leased_runs where to_char(occurrence_at at time zone 'UTC', 'YYYY_MM') = $1
       limit 1`,
      [month],
    );
    if (rowCount) continue;
    await bringBackThoseOf(pool, month);
    await pool.query(`drop table runs_${month}, attempts_${month}`);
    dropped.push(month);
  }
  return dropped;
}

/** Runs that are looked through at once: a month may have many millions. */
const AT_ONCE = 10_000;

/** Schedules of which only a run in this month tells that they have fired. */
async function bringBackThoseOf(pool: Pool, month: string): Promise<void> {
  let afterId = 0;
  for (;;) {
    const { rows } = await pool.query<{ last: number | null }>(
      `select max(schedule_id) as last
       from (select schedule_id from runs_${month} where schedule_id > $1 order by schedule_id limit ${AT_ONCE}) as next`,
      [afterId],
    );
    const lastId = rows[0]?.last ?? null;
    if (lastId === null) return;
    const among = `select schedule_id from runs_${month} where schedule_id > $1 and schedule_id <= $2`;
    await bringBack(pool, { where: `e.id in (${among})`, values: [afterId, lastId] });
    afterId = lastId;
  }
}
