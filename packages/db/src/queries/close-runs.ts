import type { RunOrigin } from '@carillon/shared';
import type { Database } from '../database.js';
import { fromMs, nowOr, numberArray, textArray } from '../sql-text.js';

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
  projectId: number;
  version: number;
  dueAt: number;
  /** Whether it has its row since it was claimed. */
  isWritten: boolean;
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
 * Writes down how runs ended. Nearly all have no row until now. One that has (it was tried before, others had to find it, it was
 * cancelled) is changed, if it is still under way under this epoch: being ready for that costs two searches and a record of
 * the log more for each run, so it is not the usual way.
 *
 * Guarded by the epoch: a lease that is gone was rescued, and its runs are somebody else's. Who rescues deletes it, and waits for
 * whoever holds it here.
 */
const closeRunsText = ({ mayExist, withReceipts }: { mayExist: boolean; withReceipts: boolean }) => `
  with clock as (select ${nowOr('$1')} as now),
  input as (
    select * from unnest($2::bigint[], $3::bigint[], $4::run_origin[], $5::bigint[], $6::run_status[], $7::attempt_outcome[],
                         $8::int[], $9::int[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[],
                         $15::bigint[], $16::int[], $17::bigint[])
      as input(schedule_id, occurrence_at, origin, epoch, status, outcome, duration_ms, http_status, error_code, error,
               response, external_id, retry_in_ms, project_id, version, due_at)
  ), released as (
    delete from leases where epoch = any($18::bigint[]) returning epoch, worker_id, claimed_at
  ), kept as (
    select epoch, worker_id, claimed_at from leases where epoch = any($19::bigint[]) for key share
  ), held as (
    select * from released union all select * from kept
  ), closed as (
    insert into runs (schedule_id, occurrence_at, origin, project_id, version, status, due_at, enqueued_at, epoch, worker_id,
                      claimed_at, finished_at, outcome, duration_ms, http_status, response, external_id, error_code, error,
                      reason_code, reason, attempt, free_attempts, next_attempt_at, open, failed_at)
    select input.schedule_id, ${fromMs('input.occurrence_at')}, coalesce(input.origin, 'rule'), input.project_id, input.version,
           input.status, ${fromMs('input.due_at')}, held.claimed_at, input.epoch, held.worker_id, held.claimed_at,
           (select now from clock), input.outcome, input.duration_ms, input.http_status, input.response, input.external_id,
           case when input.outcome is not null then input.error_code end,
           case when input.outcome is not null then input.error end,
           case when input.outcome is null then input.error_code end,
           case when input.outcome is null then input.error end,
           (input.outcome is not null)::int, (input.outcome is not distinct from 'handed_back')::int,
           (select now from clock) + input.retry_in_ms * interval '1 millisecond',
           case when input.status = 'retrying' then true end,
           case when input.status = 'failed' then (select now from clock) end
    from input join held on held.epoch = input.epoch
    ${mayExist ? CLOSED_BEFORE : ''}
    returning ${withReceipts ? 'schedule_id, occurrence_at, origin, project_id' : '1'}
  )${withReceipts ? RECEIVED : ''}
  select count(*)::int as closed from closed`;

/** Counted on from what the row says: it may have been tried before. */
const CLOSED_BEFORE = `
    on conflict (schedule_id, occurrence_at, origin) do update
    set status = excluded.status, outcome = excluded.outcome, finished_at = excluded.finished_at,
        duration_ms = excluded.duration_ms, http_status = excluded.http_status, response = excluded.response,
        external_id = excluded.external_id, error_code = excluded.error_code, error = excluded.error,
        reason_code = excluded.reason_code, reason = excluded.reason, attempt = runs.attempt + excluded.attempt - 1,
        free_attempts = runs.free_attempts + excluded.free_attempts, next_attempt_at = excluded.next_attempt_at,
        open = excluded.open, failed_at = excluded.failed_at
    where runs.epoch = excluded.epoch and runs.status = 'running'`;

/** Only a run that was still ours to close leaves a receipt. */
const RECEIVED = `, received as (
    insert into receipts (project_id, schedule_id, url, body, next_try_at)
    select closed.project_id, closed.schedule_id, receipt.url, receipt.body, clock.now
    from unnest($20::bigint[], $21::bigint[], $22::run_origin[], $23::text[], $24::text[])
      as receipt(schedule_id, occurrence_at, origin, url, body), closed, clock
    where closed.schedule_id = receipt.schedule_id and closed.occurrence_at = ${fromMs('receipt.occurrence_at')}
      and closed.origin = receipt.origin
  )`;

export interface CloseOptions {
  /** The leases that are given up: nothing is left under them. */
  doneEpochs: readonly number[];
  now: number | null;
}

/** Closes a batch of attempts and gives up the leases that are done; answers how many runs were still ours. */
export async function closeRuns(
  db: Database,
  closed: readonly ClosedRun[],
  options: CloseOptions,
): Promise<number> {
  if (closed.some((run) => run.isWritten)) return close(db, closed, { ...options, mayExist: true });
  try {
    return await close(db, closed, { ...options, mayExist: false });
  } catch (error) {
    // Somebody has written one of them down meanwhile: it was cancelled, or told how far it has come.
    if (!isUniqueViolation(error)) throw error;
    return close(db, closed, { ...options, mayExist: true });
  }
}

const isUniqueViolation = (error: unknown) => (error as { code?: unknown }).code === '23505';

async function close(
  db: Database,
  closed: readonly ClosedRun[],
  { doneEpochs, now, mayExist }: CloseOptions & { mayExist: boolean },
): Promise<number> {
  const noted = closed.filter((run) => run.receipt);
  const withReceipts = noted.length > 0;
  const keptEpochs = new Set(closed.map((run) => run.epoch));
  for (const epoch of doneEpochs) keptEpochs.delete(epoch);
  const { rows } = await db.query<{ closed: number }>({
    name: `close-runs${mayExist ? '-that-may-exist' : ''}${withReceipts ? '-with-receipts' : ''}`,
    text: closeRunsText({ mayExist, withReceipts }),
    values: [
      now,
      numberArray(closed.map((run) => run.scheduleId)),
      numberArray(closed.map((run) => run.occurrenceAt)),
      textArray(closed.map((run) => (run.origin === 'rule' ? null : run.origin))),
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
      numberArray(closed.map((run) => run.projectId)),
      numberArray(closed.map((run) => run.version)),
      numberArray(closed.map((run) => run.dueAt)),
      numberArray(doneEpochs),
      numberArray([...keptEpochs]),
      ...(withReceipts ? receiptValues(noted) : []),
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
