import type { AttemptView, RecentRun, RunView } from '@carillon/db';
import {
  type Attempt,
  attemptKey,
  encodeRunId,
  type RecentRun as RecentRunAnswer,
  type Run,
  readHandlerResult,
} from '@carillon/shared';
import type { z } from 'zod';
import { iso } from './iso.js';

/**
 * The time of the next attempt. Null if no attempt follows, or if its time is not known yet because a pause of the
 * schedule holds the run or because the run waits for the previous run to end.
 */
export const nextAttemptOf = ({ nextAttemptAt }: Pick<RunView, 'nextAttemptAt'>): number | null =>
  nextAttemptAt === Number.POSITIVE_INFINITY ? null : nextAttemptAt;

/** A run as the API shows it. */
export function presentRun(run: RunView): z.infer<typeof Run> {
  return {
    id: encodeRunId(run),
    scheduleId: run.scheduleKey,
    status: run.status,
    origin: run.origin,
    occurrenceAt: iso(run.occurrenceAt),
    dueAt: iso(run.dueAt),
    enqueuedAt: iso(run.recordedAt),
    claimedAt: iso(run.claimedAt),
    claimedBy: run.workerId,
    finishedAt: iso(run.finishedAt),
    durationMs: run.durationMs,
    latenessMs: latenessOf(run),
    scheduleVersion: run.version,
    attemptCount: run.attempt,
    nextRetryAt: iso(nextAttemptOf(run)),
    lastError: run.error,
    externalId: run.externalId,
    reasonCode: run.reasonCode,
    reason: run.reason,
    progress: run.progress,
    replays: run.replays,
  };
}

/** The lateness is stored when the first attempt ends. Until then, it is estimated from the time of the claim. */
function latenessOf({ latenessMs, status, attempt, claimedAt, dueAt }: RunView): number | null {
  if (latenessMs !== null || status !== 'running' || attempt !== 1 || claimedAt === null) return latenessMs;
  return claimedAt - dueAt;
}

export function presentAttempt(run: RunView, attempt: AttemptView): z.infer<typeof Attempt> {
  const result = readHandlerResult({ handler: run.handler, response: attempt.response });
  return {
    number: attempt.number,
    key: attemptKey(encodeRunId(run), attempt.number, attempt.epoch),
    startedAt: iso(attempt.claimedAt),
    finishedAt: iso(attempt.finishedAt),
    outcome: attempt.outcome ?? 'open',
    httpStatus: attempt.httpStatus,
    durationMs: attempt.durationMs,
    errorCode: attempt.errorCode,
    error: attempt.error,
    response: result === null ? attempt.response : null,
    result: result && 'value' in result ? result.value : null,
    resultError: result && 'error' in result ? result.error : null,
    externalId: attempt.externalId,
    workerId: attempt.workerId,
  };
}

export const presentRecentRun = (run: RecentRun): z.infer<typeof RecentRunAnswer> => ({
  runId: encodeRunId(run),
  at: iso(run.occurrenceAt),
  origin: run.origin,
  status: run.status,
  reasonCode: run.reasonCode,
});
