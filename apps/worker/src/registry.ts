import type { Problem, Target } from '@carillon/shared';
import {
  type DeclaredSchedule,
  DefinitionRefused,
  type Definitions,
  type HandlerDefinition,
} from './define.js';
import { describeIssues, validate } from './payload-schema.js';

/** Payloads may hold personal data, so only their size is logged. */
const BUILT_IN: readonly HandlerDefinition[] = [
  { name: 'noop', run: () => {} },
  {
    name: 'log',
    run: ({ log, payload }) =>
      log.info({ payloadBytes: payload === null ? 0 : Buffer.byteLength(JSON.stringify(payload)) }, 'Run'),
  },
];

/** The handlers and the declared schedules of one worker. */
export class Registry {
  readonly #handlers = new Map<string, HandlerDefinition>();
  readonly schedules: readonly DeclaredSchedule[];

  constructor({ handlers, schedules }: Definitions = { handlers: [], schedules: [] }) {
    for (const handler of [...BUILT_IN, ...handlers]) this.#add(handler);
    // A schedule may be declared with its handler, which is then registered too.
    for (const { handler } of schedules)
      if (handler && this.#handlers.get(handler.name) !== handler) this.#add(handler);
    const ids = new Set<string>();
    for (const { input } of schedules) {
      if (ids.has(input.id)) throw new DefinitionRefused(`a schedule named ${input.id} is defined already`);
      ids.add(input.id);
    }
    this.schedules = schedules;
  }

  get names(): string[] {
    return [...this.#handlers.keys()];
  }

  get handlers(): HandlerDefinition[] {
    return [...this.#handlers.values()];
  }

  find(name: string): HandlerDefinition | undefined {
    return this.#handlers.get(name);
  }

  /**
   * Says why a payload does not fit the schema of its handler; null if it fits. Also null if this process does not have
   * the handler, or if the schema validates asynchronously, because then the payload is validated when the run starts.
   */
  readonly payloadProblem = (target: Target, payload: unknown): Problem | null => {
    const handler = target.type === 'handler' ? this.find(target.name) : undefined;
    if (!handler?.schema) return null;
    const result = validate(handler.schema, payload ?? null);
    if (result instanceof Promise || !result.issues) return null;
    return { field: 'payload', message: describeIssues(handler.name, result.issues) };
  };

  #add(handler: HandlerDefinition): void {
    if (this.#handlers.has(handler.name))
      throw new DefinitionRefused(`a handler named ${handler.name} is defined already`);
    this.#handlers.set(handler.name, handler);
  }
}
