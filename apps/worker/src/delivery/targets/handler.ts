import type { Holder } from '@carillon/db';
import type { PostgresClock } from '@carillon/queue';
import { encodeRunId, type Outcome } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { HandlerDefinition, HandlerRun } from '../../define.js';
import { PayloadRefused, parsePayload } from '../../payload-schema.js';
import type { Flight } from '../../pipeline/in-flight.js';
import type { TargetDeliver } from '../../pipeline/pipeline.js';
import { type RunFields, runFields } from '../../pipeline/run-fields.js';
import type { Registry } from '../../registry.js';
import { HandlerCrashed, type HandlerProcess } from '../isolation/handler-process.js';
import { Gate, passGate } from '../traffic/gate.js';
import { storedResult } from './handler-result.js';
import { Progress } from './progress.js';

export interface HandlerParts {
  registry: Registry;
  pool: Pool;
  holder: Holder;
  clock: PostgresClock;
  log: Logger;
  /** The processes of isolated handlers, by the name of the handler. */
  processes: ReadonlyMap<string, HandlerProcess>;
}

/** Delivers a run by calling a handler of this worker. */
export function deliverToHandler(parts: HandlerParts): TargetDeliver {
  const gates = openGates(parts.registry);
  return async (flight) => {
    const { target, timeoutMs } = flight.run.plan;
    const name = target.type === 'handler' ? target.name : '';
    const handler = parts.registry.find(name);
    // A claim takes only runs whose handler this worker has. But the target may have been edited since; then the run is
    // deferred.
    if (!handler) {
      const reason = `this worker has no handler named ${name}`;
      return { kind: 'deferred', retryInMs: 1_000, reasonCode: 'handler_missing', reason };
    }
    const gate = gates.get(name);
    if (!gate) return callHandler(handler, flight, parts);
    const reason = `the handler ${name} has reached its concurrency limit in this worker`;
    return passGate(
      gate,
      { timeoutMs, signal: flight },
      (retryInMs) => ({ kind: 'deferred', retryInMs, reasonCode: 'handler_busy', reason }),
      () => callHandler(handler, flight, parts),
    );
  };
}

/** Opens a gate, which limits concurrent runs, for each handler that sets `concurrency`. */
function openGates({ handlers }: Registry): Map<string, Gate> {
  return new Map(
    handlers.flatMap(({ name, concurrency }) =>
      concurrency === undefined ? [] : [[name, new Gate(concurrency)] as const],
    ),
  );
}

async function callHandler(
  handler: HandlerDefinition,
  flight: Flight,
  parts: HandlerParts,
): Promise<Outcome> {
  const { name } = handler;
  const handled = new HandledRun(flight, parts);
  const process = parts.processes.get(name);
  flight.begin(parts.clock.now());
  if (!process) lastUsedAt.set(name, Number.POSITIVE_INFINITY);
  try {
    const result = process ? process.run(handled) : runHandler(handler, handled);
    // Query builders (Knex, Drizzle, Mongoose) are thenables: they send their query only when awaited.
    const value = isThenable(result) ? await untilAborted(result, flight) : result;
    const response = process ? (value as string | null) : storedResult(value);
    if (response === null) return { kind: 'succeeded' };
    return { kind: 'succeeded', answer: { httpStatus: null, response, externalId: null } };
  } catch (error) {
    if (flight.aborted) throw error;
    return toFailure(name, error, handled.log);
  } finally {
    if (!process) lastUsedAt.set(name, performance.now());
    if (handled.hasProgress) await handled.finish();
  }
}

/** Calls the handler. If the handler has a schema, the payload is the schema's output. */
function runHandler(handler: HandlerDefinition, handled: HandledRun): unknown {
  if (!handler.schema) return handler.run(handled);
  const parsed = parsePayload(handler, handled.payload);
  const call = (payload: unknown) => handler.run(handled.withPayload(payload));
  return parsed instanceof Promise ? parsed.then(call) : call(parsed);
}

/** The outcome of a run whose handler failed. The error names the handler; the stack trace is only in the log. */
function toFailure(name: string, error: unknown, log: Logger): Outcome {
  if (error instanceof HandlerCrashed)
    return { kind: 'failed', isTransient: true, errorCode: 'handler_crashed', error: error.message };
  if (error instanceof PayloadRefused)
    return {
      kind: 'failed',
      isTransient: false,
      errorCode: 'payload_invalid',
      error: `the payload ${error.message}`,
    };
  log.warn({ err: error, handler: name }, 'Handler failed');
  const text = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', isTransient: true, errorCode: 'error', error: `handler ${name}: ${text}` };
}

/**
 * The run as its handler sees it. Each property is created only when the handler reads it, to keep deliveries cheap.
 */
class HandledRun implements HandlerRun {
  #log: Logger | null = null;
  #progress: Progress | null = null;
  #payload: { value: unknown } | null = null;

  constructor(
    private readonly flight: Flight,
    private readonly parts: HandlerParts,
  ) {}

  get projectId(): string {
    return this.flight.projectKey;
  }

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

  /** Sets the payload to the output of the handler's schema. */
  withPayload(value: unknown): this {
    this.#payload = { value };
    return this;
  }

  get payload(): unknown {
    if (this.#payload) return this.#payload.value;
    const { payload } = this.flight.run;
    return payload === null ? null : JSON.parse(payload);
  }

  get signal(): AbortSignal {
    return this.flight.signal;
  }

  /** A getter, because only runs that write log lines need these fields. */
  get logFields(): RunFields {
    return runFields(this.flight.run);
  }

  get log(): Logger {
    this.#log ??= this.parts.log.child(this.logFields);
    return this.#log;
  }

  /** A getter that returns a function, so that a handler can destructure `progress` from its run. */
  get progress(): (value: unknown) => void {
    this.#progress ??= new Progress(this.flight.run, { ...this.parts, log: this.log });
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

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';

/** Waits for a handler, but only until the delivery is aborted, because a handler may ignore its signal. */
function untilAborted(result: PromiseLike<unknown>, flight: Flight): Promise<unknown> {
  return new Promise((resolve, reject) => {
    flight.addEventListener('abort', () => reject(flight.reason));
    result.then(resolve, reject);
  });
}

/** The time of each handler's last use in this process; Infinity while it is running. */
const lastUsedAt = new Map<string, number>();
const SUSPECT_AFTER_USE_MS = 10_000;

/**
 * The handlers that may have caused an error outside of any run: those that are running or ended in the last ten
 * seconds.
 */
export function suspectHandlers(): string[] {
  const sinceAt = performance.now() - SUSPECT_AFTER_USE_MS;
  return [...lastUsedAt].filter(([, usedAt]) => usedAt > sinceAt).map(([name]) => name);
}
