import type { Pool } from 'pg';
import { inFireTransaction } from '../database.js';
import { instant, milliseconds, NOW } from '../instants.js';
import { arrayOf, statement } from '../statement.js';

const HORIZON = (column: string) =>
  `${column} > ${NOW} and ${column} <= ${NOW} + ${milliseconds(':horizonMs::float8')}`;

/**
 * The ends of the slots (steps of `slotMs`) within the horizon in which anything is due: schedules, waiting runs, and
 * pauses that end. An instant belongs to the slot that ends at or after it.
 */
const selectSlots = statement<
  { horizonMs: number; slotMs: number; now: number | null },
  { ringAt: number; nowAt: number }
>(
  'read-slots',
  `with timed as (
     select due_at as at from carillon.agenda where not is_held and ${HORIZON('due_at')}
     union all
     select next_attempt_at from carillon.runs where ${HORIZON('next_attempt_at')}
     union all
     select paused_until from carillon.stopped_schedules where ${HORIZON('paused_until')}
   )
   select distinct (ceil(extract(epoch from at) * 1000 / :slotMs::int) * :slotMs::int)::bigint as "ringAt", ${NOW} as "nowAt"
   from timed`,
);

/**
 * Returns the end times of the slots in which something is due. At the end of a slot, the bell of the slot (a delayed
 * job in Redis) wakes a worker.
 */
export async function readSlots(
  pool: Pool,
  options: { horizonMs: number; slotMs: number; now: number | null },
): Promise<{ ringAts: number[]; nowAt: number }> {
  const rows = await inFireTransaction(pool, (tx) => selectSlots(tx, options));
  return { ringAts: rows.map(({ ringAt }) => ringAt), nowAt: rows[0]?.nowAt ?? 0 };
}

const IN_SLOT = (column: string) => `${column} > slot.from_at and ${column} <= slot.to_at`;

const selectUnchanged = statement<
  { ringAts: string; slotMs: number; unchangedForMs: number; now: number | null },
  { ringAt: number }
>(
  'read-unchanged-slots',
  `select slot.ring_at as "ringAt"
   from (
     select ring_at, ${instant('ring_at - :slotMs::int')} as from_at, ${instant('ring_at')} as to_at
     from unnest(:ringAts::bigint[]) as ring_at
   ) as slot
   where greatest(
       (select max(greatest(a.last_claimed_at, s.updated_at))
        from carillon.agenda a join carillon.schedules s on s.id = a.schedule_id
        where not a.is_held and ${IN_SLOT('a.due_at')}),
       (select max(happened_at) from carillon.runs where ${IN_SLOT('next_attempt_at')}),
       (select max(s.updated_at)
        from carillon.stopped_schedules stopped join carillon.schedules s on s.id = stopped.schedule_id
        where ${IN_SLOT('stopped.paused_until')})
     ) < ${NOW} - ${milliseconds(':unchangedForMs::float8')}`,
);

/**
 * Returns the slots (of those that end at `ringAts`) in which something is due, but no due row has changed for
 * `unchangedForMs`. If a row has just changed, the process that changed it may not have added the bell to Redis yet.
 */
export async function readUnchangedSlots(
  pool: Pool,
  {
    ringAts,
    ...rest
  }: { ringAts: readonly number[]; slotMs: number; unchangedForMs: number; now: number | null },
): Promise<number[]> {
  if (ringAts.length === 0) return [];
  const rows = await inFireTransaction(pool, (tx) =>
    selectUnchanged(tx, { ...rest, ringAts: arrayOf(ringAts) }),
  );
  return rows.map(({ ringAt }) => ringAt);
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
