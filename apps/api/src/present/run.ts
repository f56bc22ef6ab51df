import type { AttemptView, RunView } from '@carillon/db';
import { type Attempt, attemptKey, encodeRunId, type Run } from '@carillon/shared';
import type { z } from 'zod';

const iso = (at: Date | null) => at?.toISOString() ?? null;

export function runIdOf(run: Pick<RunView, 'scheduleId' | 'occurrenceAt' | 'origin'>): string {
  return encodeRunId({
    scheduleId: run.scheduleId,
    occurrenceAt: run.occurrenceAt.getTime(),
    origin: run.origin,
  });
}

/** A run as the API shows it. */
export function presentRun(run: RunView): z.infer<typeof Run> {
  return {
    id: runIdOf(run),
    scheduleId: run.scheduleKey,
    status: run.status,
    origin: run.origin,
    occurrenceAt: run.occurrenceAt.toISOString(),
    dueAt: run.dueAt.toISOString(),
    enqueuedAt: run.enqueuedAt.toISOString(),
    claimedAt: iso(run.claimedAt),
    claimedBy: run.workerId,
    finishedAt: iso(run.finishedAt),
    durationMs: run.durationMs,
    latenessMs:
      run.claimedAt === null || run.attempt !== 1 ? null : run.claimedAt.getTime() - run.dueAt.getTime(),
    scheduleVersion: run.version,
    attemptCount: run.attempt,
    nextRetryAt: iso(run.nextAttemptAt),
    lastError: run.error,
    externalId: run.externalId,
    reasonCode: run.reasonCode,
    reason: run.reason,
    progress: run.progress,
    replays: run.replays,
  };
}

export function presentAttempt(run: RunView, attempt: AttemptView): z.infer<typeof Attempt> {
  return {
    number: attempt.number,
    key: attemptKey(runIdOf(run), attempt.number, attempt.epoch),
    startedAt: iso(attempt.claimedAt),
    finishedAt: iso(attempt.finishedAt),
    outcome: attempt.outcome ?? 'open',
    httpStatus: attempt.httpStatus,
    durationMs: attempt.durationMs,
    errorCode: attempt.errorCode,
    error: attempt.error,
    response: attempt.response,
    externalId: attempt.externalId,
    workerId: attempt.workerId,
  };
}
