import { type RunIdentity, type RunOrigin, USUAL_PLAN } from '@carillon/shared';
import type { Pool } from 'pg';
import { inTransaction } from '../database.js';
import { nowOr, numberArray, toMs } from '../sql-text.js';
import { writeDown } from './write-down.js';

/** Extends a worker's leases, all in one statement; answers with the epochs that it still holds. */
export async function extendLeases(
  pool: Pool,
  {
    workerId,
    epochs,
    leaseMs,
    now,
  }: { workerId: number; epochs: readonly number[]; leaseMs: number; now: number | null },
): Promise<number[]> {
  const { rows } = await pool.query<{ epoch: number }>({
    name: 'extend-leases',
    text: `update leases set held_until = ${nowOr('$1')} + $2 * interval '1 millisecond'
           where worker_id = $3 and epoch = any($4::bigint[])
           returning epoch`,
    values: [now, leaseMs, workerId, numberArray(epochs)],
  });
  return rows.map((row) => row.epoch);
}

/** Of the runs under these epochs, those that somebody cancelled while they were in flight. */
export async function findCancelled(pool: Pool, epochs: readonly number[]): Promise<RunIdentity[]> {
  const { rows } = await pool.query<{ schedule_id: number; occurrence_at: number; origin: RunOrigin }>({
    name: 'find-cancelled',
    text: `select r.schedule_id, ${toMs('r.occurrence_at')} as occurrence_at, r.origin
           from leased_runs l cross join lateral (
             select * from runs
             where schedule_id = l.schedule_id and occurrence_at = l.occurrence_at and origin = l.origin
             limit 1 -- One at a time: this can only be looked up, whatever a plan thinks of the tables.
           ) as r
           where l.epoch = any($1::bigint[]) and r.epoch = l.epoch and r.status = 'cancelled'`,
    values: [numberArray(epochs)],
  });
  return rows.map((row) => ({
    scheduleId: row.schedule_id,
    occurrenceAt: row.occurrence_at,
    origin: row.origin,
  }));
}

const RESCUE_RUNS = `
  with clock as (select ${nowOr('$1')} as now),
  expired as (
    delete from leases where epoch = any($2::bigint[]) returning epoch
  ), lost as (
    select r.schedule_id, r.occurrence_at, r.origin, r.epoch,
           r.attempt - r.free_attempts >= coalesce((v.plan::json -> 'retry' ->> 'maxAttempts')::int, ${USUAL_PLAN.retry.maxAttempts}) as is_last
    from expired
    join runs r on r.epoch = expired.epoch and r.status = 'running'
    join schedule_versions v on v.schedule_id = r.schedule_id and v.version = r.version
  )
  update runs r
  set status = (case when lost.is_last then 'failed' else 'retrying' end)::run_status,
      outcome = 'unknown', finished_at = clock.now, error_code = 'worker_lost',
      error = 'the worker was lost before it could say how the attempt ended',
      next_attempt_at = case when lost.is_last then null else clock.now end,
      open = case when lost.is_last then null else true end,
      failed_at = case when lost.is_last then clock.now end
  from lost, clock
  where r.schedule_id = lost.schedule_id and r.occurrence_at = lost.occurrence_at and r.origin = lost.origin
    and r.epoch + 0 = lost.epoch and r.status = 'running'
  returning r.schedule_id as "scheduleId", ${toMs('r.occurrence_at')} as "occurrenceAt", r.origin, r.status = 'failed' as failed`;

export interface RescuedRun extends RunIdentity {
  failed: boolean;
}

/**
 * Takes the runs of expired leases back: nobody knows how their attempt ended, so it closes as `unknown`, and the run is
 * tried again at once if it has attempts left. Whoever locks the lease is the only rescuer, and its holder, should it live,
 * can write nothing about its runs any more.
 */
export function rescueRuns(pool: Pool, now: number | null): Promise<RescuedRun[]> {
  return inTransaction(pool, async (tx) => {
    const { rows: expired } = await tx.query<{ epoch: number }>({
      name: 'lock-expired-leases',
      text: `select epoch from leases where coalesce(held_until, expires_at) < ${nowOr('$1')}
             order by epoch limit 1000 for update skip locked`,
      values: [now],
    });
    if (expired.length === 0) return [];
    const epochs = expired.map(({ epoch }) => epoch);
    await writeDown(tx, { epochs });
    const { rows } = await tx.query<RescuedRun>({
      name: 'rescue-runs',
      text: RESCUE_RUNS,
      values: [now, numberArray(epochs)],
    });
    return rows;
  });
}
