import type { RunOrigin } from '@carillon/shared';
import type { Pool } from 'pg';
import { fromMs, nowOr, numberArray, textArray } from '../sql-text.js';

/** How an attempt ended, and what becomes of its run. */
export interface ClosedRun {
  scheduleId: number;
  occurrenceAt: number;
  origin: RunOrigin;
  epoch: number;
  status: 'succeeded' | 'failed' | 'retrying';
  outcome: 'succeeded' | 'failed' | 'handed_back';
  durationMs: number;
  httpStatus: number | null;
  errorCode: string | null;
  error: string | null;
  response: string | null;
  externalId: string | null;
  /** How long until the next attempt, where there is to be one. */
  retryInMs: number | null;
}

/**
 * Guarded by the epoch: a run that was rescued meanwhile belongs to somebody else, and is not touched. The `+ 0` keeps
 * Postgres from looking runs up by epoch, which would read the whole batch anew for each of its rows.
 */
const CLOSE_RUNS = `
  with clock as (select ${nowOr('$1')} as now),
  input as (
    select * from unnest($2::bigint[], $3::bigint[], $4::run_origin[], $5::bigint[], $6::run_status[], $7::attempt_outcome[],
                         $8::int[], $9::int[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[])
      as input(schedule_id, occurrence_at, origin, epoch, status, outcome, duration_ms, http_status, error_code, error,
               response, external_id, retry_in_ms)
  ), closed as (
    update runs r
    set status = input.status, outcome = input.outcome, finished_at = clock.now, duration_ms = input.duration_ms,
        http_status = input.http_status, error_code = input.error_code, error = input.error, response = input.response,
        external_id = input.external_id,
        next_attempt_at = clock.now + input.retry_in_ms * interval '1 millisecond',
        open = case when input.status = 'retrying' then true end,
        failed_at = case when input.status = 'failed' then clock.now end,
        free_attempts = r.free_attempts + (input.outcome = 'handed_back')::int
    from input, clock
    where r.schedule_id = input.schedule_id and r.occurrence_at = ${fromMs('input.occurrence_at')} and r.origin = input.origin
      and r.epoch + 0 = input.epoch and r.status = 'running'
    returning 1
  ), released as (
    delete from leases where epoch = any($15::bigint[])
  )
  select count(*)::int as closed from closed`;

/** Closes a batch of attempts and gives up the leases that are done; answers how many runs were still ours. */
export async function closeRuns(
  pool: Pool,
  closed: readonly ClosedRun[],
  { doneEpochs, now }: { doneEpochs: readonly number[]; now: number | null },
): Promise<number> {
  const { rows } = await pool.query<{ closed: number }>({
    name: 'close-runs',
    text: CLOSE_RUNS,
    values: [
      now,
      numberArray(closed.map((run) => run.scheduleId)),
      numberArray(closed.map((run) => run.occurrenceAt)),
      textArray(closed.map((run) => run.origin)),
      numberArray(closed.map((run) => run.epoch)),
      textArray(closed.map((run) => run.status)),
      textArray(closed.map((run) => run.outcome)),
      numberArray(closed.map((run) => run.durationMs)),
      numberArray(closed.map((run) => run.httpStatus)),
      textArray(closed.map((run) => run.errorCode)),
      textArray(closed.map((run) => run.error)),
      textArray(closed.map((run) => run.response)),
      textArray(closed.map((run) => run.externalId)),
      numberArray(closed.map((run) => run.retryInMs)),
      numberArray(doneEpochs),
    ],
  });
  return rows[0]?.closed ?? 0;
}
