import type { Database, Transaction } from '../database.js';
import { NOW } from '../instants.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';

/** The new state of a watch (the record of when to check the objectives of a schedule) after a check. */
export interface MovedWatch {
  scheduleId: number;
  judgedUntil: number;
  /** Infinity while there is nothing to check. */
  checkAt: number;
  hasOpenAlert: boolean;
}

const moves = batch<MovedWatch>('moved', {
  scheduleId: 'bigint',
  judgedUntil: 'instant',
  checkAt: 'float8',
  hasOpenAlert: 'boolean',
});

const move = statement<Values>(
  'move-watches',
  `update carillon.slo_watches w
   set judged_until = moved.judged_until, check_at = to_timestamp(moved.check_at / 1000), has_open_alert = moved.has_open_alert
   from ${moves.source} where w.schedule_id = moved.schedule_id`,
);

/** Sets when the objectives of schedules are checked next. The caller has locked the rows in `slo_watches`. */
export async function moveWatches(tx: Transaction, moved: readonly MovedWatch[]): Promise<void> {
  if (moved.length > 0) await move(tx, moves.of(moved));
}

const drop = statement<{ scheduleIds: string }>(
  'drop-watches',
  'delete from carillon.slo_watches where schedule_id = any(:scheduleIds::bigint[])',
);

/**
 * Deletes the watches (records of when to check the objectives) of schedules that no longer have objectives. The caller
 * has locked the rows.
 */
export async function dropWatches(tx: Transaction, scheduleIds: readonly number[]): Promise<void> {
  if (scheduleIds.length > 0) await drop(tx, { scheduleIds: arrayOf(scheduleIds) });
}

const bringForward = statement<
  { failedIds: string; endedIds: string; now: number | null },
  { scheduleId: number }
>(
  'bring-watches-forward',
  `with affected as (
     select w.schedule_id from carillon.slo_watches w
     where w.schedule_id = any(:failedIds::bigint[]) or (w.schedule_id = any(:endedIds::bigint[]) and w.has_open_alert)
     order by w.schedule_id for update
   )
   update carillon.slo_watches w set check_at = ${NOW} from affected
   where w.schedule_id = affected.schedule_id and w.check_at > ${NOW} returning w.schedule_id as "scheduleId"`,
);

/**
 * Requests that the objectives of schedules are checked now: of all schedules in `failed`, and of the schedules in
 * `ended` that have an open alert. Returns how many schedules will be checked.
 */
export async function bringWatchesForward(
  db: Database,
  { failed, ended, now }: { failed: Iterable<number>; ended: Iterable<number>; now: number | null },
): Promise<number> {
  const watches = await bringForward(db, {
    failedIds: arrayOf([...failed]),
    endedIds: arrayOf([...ended]),
    now,
  });
  return watches.length;
}

const judgeNext = statement<{ scheduleId: number }>(
  'judge-watch-next',
  `update carillon.slo_watches set check_at = '-infinity' where schedule_id = :scheduleId`,
);

/**
 * Makes the next sweep check the objectives of a schedule. Called when the next occurrence gets another due time,
 * because that changes the deadlines of the objectives.
 */
export async function judgeNextSweep(tx: Transaction, scheduleId: number): Promise<void> {
  await judgeNext(tx, { scheduleId });
}

const selectNext = statement<object, { checkAt: number | null }>(
  'read-next-watch',
  `select check_at as "checkAt" from carillon.slo_watches where check_at < 'infinity' order by check_at limit 1`,
);

/** The time of the earliest planned check of the objectives of any schedule; null if no check is planned. */
export async function readNextWatch(db: Database): Promise<number | null> {
  const [next] = await selectNext(db, {});
  return next?.checkAt ?? null;
}
