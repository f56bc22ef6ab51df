import type { ScheduleInput } from '@carillon/shared';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Logger } from 'pino';

/** The run as its handler sees it. */
export interface HandlerRun<Payload = unknown> {
  runId: string;
  /** The project whose run this is. A handler that serves several projects must keep their data apart. */
  projectId: string;
  scheduleId: string;
  /** The time for which the run was scheduled. The run itself may begin later. */
  occurrenceAt: Date;
  attempt: number;
  /** The payload of the schedule. If the handler has a schema, this is the schema's output. */
  payload: Payload;
  /** Aborts on time-out, on cancel, and when this worker stops or has lost its lease of the run. */
  signal: AbortSignal;
  log: Logger;
  /** Stores any JSON on the run as its progress, such as `{ done: 3, of: 10 }`. */
  progress: (value: unknown) => void;
}

/** The value that a handler returns is kept with the attempt, as JSON of at most 16 KiB. */
export type Handler<Payload = unknown> = (run: HandlerRun<Payload>) => Promise<unknown> | unknown;

export interface HandlerOptions {
  /**
   * Runs the handler in a process of its own. Use this for a handler that computes for long, takes much memory, or may
   * crash: in the worker's own process it would harm the runs of all other handlers. Needs `CARILLON_HANDLERS`.
   */
  isolate?: boolean | undefined;
  /**
   * Maximum number of runs of this handler at the same time in one worker. Default: the maximum number of runs of the
   * whole worker.
   */
  concurrency?: number | undefined;
}

/** A function that schedules can name as their target: `{ "type": "handler", "name": … }`. */
export interface HandlerDefinition<Schema extends StandardSchemaV1 = StandardSchemaV1>
  extends HandlerOptions {
  name: string;
  /** Any Standard Schema, such as one of Zod or Valibot. A payload that does not fit fails the run. */
  schema?: Schema | undefined;
  /**
   * Declared as a method, because TypeScript compares the parameters of methods less strictly than those of function
   * properties. So handlers with different payload types can be put into one list.
   */
  run(run: HandlerRun<StandardSchemaV1.InferOutput<Schema>>): Promise<unknown> | unknown;
}

/** The handlers and schedules that a module has defined, in order. */
export interface Definitions {
  handlers: readonly HandlerDefinition[];
  schedules: readonly DeclaredSchedule[];
}

/**
 * The definitions of the module that is being loaded; null while none is loaded. In library mode it stays null, because
 * the program passes its definitions to `run`.
 */
let loading: { handlers: HandlerDefinition[]; schedules: DeclaredSchedule[] } | null = null;

/** Loads a module and returns the handlers and schedules that it has defined. They are kept nowhere else. */
export async function collectDefinitions(load: () => Promise<void>): Promise<Definitions> {
  const definitions = { handlers: [], schedules: [] };
  loading = definitions;
  try {
    await load();
    return definitions;
  } finally {
    loading = null;
  }
}

/**
 * Thrown if a definition in the user's code is refused. The message names the handler or the schedule, and the reason.
 */
export class DefinitionRefused extends Error {}

/** Defines a handler. The type of its payload follows from the schema. */
export function defineHandler<Schema extends StandardSchemaV1>(
  definition: HandlerDefinition<Schema>,
): HandlerDefinition<Schema>;
export function defineHandler(name: string, run: Handler, options?: HandlerOptions): HandlerDefinition;
export function defineHandler(
  first: string | HandlerDefinition,
  run: Handler = () => {},
  options: HandlerOptions = {},
): HandlerDefinition {
  const definition = typeof first === 'string' ? { name: first, run, ...options } : first;
  const { name, concurrency } = definition;
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency >= 1))
    throw new DefinitionRefused(
      `the handler ${name} has concurrency: ${concurrency}; expected a whole number of at least 1`,
    );
  loading?.handlers.push(definition);
  return definition;
}

type Rule = ScheduleInput['rule'];
type Policies = Omit<ScheduleInput, 'id' | 'name' | 'rule' | 'target' | 'payload'>;

/** The payload is optional only if the schema of the handler accepts undefined. */
type PayloadField<Schema extends StandardSchemaV1> =
  undefined extends StandardSchemaV1.InferInput<Schema>
    ? { payload?: StandardSchemaV1.InferInput<Schema> }
    : { payload: StandardSchemaV1.InferInput<Schema> };

/** A schedule that is declared in code: one of the five kinds of rule, and its handler. */
export type ScheduleDefinition<Schema extends StandardSchemaV1 = StandardSchemaV1> = Policies &
  Rule &
  PayloadField<Schema> & {
    /**
     * The id of the schedule. If the name is changed in the code, the next start of a worker creates another schedule.
     */
    name: string;
    /**
     * A handler, its name, or a function. A function is registered as a handler under the name of the schedule.
     */
    handler: string | Handler | HandlerDefinition<Schema>;
  };

/** A schedule that the code of a worker declares. */
export interface DeclaredSchedule {
  /** The declaration in the form that the API takes. */
  input: ScheduleInput & { id: string };
  /** The handler, if the declaration gives its definition or a function; null if it gives a name. */
  handler: HandlerDefinition | null;
}

/** Declares a schedule, which is created or updated when a worker starts. */
export function defineSchedule<Schema extends StandardSchemaV1 = StandardSchemaV1>(
  definition: ScheduleDefinition<Schema>,
): DeclaredSchedule {
  const { name, handler, at, in: within, every, cron, rrule, ...policies } = definition;
  const known = typeof handler === 'function' ? defineHandler(name, handler) : handler;
  const given = Object.entries({ at, in: within, every, cron, rrule }).filter(
    ([, text]) => text !== undefined,
  );
  const declared: DeclaredSchedule = {
    input: {
      id: name,
      name,
      ...(policies as Policies),
      rule: Object.fromEntries(given),
      target: { type: 'handler', name: typeof known === 'string' ? known : known.name },
    },
    handler: typeof known === 'string' ? null : (known as HandlerDefinition),
  };
  loading?.schedules.push(declared);
  return declared;
}
