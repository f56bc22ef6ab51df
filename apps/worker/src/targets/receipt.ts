import type { ClaimedRun, ClosedRun, Receipt } from '@carillon/db';
import { encodeRunId, type Outcome } from '@carillon/shared';

/** Whom to tell that a run has ended, and what; null where nobody asked, or it has not. */
export function receiptOf(
  run: ClaimedRun,
  outcome: Outcome,
  { status, nowAt }: { status: ClosedRun['status']; nowAt: number },
): Receipt | null {
  const { onSuccess, onFailure } = run.plan;
  const url = status === 'succeeded' ? onSuccess : status === 'failed' ? onFailure : null;
  if (url === null) return null;
  const answer = outcome.kind === 'succeeded' || outcome.kind === 'failed' ? outcome.answer : undefined;
  const body = JSON.stringify({
    type: `run.${status}`,
    scheduleId: run.scheduleKey,
    runId: encodeRunId(run),
    occurrenceAt: new Date(run.occurrenceAt).toISOString(),
    finishedAt: new Date(nowAt).toISOString(),
    attempt: run.attempt,
    httpStatus: answer?.httpStatus ?? null,
    externalId: answer?.externalId ?? null,
    error: outcome.kind === 'failed' ? outcome.error : null,
  });
  return { url, body };
}
