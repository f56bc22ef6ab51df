import { concurrentRuns } from '@carillon/shared';
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.js';
import { countOpenRuns } from '../engine/admit-runs.js';
import { instant } from '../instants.js';
import { isSameRun, release } from '../runs/run-transitions.js';
import { statement } from '../statement.js';
import { type LockedSchedule, lockSchedule } from './locked-schedule.js';

/**
 * Lets as many queued runs of a schedule start as its policies allow; returns how many. Called when a run has ended.
 */
export async function promoteQueued(pool: Pool, scheduleId: number, now: number | null): Promise<number> {
  return inTransaction(pool, async (tx) => {
    const schedule = await lockSchedule(tx, { id: scheduleId }, now);
    return schedule && schedule.status !== 'paused' ? promoteLocked(tx, schedule) : 0;
  });
}

const releaseFirst = statement<{ id: number; now: number; room: number }, object>(
  'release-first-queued',
  `update carillon.runs r set ${release(instant(':now'))}
   from (
     select schedule_id, occurrence_at, origin, month from carillon.runs
     where schedule_id = :id and next_attempt_at is not null and status = 'queued' and next_attempt_at = 'infinity'
     order by recorded_at, occurrence_at limit :room
   ) as first
   where ${isSameRun('r', 'first')}
   returning 1`,
);

export async function promoteLocked(
  tx: Transaction,
  { id, plan, nowAt }: Pick<LockedSchedule, 'id' | 'plan' | 'nowAt'>,
): Promise<number> {
  const open = (await countOpenRuns(tx, [id])).get(id);
  if (!open) return 0;
  const room = Math.min(open.queued, concurrentRuns(plan) - open.started);
  if (room <= 0) return 0;
  return (await releaseFirst(tx, { id, now: nowAt, room })).length;
}
