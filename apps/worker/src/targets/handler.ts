import { encodeRunId } from '@carillon/shared';
import type { Logger } from 'pino';
import { findHandler } from '../define.js';
import type { TargetDeliver } from './deliver.js';

/** Runs a function of this worker. What it throws is a failure that may pass. */
export function deliverToHandler(log: Logger): TargetDeliver {
  return async ({ run }, signal) => {
    const { target } = run.plan;
    const name = target.type === 'handler' ? target.name : '';
    const handler = findHandler(name);
    if (!handler) {
      return {
        kind: 'failed',
        isTransient: true,
        errorCode: 'unknown_handler',
        error: `no handler named ${name} in this worker`,
      };
    }
    const runId = encodeRunId(run);
    const result = handler({
      runId,
      scheduleId: run.scheduleKey,
      occurrenceAt: new Date(run.occurrenceAt),
      attempt: run.attempt,
      payload: run.payload === null ? null : JSON.parse(run.payload),
      signal,
      log: log.child({ runId }),
    });
    if (result instanceof Promise) await Promise.race([result, rejectOnAbort(signal)]);
    return { kind: 'succeeded' };
  };
}

/** A handler that does not listen to the signal is not waited for. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );
}
