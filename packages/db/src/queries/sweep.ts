import type { Pool } from 'pg';
import { nowOr, toMs } from '../sql-text.js';

export interface Slot {
  /** The end of the slot: when its bell rings. */
  ringAt: number;
  /** When the oldest of its rows last changed: what changed just now is still on its way to Redis. */
  touchedAt: number;
}

/**
 * The distinct slots of time within the horizon in which anything is due: schedules, runs that wait, pauses that end.
 * An instant belongs to the slot that ends at or after it.
 */
const READ_SLOTS = `
  with clock as (select ${nowOr('$1')} as now),
  timed as (
    select next_run_at as at, greatest(updated_at, last_enqueued_at) as touched_at
    from schedules where status = 'active' and next_run_at > ${nowOr('$1')}
      and next_run_at <= ${nowOr('$1')} + $2 * interval '1 millisecond'
    union all
    select next_attempt_at, finished_at
    from runs where next_attempt_at > ${nowOr('$1')} and next_attempt_at <= ${nowOr('$1')} + $2 * interval '1 millisecond'
    union all
    select paused_until, updated_at
    from schedules where paused_until > ${nowOr('$1')} and paused_until <= ${nowOr('$1')} + $2 * interval '1 millisecond'
  )
  select (ceil(date_part('epoch', at) * 1000 / $3) * $3)::bigint, ${toMs('min(touched_at)')}, ${toMs('min(clock.now)')}
  from timed, clock group by 1`;

export async function readSlots(
  pool: Pool,
  { horizonMs, slotMs, now }: { horizonMs: number; slotMs: number; now: number | null },
): Promise<{ slots: Slot[]; nowAt: number }> {
  const { rows } = await pool.query<[number, number | null, number]>({
    name: 'read-slots',
    text: READ_SLOTS,
    values: [now, horizonMs, slotMs],
    rowMode: 'array',
  });
  return {
    slots: rows.map(([ringAt, touchedAt]) => ({ ringAt, touchedAt: touchedAt ?? 0 })),
    nowAt: rows[0]?.[2] ?? 0,
  };
}

export interface Missed {
  count: number;
  oldestAt: number | null;
  newestAt: number | null;
}

/** How much lies due and unclaimed for longer than `olderThanMs`. Only looks. */
export async function readMissed(
  pool: Pool,
  { olderThanMs, now }: { olderThanMs: number; now: number | null },
): Promise<Missed> {
  const { rows } = await pool.query<{ count: number; oldest_at: number | null; newest_at: number | null }>({
    name: 'read-missed',
    text: `select count(*)::int as count, ${toMs('min(at)')} as oldest_at, ${toMs('max(at)')} as newest_at
           from (
             select next_run_at as at from schedules
             where status = 'active' and next_run_at < ${nowOr('$1')} - $2 * interval '1 millisecond'
             union all
             select next_attempt_at from runs where next_attempt_at < ${nowOr('$1')} - $2 * interval '1 millisecond'
           ) as missed`,
    values: [now, olderThanMs],
  });
  const [missed] = rows as [(typeof rows)[number]];
  return { count: missed.count, oldestAt: missed.oldest_at, newestAt: missed.newest_at };
}

/** Notes that Postgres has been swept. */
export async function recordSweep(pool: Pool, now: number | null): Promise<void> {
  await pool.query({
    name: 'record-sweep',
    text: `insert into sweeps (last_at) values (${nowOr('$1')}) on conflict (singleton) do update set last_at = excluded.last_at`,
    values: [now],
  });
}
