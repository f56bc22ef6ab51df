import type { Pool } from 'pg';
import { inFireTransaction } from '../database.js';
import { milliseconds, NOW } from '../instants.js';
import { arrayOf, statement } from '../statement.js';

export interface Slot {
  /**
   * The end of the slot, which is a few milliseconds long. At this time, a delayed job in Redis (the bell of the slot)
   * wakes a worker.
   */
  ringAt: number;
  /**
   * When a row that is due in the slot last changed. If that was a moment ago, the process that changed the row may
   * still be about to add the bell to Redis. So the sweep does not count the bell as missing.
   */
  touchedAt: number;
}

const HORIZON = (column: string) =>
  `${column} > ${NOW} and ${column} <= ${NOW} + ${milliseconds(':horizonMs::float8')}`;

/**
 * The slots (steps of `slotMs`) within the horizon in which anything is due: schedules, waiting runs, and pauses that
 * end. An instant at the border of two slots belongs to the earlier one.
 */
const selectSlots = statement<
  { horizonMs: number; slotMs: number; now: number | null },
  { ringAt: number; touchedAt: number | null; nowAt: number }
>(
  'read-slots',
  `with timed as (
     select a.due_at as at, greatest(a.last_claimed_at, s.updated_at) as touched_at
     from carillon.agenda a join carillon.schedules s on s.id = a.schedule_id
     where not a.is_held and ${HORIZON('a.due_at')}
     union all
     select next_attempt_at, happened_at from carillon.runs where ${HORIZON('next_attempt_at')}
     union all
     select stopped.paused_until, s.updated_at
     from carillon.stopped_schedules stopped join carillon.schedules s on s.id = stopped.schedule_id
     where ${HORIZON('stopped.paused_until')}
   )
   select (ceil(extract(epoch from at) * 1000 / :slotMs::int) * :slotMs::int)::bigint as "ringAt", max(touched_at) as "touchedAt",
          ${NOW} as "nowAt"
   from timed group by 1`,
);

export async function readSlots(
  pool: Pool,
  options: { horizonMs: number; slotMs: number; now: number | null },
): Promise<{ slots: Slot[]; nowAt: number }> {
  const rows = await inFireTransaction(pool, (tx) => selectSlots(tx, options));
  return {
    slots: rows.map(({ ringAt, touchedAt }) => ({ ringAt, touchedAt: touchedAt ?? 0 })),
    nowAt: rows[0]?.nowAt ?? 0,
  };
}

export interface NextDue {
  /** True if something is due now. It may be locked, or wait for a handler that no worker has. */
  hasDue: boolean;
  /** The earliest due time after now; null if there is none. */
  nextDueAt: number | null;
  nowAt: number;
}

const selectNextDue = statement<{ now: number | null }, NextDue>(
  'read-next-due',
  `with moment as materialized (select ${NOW} as at)
   select (
       exists (select from carillon.agenda where not is_held and due_at <= moment.at)
       or exists (select from carillon.runs where next_attempt_at <= moment.at)
       or exists (select from carillon.stopped_schedules where paused_until <= moment.at)
     ) as "hasDue",
     least(
       (select due_at from carillon.agenda where not is_held and due_at > moment.at order by due_at limit 1),
       (select next_attempt_at from carillon.runs where next_attempt_at > moment.at order by next_attempt_at limit 1),
       (select paused_until from carillon.stopped_schedules where paused_until > moment.at order by paused_until limit 1)
     ) as "nextDueAt",
     moment.at as "nowAt"
   from moment`,
);

/**
 * Reads when a schedule, a waiting run or the end of a pause is due next. The settings of the transaction make Postgres
 * use index lookups only, even if it planned the statement while the tables were nearly empty.
 */
export async function readNextDue(pool: Pool, now: number | null): Promise<NextDue> {
  const [next] = await inFireTransaction(pool, (tx) => selectNextDue(tx, { now }));
  return next as NextDue;
}

export interface MissedRuns {
  count: number;
  oldestAt: number | null;
  newestAt: number | null;
}

/** SQL: true unless the row waits for one of the missing handlers. */
const HAS_HANDLER = 'coalesce(handler <> all(:missingHandlers::text[]), true)';

const selectMissed = statement<
  { olderThanMs: number; missingHandlers: string; now: number | null },
  MissedRuns
>(
  'read-missed',
  `select count(*) as count, min(at) as "oldestAt", max(at) as "newestAt"
   from (
     select due_at as at from carillon.agenda
     where not is_held and due_at < ${NOW} - ${milliseconds(':olderThanMs::float8')} and ${HAS_HANDLER}
     union all
     select next_attempt_at from carillon.runs
     where next_attempt_at < ${NOW} - ${milliseconds(':olderThanMs::float8')} and ${HAS_HANDLER}
   ) as missed`,
);

/**
 * Counts the occurrences and waiting runs that have been due, but not claimed, for longer than `olderThanMs`. Leaves
 * out rows that wait for one of `missingHandlers`, which no live worker has.
 */
export async function readMissed(
  pool: Pool,
  {
    olderThanMs,
    missingHandlers = [],
    now,
  }: { olderThanMs: number; missingHandlers?: readonly string[]; now: number | null },
): Promise<MissedRuns> {
  const options = { olderThanMs, missingHandlers: arrayOf(missingHandlers), now };
  const [missed] = await inFireTransaction(pool, (tx) => selectMissed(tx, options));
  return missed as MissedRuns;
}

/**
 * A handler is missing if a due row needs it and no live worker has it. The search reads only this many of the oldest
 * due rows of `agenda`, and as many of `runs`, so that it stays quick.
 */
const MAX_DUE_ROWS = 10_000;

const selectMissingHandlers = statement<{ now: number | null }, { handler: string }>(
  'read-missing-handlers',
  `with live as materialized (
     select handlers from carillon.workers where stopped_at is null and alive_until > ${NOW}
   ), due as (
     (select handler from carillon.agenda where not is_held and due_at <= ${NOW} order by due_at limit ${MAX_DUE_ROWS})
     union all
     (select handler from carillon.runs where next_attempt_at <= ${NOW} order by next_attempt_at limit ${MAX_DUE_ROWS})
   )
   select distinct handler from due
   where handler is not null and not exists (select from live where due.handler = any(live.handlers)) order by handler`,
);

/** The handlers that due runs wait for, and that no live worker has. */
export async function readMissingHandlers(pool: Pool): Promise<string[]> {
  const rows = await inFireTransaction(pool, (tx) => selectMissingHandlers(tx, { now: null }));
  return rows.map(({ handler }) => handler);
}

/** Records that a sweep has been made. */
export const recordSweep = statement<{ now: number | null }>(
  'record-sweep',
  `update carillon.installation set swept_at = ${NOW}`,
);
