import { encodeRunId } from '@carillon/shared';
import type { Logger } from 'pino';
import { findHandler, type HandlerRun } from '../define.js';
import type { Flight } from '../in-flight.js';
import type { TargetDeliver } from './deliver.js';

/** Runs a function of this worker. */
export function deliverToHandler(log: Logger): TargetDeliver {
  return async (flight) => {
    const { target } = flight.run.plan;
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
    const result = handler(new HandledRun(flight, log));
    if (result instanceof Promise) await Promise.race([result, rejectOnAbort(flight.signal)]);
    return { kind: 'succeeded' };
  };
}

/** What a handler does not ask for is not made. */
class HandledRun implements HandlerRun {
  #log: Logger | null = null;

  constructor(
    private readonly flight: Flight,
    private readonly parentLog: Logger,
  ) {}

  get runId(): string {
    return encodeRunId(this.flight.run);
  }

  get scheduleId(): string {
    return this.flight.run.scheduleKey;
  }

  get occurrenceAt(): Date {
    return new Date(this.flight.run.occurrenceAt);
  }

  get attempt(): number {
    return this.flight.run.attempt;
  }

  get payload(): unknown {
    const { payload } = this.flight.run;
    return payload === null ? null : JSON.parse(payload);
  }

  get signal(): AbortSignal {
    return this.flight.signal;
  }

  get log(): Logger {
    this.#log ??= this.parentLog.child({ runId: this.runId });
    return this.#log;
  }
}

/** A handler that does not listen to the signal is not waited for. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
