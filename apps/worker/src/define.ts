import type { Logger } from 'pino';

/** What a handler is given of the run that it is to do. */
export interface HandlerRun {
  runId: string;
  scheduleId: string;
  /** The instant that the rule named. */
  occurrenceAt: Date;
  attempt: number;
  payload: unknown;
  /** Aborts on time-out, on cancel, and when this worker stops. */
  signal: AbortSignal;
  log: Logger;
  /** Shows any JSON on the run while it goes on, say `{ done: 3, of: 10 }`. */
  progress: (value: unknown) => void;
}

export type Handler = (run: HandlerRun) => Promise<unknown> | unknown;

const handlers = new Map<string, Handler>();

/** Registers a function that schedules can name as their target: `{ "type": "handler", "name": … }`. */
export function defineHandler(name: string, handler: Handler): void {
  if (handlers.has(name)) throw new Error(`a handler named ${name} is defined already`);
  handlers.set(name, handler);
}

export function findHandler(name: string): Handler | undefined {
  return handlers.get(name);
}

defineHandler('noop', () => {});
defineHandler('log', ({ log, payload }) => log.info({ payload }, 'Run'));
