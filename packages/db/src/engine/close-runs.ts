import { closingOf, type Outcome, type RunIdentity } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inFireTransaction } from '../database.js';
import { NOW } from '../instants.js';
import { type Closing, close, closings, groupClosings, sharedBy } from '../runs/run-transitions.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';
import type { ClaimedRun } from './claim.js';
import { type Holder, isHeldBy } from './fencing.js';

/** A message that is posted to a URL after a run has ended. */
export interface Receipt {
  url: string;
  body: string;
}

/** The end of an attempt, as the worker reports it. */
export interface ClosedRun extends Closing {
  projectId: number;
  /** The statement that ends the run stores the receipt. A worker sends it afterwards. */
  receipt?: Receipt | null;
}

/**
 * Deferred runs are due again at shared instants that are this far apart. If each run had its own instant, a worker
 * would have to be woken for each run, and would claim it alone.
 */
const SHARED_INSTANT_MS = 250;

export interface AttemptEnd {
  /** The time by Postgres's clock. */
  nowAt: number;
  durationMs: number;
  /** The time from when the run was due to the first byte of this attempt; null if nothing was sent. */
  latenessMs: number | null;
  /** A random number in [0, 1), for the jitter of the retry delay. */
  random: number;
  /** Makes the receipt of a run that ends with this status; null if the run needs none. */
  receiptOf: (status: ClosedRun['status']) => Receipt | null;
}

/** Turns the outcome of an attempt into the row that closes it. */
export function toClosedRun(run: ClaimedRun, outcome: Outcome, end: AttemptEnd): ClosedRun {
  const { status, retryInMs } = closingOf(outcome, {
    retry: run.plan.retry,
    attempt: run.attempt - run.freeAttempts,
    random: end.random,
  });
  const answer = outcome.kind === 'succeeded' || outcome.kind === 'failed' ? outcome.answer : undefined;
  const isDeferred = outcome.kind === 'deferred';
  return {
    scheduleId: run.scheduleId,
    occurrenceAt: run.occurrenceAt,
    origin: run.origin,
    month: run.month,
    epoch: run.epoch,
    projectId: run.projectId,
    status,
    outcome: isDeferred ? null : outcome.kind,
    durationMs: Math.round(end.durationMs),
    httpStatus: answer?.httpStatus ?? null,
    ...reasonOf(outcome),
    response: answer?.response ?? null,
    externalId: answer?.externalId ?? null,
    // Lateness is recorded once per run, for its first attempt.
    latenessMs: isDeferred || run.hasBegun || end.latenessMs === null ? null : Math.round(end.latenessMs),
    retryInMs: isDeferred ? toSharedInstant(outcome.retryInMs, end.nowAt) : retryInMs,
    receipt: end.receiptOf(status),
  };
}

function toSharedInstant(retryInMs: number, nowAt: number): number {
  return Math.round(Math.ceil((nowAt + retryInMs) / SHARED_INSTANT_MS) * SHARED_INSTANT_MS - nowAt);
}

const NO_ERROR = { errorCode: null, error: null };

function reasonOf(outcome: Outcome): Pick<ClosedRun, 'errorCode' | 'error'> {
  if (outcome.kind === 'failed') return { errorCode: outcome.errorCode, error: outcome.error };
  if (outcome.kind === 'deferred') return { errorCode: outcome.reasonCode, error: outcome.reason };
  return NO_ERROR;
}

export interface CloseOptions extends Holder {
  now: number | null;
}

/**
 * Closes the latest attempt of each run. Returns the runs that this call has closed, and the runs that an earlier call
 * for the same attempts has closed. So a caller may repeat the call after an error.
 *
 * A run is neither closed nor returned in three cases: it was cancelled meanwhile, a report of its job has ended it, or
 * a sweep has rescued it (taken it back because its lease had expired).
 *
 * One statement closes runs of one partition and one origin (rule, trigger or backfill) that get the same status and
 * outcome. Nearly every batch needs a single statement.
 */
export async function closeRuns<Run extends ClosedRun>(
  pool: Pool,
  runs: readonly Run[],
  options: CloseOptions,
): Promise<readonly Run[]> {
  const kept: Run[] = [];
  for (const group of groupClosings(runs))
    kept.push(...(await inFireTransaction(pool, (tx) => closeAll(tx, group, options))));
  return kept;
}

async function closeAll<Run extends ClosedRun>(
  db: Database,
  runs: readonly Run[],
  { now, workerId, token, generation }: CloseOptions,
): Promise<readonly Run[]> {
  // Every batch locks in the order of keys, so two batches can't deadlock.
  const sorted = runs.toSorted((a, b) => a.scheduleId - b.scheduleId || a.occurrenceAt - b.occurrenceAt);
  const noted = runs.flatMap((run) => (run.receipt ? [{ ...run, ...run.receipt }] : []));
  const isDeferral = runs[0]?.outcome === null;
  const closeThem = isDeferral ? deferGroup : noted.length > 0 ? closeGroupWithReceipts : closeGroup;
  const attempts = { ...sharedBy(runs), ...closings.of(sorted) };
  const [result] = await closeThem(db, {
    now,
    workerId,
    token,
    generation,
    epochs: arrayOf([...new Set(runs.map(({ epoch }) => epoch))]),
    ...attempts,
    ...(noted.length > 0 ? receipts.of(noted) : {}),
  });
  if (result?.closed === runs.length) return runs;
  // The statement above has not closed all runs. This one finds those that an earlier call has closed. Its snapshot is
  // newer, so it sees the changes of transactions for whose locks the first statement has waited.
  const names = new Set((await selectClosed(db, attempts)).map(nameOf));
  return runs.filter((run) => names.has(nameOf(run)));
}

const nameOf = ({ scheduleId, occurrenceAt }: Pick<RunIdentity, 'scheduleId' | 'occurrenceAt'>) =>
  `${scheduleId} ${occurrenceAt}`;

interface ReceiptRow extends Receipt {
  projectId: number;
  scheduleId: number;
  occurrenceAt: number;
}

const receipts = batch<ReceiptRow>('receipt', {
  projectId: 'bigint',
  scheduleId: 'bigint',
  occurrenceAt: 'instant',
  url: 'text',
  body: 'text',
});

/**
 * Closes attempts in one statement. Three guards refuse a worker that reports too late: the lease must still exist with
 * this worker's token and generation, the run must still have the epoch (the number) of that lease, and the run must
 * still be running.
 *
 * A lease counts its open runs and is deleted when the last of them is closed. A run that was cancelled meanwhile is
 * not closed here, so its lease stays until it expires. A lease that stays too long is harmless. A lease that is
 * deleted too early leaves a run that no sweep rescues.
 */
const closeText = ({ withReceipts = false, isDeferral = false } = {}) => `
  with clock as materialized (select ${NOW} as now),
  held as materialized (
    -- Locks leases before runs, as a rescue does. In another order the two could deadlock.
    select l.epoch, l.open_runs from carillon.leases l where l.epoch = any(:epochs::bigint[]) and ${isHeldBy('l')}
    order by l.epoch for no key update
  ), closed as (
    ${close('(select now from clock)')} and closing.epoch in (select epoch from held)
    returning r.schedule_id, r.occurrence_at, r.epoch${isDeferral ? DEFERRED_COLUMNS : ''}
  ), counted as (
    select epoch, count(*) as runs from closed group by epoch
  ), released as (
    delete from carillon.leases l using counted, held
    where l.epoch = counted.epoch and held.epoch = counted.epoch and held.open_runs = counted.runs
  ), reduced as (
    update carillon.leases l set open_runs = l.open_runs - counted.runs from counted, held
    where l.epoch = counted.epoch and held.epoch = counted.epoch and held.open_runs > counted.runs
  )${withReceipts ? `, received as (${RECEIVED})` : ''}${isDeferral ? `, deferred as (${DEFERRED})` : ''}
  select count(*) as closed from closed`;

/** Stores receipts only for the runs that this statement has closed. */
const RECEIVED = `
    insert into carillon.receipts (project_id, schedule_id, url, body, next_try_at)
    select receipt.project_id, receipt.schedule_id, receipt.url, receipt.body, (select now from clock)
    from ${receipts.source} join closed
      on closed.schedule_id = receipt.schedule_id and closed.occurrence_at = receipt.occurrence_at`;

const DEFERRED_COLUMNS =
  ', r.origin, r.attempt, r.project_id, r.claimed_at, r.reason_code, r.reason, r.next_attempt_at';

/**
 * Records why and for how long the runs wait. A deferred attempt does not count, so the close has already subtracted it
 * from `attempt`. Its number is therefore `attempt + 1`. All deferrals before the same attempt and for the same reason
 * share one row. The wait begins with the claim, because the time before the first claim is a wait in the queue.
 */
const DEFERRED = `
    insert into carillon.deferrals as d (schedule_id, occurrence_at, origin, attempt, reason_code, project_id, reason, from_at, until_at)
    select schedule_id, occurrence_at, origin, attempt + 1, reason_code, project_id, reason, claimed_at, next_attempt_at
    from closed
    on conflict (schedule_id, occurrence_at, origin, attempt, reason_code)
    do update set reason = excluded.reason, until_at = excluded.until_at, count = d.count + 1`;

type Result = { closed: number };

const closeGroup = statement<Values, Result>('close-runs', closeText());
const closeGroupWithReceipts = statement<Values, Result>(
  'close-runs-with-receipts',
  closeText({ withReceipts: true }),
);
const deferGroup = statement<Values, Result>('defer-runs', closeText({ isDeferral: true }));

/**
 * Finds the runs that these attempts have closed, now or in an earlier call. If the answer to a commit was lost, the
 * worker closes the runs a second time and finds them closed. Only the close of this attempt stores the epoch, the
 * result and the duration of the attempt together: a report and a cancel store no duration, and a rescue stores another
 * result.
 */
const selectClosed = statement<Values, Pick<RunIdentity, 'scheduleId' | 'occurrenceAt'>>(
  'read-closed-runs',
  `select r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt" from carillon.runs r, ${closings.source}
   where r.schedule_id = closing.schedule_id and r.occurrence_at = closing.occurrence_at and r.origin = :origin
     and r.month = :month and r.epoch = closing.epoch and r.status = :status::carillon.run_status
     and r.outcome is not distinct from :outcome::carillon.attempt_outcome and r.duration_ms = closing.duration_ms`,
);

/** Runs the statement on empty input, so that the connection plans it before the first close. */
export async function prepareClose(db: Database, { workerId, token, generation }: Holder): Promise<void> {
  const nothing = { epochs: '{}', ...closings.of([]) };
  await closeGroup(db, {
    now: null,
    workerId,
    token,
    generation,
    month: '2000-01-01',
    origin: 'rule',
    status: 'succeeded',
    outcome: 'succeeded',
    ...nothing,
  });
}
