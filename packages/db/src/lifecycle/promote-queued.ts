import { concurrentRuns } from '@carillon/shared';
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.js';
import { countOpenRuns } from '../queries/open-runs.js';
import { fromMs } from '../sql-text.js';
import { type LockedSchedule, lockSchedule } from './locked-schedule.js';

/** A run of the schedule has ended: lets as many of those that are queued begin as there is room for. */
export async function promoteQueued(pool: Pool, scheduleId: number, now: number | null): Promise<number> {
  return inTransaction(pool, async (tx) => {
    const schedule = await lockSchedule(tx, { id: scheduleId }, now);
    return schedule && schedule.status !== 'paused' ? promoteLocked(tx, schedule) : 0;
  });
}

export async function promoteLocked(tx: Transaction, schedule: LockedSchedule): Promise<number> {
  const open = await countOpenRuns(tx, schedule.id);
  const room = Math.min(open.queued, concurrentRuns(schedule.plan) - open.started);
  if (room <= 0) return 0;
  const { rowCount } = await tx.query(
    `update runs r set next_attempt_at = ${fromMs('$2::bigint')}
     from (
       select occurrence_at, origin from runs
       where schedule_id = $1 and open and status = 'queued' and next_attempt_at is null
       order by enqueued_at, occurrence_at limit $3
     ) as first
     where r.schedule_id = $1 and r.occurrence_at = first.occurrence_at and r.origin = first.origin`,
    [schedule.id, schedule.nowAt, room],
  );
  return rowCount ?? 0;
}
