import { closingOf, type Outcome } from '@carillon/shared';
import type { ClaimedRun } from './claim.js';
import type { ClosedRun, Receipt } from './close-runs.js';

/**
 * Deferred runs are due again at shared instants that are this far apart. If each run had its own instant, each would
 * need its own bell and claim.
 */
const SHARED_INSTANT_MS = 250;

export interface AttemptEnd {
  /** The time by Postgres's clock. */
  nowAt: number;
  durationMs: number;
  /** The time from when the run was due to the first byte of this attempt; null if nothing was sent. */
  latenessMs: number | null;
  /** In [0, 1), for the jitter of the retry delay. */
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
