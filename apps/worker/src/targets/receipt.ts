import {
  type ClaimedRun,
  type ClosedRun,
  insertReceipts,
  type Receipt,
  readToldOfFailure,
} from '@carillon/db';
import { type Answer, encodeRunId, type Outcome, type RunIdentity } from '@carillon/shared';
import type { WorkerContext } from '../context.js';

/** Whom to tell that a run has ended, and what; null where nobody asked, or it has not. */
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
 * Receipts of runs whose worker was lost with their last attempt. Written after the rescue, not with it: a sweeper that is
 * lost in between takes them along.
 */
export async function noteLost(
  { pool, clock, receipts }: WorkerContext,
  failed: readonly RunIdentity[],
): Promise<void> {
  const told = await readToldOfFailure(pool, failed);
  if (told.length === 0) return;
  const noted = told.map((run) => ({
    projectId: run.projectId,
    scheduleId: run.scheduleId,
    url: run.onFailure,
    body: bodyOf(run, { type: 'run.failed', nowAt: clock.now(), answer: undefined, error: run.error }),
  }));
  await insertReceipts(pool, noted);
  receipts.send();
}

const answerOf = (outcome: Outcome) =>
  outcome.kind === 'succeeded' || outcome.kind === 'failed' ? outcome.answer : undefined;

interface Ending {
  type: 'run.succeeded' | 'run.failed';
  nowAt: number;
  answer: Answer | undefined;
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
