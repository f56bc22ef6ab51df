import { encodeRunId } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { findHandler, type HandlerRun } from '../define.js';
import type { Flight } from '../in-flight.js';
import type { TargetDeliver } from './deliver.js';
import { Progress } from './progress.js';

export interface HandlerParts {
  pool: Pool;
  log: Logger;
}

/** Runs a function of this worker. */
export function deliverToHandler(parts: HandlerParts): TargetDeliver {
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
    const handled = new HandledRun(flight, parts);
    try {
      const result = handler(handled);
      if (result instanceof Promise) await Promise.race([result, rejectOnAbort(flight.signal)]);
      return { kind: 'succeeded' };
    } finally {
      if (handled.hasProgress) await handled.finish();
    }
  };
}

/** What a handler does not ask for is not made. */
class HandledRun implements HandlerRun {
  #log: Logger | null = null;
  #progress: Progress | null = null;

  constructor(
    private readonly flight: Flight,
    private readonly parts: HandlerParts,
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
    this.#log ??= this.parts.log.child({ runId: this.runId });
    return this.#log;
  }

  /** A property, so that a handler can take it off the run by name. */
  get progress(): (value: unknown) => void {
    this.#progress ??= new Progress(this.flight.run, this.parts.pool, this.log);
    const progress = this.#progress;
    return (value) => progress.report(value);
  }

  get hasProgress(): boolean {
    return this.#progress !== null;
  }

  async finish(): Promise<void> {
    await this.#progress?.finish();
  }
}

/** A handler that does not listen to the signal is not waited for. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
