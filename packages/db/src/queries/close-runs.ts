import type { RunOrigin } from '@carillon/shared';
import type { Pool } from 'pg';
import { found, fromMs, nowOr, numberArray, textArray } from '../sql-text.js';

/** What is posted to whom once a run has ended. */
export interface Receipt {
  url: string;
  body: string;
}

/** How an attempt ended, and what becomes of its run. */
export interface ClosedRun {
  scheduleId: number;
  occurrenceAt: number;
  origin: RunOrigin;
  epoch: number;
  status: 'succeeded' | 'failed' | 'retrying';
  /** Null where nothing was tried: the attempt is taken back, and what stands under `error` is why the run waits. */
  outcome: 'succeeded' | 'failed' | 'handed_back' | null;
  durationMs: number;
  httpStatus: number | null;
  errorCode: string | null;
  error: string | null;
  response: string | null;
  externalId: string | null;
  /** How long until the next attempt, where there is to be one. */
  retryInMs: number | null;
  /** Whom to tell that the run has ended. Kept with its end, sent after it. */
  receipt?: Receipt | null;
}

/**
 * Guarded by the epoch: a run that was rescued meanwhile belongs to somebody else, and is not touched. The `+ 0` keeps
 * Postgres from looking runs up by epoch, which would read the whole batch anew for each of its rows.
 */
const closeRunsText = ({ withReceipts }: { withReceipts: boolean }) => `
  with clock as (select ${nowOr('$1')} as now),
  input as (
    select * from unnest($2::bigint[], $3::bigint[], $4::run_origin[], $5::bigint[], $6::run_status[], $7::attempt_outcome[],
                         $8::int[], $9::int[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[])
      as input(schedule_id, occurrence_at, origin, epoch, status, outcome, duration_ms, http_status, error_code, error,
               response, external_id, retry_in_ms)
  ), closed as (
    update runs r
    set status = input.status, outcome = input.outcome, finished_at = (select now from clock), duration_ms = input.duration_ms,
        http_status = input.http_status, response = input.response, external_id = input.external_id,
        error_code = case when input.outcome is not null then input.error_code end,
        error = case when input.outcome is not null then input.error end,
        reason_code = case when input.outcome is null then input.error_code end,
        reason = case when input.outcome is null then input.error end,
        attempt = r.attempt - (input.outcome is null)::int,
        next_attempt_at = (select now from clock) + input.retry_in_ms * interval '1 millisecond',
        open = case when input.status = 'retrying' then true end,
        failed_at = case when input.status = 'failed' then (select now from clock) end,
        free_attempts = r.free_attempts + (input.outcome is not distinct from 'handed_back')::int
    from input
    where ${found('r.schedule_id', 'input.schedule_id')} and r.occurrence_at = ${fromMs('input.occurrence_at')} and r.origin = input.origin
      and r.epoch + 0 = input.epoch and r.status = 'running'
    returning ${withReceipts ? 'r.schedule_id, r.occurrence_at, r.origin, r.project_id' : '1'}
  ), ${withReceipts ? RECEIVED : ''} released as (
    delete from leases where epoch = any($15::bigint[])
  )
  select count(*)::int as closed from closed`;

/** Only a run that was still ours to close leaves a receipt. */
const RECEIVED = `
  received as (
    insert into receipts (project_id, schedule_id, url, body, next_try_at)
    select closed.project_id, closed.schedule_id, receipt.url, receipt.body, clock.now
    from unnest($16::bigint[], $17::bigint[], $18::run_origin[], $19::text[], $20::text[])
      as receipt(schedule_id, occurrence_at, origin, url, body), closed, clock
    where closed.schedule_id = receipt.schedule_id and closed.occurrence_at = ${fromMs('receipt.occurrence_at')}
      and closed.origin = receipt.origin
  ),`;

const CLOSE_RUNS = closeRunsText({ withReceipts: false });
const CLOSE_RUNS_WITH_RECEIPTS = closeRunsText({ withReceipts: true });

/** Closes a batch of attempts and gives up the leases that are done; answers how many runs were still ours. */
export async function closeRuns(
  pool: Pool,
  closed: readonly ClosedRun[],
  { doneEpochs, now }: { doneEpochs: readonly number[]; now: number | null },
): Promise<number> {
  const noted = closed.filter((run) => run.receipt);
  const { rows } = await pool.query<{ closed: number }>({
    name: noted.length > 0 ? 'close-runs-with-receipts' : 'close-runs',
    text: noted.length > 0 ? CLOSE_RUNS_WITH_RECEIPTS : CLOSE_RUNS,
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
      ...(noted.length > 0 ? receiptValues(noted) : []),
    ],
  });
  return rows[0]?.closed ?? 0;
}

function receiptValues(noted: readonly ClosedRun[]): string[] {
  return [
    numberArray(noted.map((run) => run.scheduleId)),
    numberArray(noted.map((run) => run.occurrenceAt)),
    textArray(noted.map((run) => run.origin)),
    textArray(noted.map((run) => run.receipt?.url ?? null)),
    textArray(noted.map((run) => run.receipt?.body ?? null)),
  ];
}
