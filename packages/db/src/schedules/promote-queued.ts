import { concurrentRuns } from '@carillon/shared';
import type { Pool } from 'pg';
import { inFireTransaction, type Transaction } from '../database.js';
import { countOpenRuns } from '../engine/admit-runs.js';
import { instant } from '../instants.js';
import { isSameRun, release } from '../runs/run-transitions.js';
import { batch, statement, type Values } from '../statement.js';
import {
  type LockedSchedule,
  lockFreeSchedules,
  lockSchedule,
  UnreadableSchedule,
} from './locked-schedule.js';

/** Maximum number of schedules in one transaction, which keeps their locks until it ends. */
const MAX_BATCH_SIZE = 500;

/**
 * Lets as many queued runs of these schedules start as the policies of each schedule allow; returns how many. Called
 * when runs have ended.
 *
 * One transaction locks many schedules, and skips those that another transaction has locked. Each skipped schedule is
 * then promoted in a transaction of its own, which waits for the lock. A schedule whose definition can't be read is
 * left out, so that the other schedules are still promoted.
 */
export async function promoteQueued(
  pool: Pool,
  scheduleIds: readonly number[],
  now: number | null,
): Promise<number> {
  let promoted = 0;
  for (let from = 0; from < scheduleIds.length; from += MAX_BATCH_SIZE) {
    const ids = scheduleIds.slice(from, from + MAX_BATCH_SIZE);
    const locked = await inFireTransaction(pool, async (tx) => {
      const schedules = await lockFreeSchedules(tx, { ids }, now);
      promoted += await promoteLocked(tx, schedules.filter(mayPromote));
      return new Set(schedules.map(({ id }) => id));
    });
    for (const id of ids) if (!locked.has(id)) promoted += await promoteOne(pool, id, now);
  }
  return promoted;
}

const mayPromote = ({ status }: LockedSchedule) => status !== 'paused';

async function promoteOne(pool: Pool, id: number, now: number | null): Promise<number> {
  try {
    return await inFireTransaction(pool, async (tx) => {
      const schedule = await lockSchedule(tx, { id }, now);
      return schedule && mayPromote(schedule) ? promoteLocked(tx, [schedule]) : 0;
    });
  } catch (error) {
    if (error instanceof UnreadableSchedule) return 0;
    throw error;
  }
}

const queues = batch<{ scheduleId: number; room: number }>('queue', { scheduleId: 'bigint', room: 'int' });

/**
 * SQL: true if a cancel of the schedule was requested by SQL and no worker has carried it out yet. The schedule keeps
 * its status until then, and must start nothing more.
 */
export const isCancelRequested = (scheduleId: string) => `exists (
     select from carillon.schedules s join carillon.sql_requests request
       on request.project_id = s.project_id and request.key = s.key and request.action = 'cancel'
     where s.id = ${scheduleId})`;

const releaseFirst = statement<Values, object>(
  'release-first-queued',
  `update carillon.runs r set ${release(instant(':now'))}
   from ${queues.source}, lateral (
     select schedule_id, occurrence_at, origin, month from carillon.runs
     where schedule_id = queue.schedule_id and next_attempt_at is not null and status = 'queued' and next_attempt_at = 'infinity'
     order by recorded_at, occurrence_at limit queue.room
   ) as first
   where ${isSameRun('r', 'first')} and not ${isCancelRequested('queue.schedule_id')}
   returning 1`,
);

/**
 * Lets queued runs of these schedules start, as far as the policies allow; returns how many. The caller has locked the
 * schedules, and all of them have the same `nowAt`.
 */
export async function promoteLocked(
  tx: Transaction,
  schedules: readonly Pick<LockedSchedule, 'id' | 'plan' | 'nowAt'>[],
): Promise<number> {
  const [first] = schedules;
  if (!first) return 0;
  const open = await countOpenRuns(
    tx,
    schedules.map(({ id }) => id),
  );
  const withRoom = schedules.flatMap(({ id, plan }) => {
    const { queued, started } = open.get(id) ?? { queued: 0, started: 0 };
    const room = Math.min(queued, concurrentRuns(plan) - started);
    return room > 0 ? [{ scheduleId: id, room }] : [];
  });
  if (withRoom.length === 0) return 0;
  return (await releaseFirst(tx, { now: first.nowAt, ...queues.of(withRoom) })).length;
}
