import {
  type ClaimedRun,
  type ClosedRun,
  insertReceipts,
  type Receipt,
  readRunsWithFailureUrl,
} from '@carillon/db';
import { encodeRunId, type Outcome, type ReceiverAnswer, type RunIdentity } from '@carillon/shared';
import type { WorkerContext } from '../../context.js';

/** The receipt of a run that has ended; null if its schedule asks for none, or the run is still open. */
export function receiptOf(
  run: ClaimedRun,
  outcome: Outcome,
  { status, nowAt }: { status: ClosedRun['status']; nowAt: number },
): Receipt | null {
  const { onSuccess, onFailure } = run.plan;
  if (status === 'succeeded' && onSuccess !== null) {
    return {
      url: onSuccess,
      body: bodyOf(run, { type: 'run.succeeded', nowAt, answer: answerOf(outcome), error: null }),
    };
  }
  if (status === 'failed' && onFailure !== null) {
    const error = outcome.kind === 'failed' ? outcome.error : null;
    return {
      url: onFailure,
      body: bodyOf(run, { type: 'run.failed', nowAt, answer: answerOf(outcome), error }),
    };
  }
  return null;
}

/**
 * Stores the messages to `onFailure` about runs that failed because their worker was lost during the last attempt. The
 * failure is committed before this is called, so a crash in between loses the messages.
 */
export async function storeLostRunReceipts(
  { pool, clock, receipts }: WorkerContext,
  failed: readonly RunIdentity[],
): Promise<void> {
  const runs = await readRunsWithFailureUrl(pool, failed);
  if (runs.length === 0) return;
  const lostRunReceipts = runs.map((run) => ({
    projectId: run.projectId,
    scheduleId: run.scheduleId,
    url: run.onFailure,
    body: bodyOf(run, { type: 'run.failed', nowAt: clock.now(), answer: undefined, error: run.error }),
  }));
  await insertReceipts(pool, lostRunReceipts);
  receipts.send();
}

const answerOf = (outcome: Outcome) =>
  outcome.kind === 'succeeded' || outcome.kind === 'failed' ? outcome.answer : undefined;

interface Ending {
  type: 'run.succeeded' | 'run.failed';
  nowAt: number;
  answer: ReceiverAnswer | undefined;
  error: string | null;
}

function bodyOf(
  run: RunIdentity & { scheduleKey: string; attempt: number },
  { type, nowAt, answer, error }: Ending,
): string {
  return JSON.stringify({
    type,
    scheduleId: run.scheduleKey,
    runId: encodeRunId(run),
    occurrenceAt: new Date(run.occurrenceAt).toISOString(),
    finishedAt: new Date(nowAt).toISOString(),
    attempt: run.attempt,
    httpStatus: answer?.httpStatus ?? null,
    externalId: answer?.externalId ?? null,
    error,
  });
}
