import { type EventOptions, followEvents } from './events.js';
import type { Pages } from './pages.js';
import { Calendars } from './resources/calendars.js';
import { Collection, EditableCollection } from './resources/collection.js';
import { Keys } from './resources/keys.js';
import { Projects } from './resources/projects.js';
import { Runs } from './resources/runs.js';
import { Schedules } from './resources/schedules.js';
import { Tasks } from './resources/tasks.js';
import { Users } from './resources/users.js';
import { Calls } from './transport/calls.js';
import { type CallOptions, Transport } from './transport/transport.js';
import type { CarillonEvent } from './types/event.js';
import type { PageQuery } from './types/instant.js';
import type { Readiness, System, WorkerReplica } from './types/operations.js';
import type { Reminder, ReminderInput, Template, TemplateInput, TemplatePatch } from './types/systems.js';
import type { AuditEntry, AuditFilter } from './types/tenancy.js';
import type { Forecast, RulePreview, RulePreviewInput } from './types/time.js';

export interface CarillonOptions {
  /** Where the API is, such as `http://127.0.0.1:3000`. */
  url: string;
  /** An API key. Health can be asked for without. */
  key?: string | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** Further tries after 429, 503 and lost connections. */
  maxRetries?: number | undefined;
  /** How long one try may take. */
  timeoutMs?: number | undefined;
}

const MAX_RETRIES = 3;
const TIMEOUT_MS = 30_000;

/**
 * A Carillon. Every call throws a `CarillonError` where it does not succeed; those that may succeed another time are sent
 * again by themselves.
 */
export class Carillon {
  readonly schedules: Schedules;
  readonly runs: Runs;
  readonly calendars: Calendars;
  readonly keys: Keys;
  readonly projects: Projects;
  readonly users: Users;
  readonly tasks: Tasks;
  readonly reminders: Collection<Reminder, ReminderInput, Reminder>;
  readonly templates: EditableCollection<Template, TemplateInput, TemplatePatch, { id: string }>;
  readonly rules: {
    /** What a rule means: in words, and its next occurrences. Saves nothing. */
    preview(input: RulePreviewInput, options?: CallOptions): Promise<RulePreview>;
  };
  readonly #transport: Transport;
  readonly #calls: Calls;

  constructor({ url, key, fetch, maxRetries = MAX_RETRIES, timeoutMs = TIMEOUT_MS }: CarillonOptions) {
    const send: typeof globalThis.fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#transport = new Transport({ url, key, fetch: send, maxRetries, timeoutMs });
    const calls = new Calls(this.#transport);
    this.#calls = calls;
    this.schedules = new Schedules(calls);
    this.runs = new Runs(calls);
    this.calendars = new Calendars(calls);
    this.keys = new Keys(calls);
    this.projects = new Projects(calls);
    this.users = new Users(calls);
    this.tasks = new Tasks(calls);
    this.reminders = new Collection(calls, '/v1/reminders');
    this.templates = new EditableCollection(calls, '/v1/templates');
    this.rules = { preview: (input, options) => calls.post('/v1/rules/preview', input, options) };
  }

  /** Fires expected per minute. */
  forecast({ hours, ...options }: CallOptions & { hours?: number } = {}): Promise<Forecast> {
    return this.#calls.read('/v1/forecast', { hours }, options);
  }

  /** Who did what, newest first. */
  audit(filter?: AuditFilter & PageQuery, options?: CallOptions): Pages<AuditEntry> {
    return this.#calls.pages('/v1/audit', { ...filter }, options);
  }

  /** Worker replicas, newest first. */
  workers(query?: PageQuery, options?: CallOptions): Pages<WorkerReplica> {
    return this.#calls.pages('/v1/workers', { ...query }, options);
  }

  /** Drift and health in figures. */
  system(options?: CallOptions): Promise<System> {
    return this.#calls.read('/v1/system', undefined, options);
  }

  /** Whether the API can do its work. One that cannot throws, with status 503. */
  health(options?: CallOptions): Promise<Readiness> {
    return this.#calls.read('/health/ready', undefined, options);
  }

  /**
   * What happens, as it happens. A lost connection is made anew where it broke off; end it with the signal, or by
   * leaving the loop.
   */
  events(options?: EventOptions): AsyncGenerator<CarillonEvent, void, undefined> {
    return followEvents(this.#transport, options);
  }
}
