import { type RunIdentity, type RunOrigin, USUAL_PLAN } from '@carillon/shared';
import type { Pool } from 'pg';
import { nowOr, numberArray, toMs } from '../sql-text.js';

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
    text: `update leases set expires_at = ${nowOr('$1')} + $2 * interval '1 millisecond'
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
    text: `select schedule_id, ${toMs('occurrence_at')} as occurrence_at, origin
           from runs where epoch = any($1::bigint[]) and status = 'cancelled'`,
    values: [numberArray(epochs)],
  });
  return rows.map((row) => ({
    scheduleId: row.schedule_id,
    occurrenceAt: row.occurrence_at,
    origin: row.origin,
  }));
}

/**
 * Takes the runs of expired leases back: nobody knows how their attempt ended, so it closes as `unknown`, and the run is
 * tried again at once if it has attempts left. Deleting the lease first is what makes one rescuer of many the only one.
 */
const RESCUE_RUNS = `
  with clock as (select ${nowOr('$1')} as now),
  expired as (
    delete from leases where epoch in (
      select epoch from leases where expires_at < ${nowOr('$1')} order by epoch limit 1000 for update skip locked
    ) returning epoch
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
  returning r.schedule_id, ${toMs('r.occurrence_at')} as occurrence_at, r.origin, r.status = 'failed' as failed`;

export interface RescuedRun extends RunIdentity {
  failed: boolean;
}

export async function rescueRuns(pool: Pool, now: number | null): Promise<RescuedRun[]> {
  const { rows } = await pool.query<{
    schedule_id: number;
    occurrence_at: number;
    origin: RunOrigin;
    failed: boolean;
  }>({
    name: 'rescue-runs',
    text: RESCUE_RUNS,
    values: [now],
  });
  return rows.map((row) => ({
    scheduleId: row.schedule_id,
    occurrenceAt: row.occurrence_at,
    origin: row.origin,
    failed: row.failed,
  }));
}
