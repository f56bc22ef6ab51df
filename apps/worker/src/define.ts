import type { ScheduleInput } from '@carillon/shared';
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
const schedules = new Map<string, DeclaredSchedule>();

/** Registers a function that schedules can name as their target: `{ "type": "handler", "name": … }`. */
export function defineHandler(name: string, handler: Handler): void {
  if (handlers.has(name)) throw new Error(`a handler named ${name} is defined already`);
  handlers.set(name, handler);
}

export function findHandler(name: string): Handler | undefined {
  return handlers.get(name);
}

type Rule = ScheduleInput['rule'];
type Policies = Omit<ScheduleInput, 'id' | 'name' | 'rule' | 'target'>;

/** A schedule that lives in the code: its rule as one of five words, and what it runs. */
export type ScheduleDefinition = Policies &
  Rule & {
    /** Its id, by which it is found again after a deploy. */
    name: string;
    /** The name of a handler, or the function itself, which is then registered under the schedule's name. */
    handler: string | Handler;
  };

/** What is made of it: the same input as the API takes. */
export interface DeclaredSchedule extends ScheduleInput {
  id: string;
}

/** Declares a schedule, to be created or brought up to date when a worker starts. */
export function defineSchedule(definition: ScheduleDefinition): void {
  const { name, handler, at, in: within, every, cron, rrule, ...policies } = definition;
  if (schedules.has(name)) throw new Error(`a schedule named ${name} is defined already`);
  if (typeof handler === 'function') defineHandler(name, handler);
  const given = Object.entries({ at, in: within, every, cron, rrule }).filter(
    ([, text]) => text !== undefined,
  );
  schedules.set(name, {
    id: name,
    name,
    ...policies,
    rule: Object.fromEntries(given),
    target: { type: 'handler', name: typeof handler === 'function' ? name : handler },
  });
}

export function declaredSchedules(): DeclaredSchedule[] {
  return [...schedules.values()];
}

defineHandler('noop', () => {});
defineHandler('log', ({ log, payload }) => log.info({ payload }, 'Run'));
