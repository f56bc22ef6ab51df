import { type EventOptions, followEvents } from './events.js';
import type { Pages } from './pages.js';
import { AlertChannels, Alerts } from './resources/alerts.js';
import { Calendars } from './resources/calendars.js';
import { Collection, EditableCollection } from './resources/collection.js';
import { Feeds } from './resources/feeds.js';
import { Keys } from './resources/keys.js';
import { Projects } from './resources/projects.js';
import { Runs } from './resources/runs.js';
import { Schedules } from './resources/schedules.js';
import { Session } from './resources/session.js';
import { Tasks } from './resources/tasks.js';
import { Users } from './resources/users.js';
import { Calls } from './transport/calls.js';
import { type CallOptions, Transport } from './transport/transport.js';
import type { CarillonEvent } from './types/event.js';
import type { Instant, PageQuery } from './types/instant.js';
import type { Attention, Readiness, Stats, StatsQuery, System, WorkerReplica } from './types/operations.js';
import type { Simulation, SimulationInput } from './types/simulation.js';
import type { Reminder, ReminderInput, Template, TemplateInput, TemplatePatch } from './types/systems.js';
import type { AuditEntry, AuditFilter, Me } from './types/tenancy.js';
import type {
  Forecast,
  ForecastMinute,
  OccurrenceAudit,
  OccurrenceDifference,
  RuleLint,
  RulePreview,
  RulePreviewInput,
} from './types/time.js';

export interface CarillonOptions {
  /** The base URL of the API, such as `http://127.0.0.1:3000`. */
  url: string;
  /** An API key. `health()` needs none, and neither does a page in a browser that has a session cookie. */
  key?: string | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** Maximum number of retries after 429, 502, 503, 504, time-outs and network errors (default 3). */
  maxRetries?: number | undefined;
  /** Time-out of one attempt (default 30,000 ms). */
  timeoutMs?: number | undefined;
  /** Parses responses (default `JSON.parse`, which rounds integers beyond 2^53 in payloads). */
  parseJson?: ((text: string) => unknown) | undefined;
}

const MAX_RETRIES = 3;
const TIMEOUT_MS = 30_000;

/**
 * The client of one Carillon API. Every call throws a `CarillonError` if it fails. Transient failures are retried if a
 * retry is safe.
 */
export class Carillon {
  readonly schedules: Schedules;
  readonly runs: Runs;
  readonly alerts: Alerts;
  readonly alertChannels: AlertChannels;
  readonly calendars: Calendars;
  readonly feeds: Feeds;
  readonly keys: Keys;
  readonly projects: Projects;
  readonly session: Session;
  readonly users: Users;
  readonly tasks: Tasks;
  readonly reminders: Collection<Reminder, ReminderInput, Reminder>;
  readonly templates: EditableCollection<Template, TemplateInput, TemplatePatch, { id: string }>;
  readonly rules: {
    /** Returns a rule in words and its next occurrences, without saving anything. */
    preview(input: RulePreviewInput, options?: CallOptions): Promise<RulePreview>;
    /** Lists the schedules that have an occurrence in the next year that a clock change (DST) affects. */
    lint(query?: PageQuery, options?: CallOptions): Pages<RuleLint>;
  };
  readonly #transport: Transport;
  readonly #calls: Calls;

  constructor({
    url,
    key,
    fetch,
    maxRetries = MAX_RETRIES,
    timeoutMs = TIMEOUT_MS,
    parseJson = JSON.parse,
  }: CarillonOptions) {
    const send: typeof globalThis.fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#transport = new Transport({ url, key, fetch: send, maxRetries, timeoutMs, parseJson });
    const calls = new Calls(this.#transport);
    this.#calls = calls;
    this.schedules = new Schedules(calls);
    this.runs = new Runs(calls);
    this.alerts = new Alerts(calls);
    this.alertChannels = new AlertChannels(calls, '/v1/alert-channels');
    this.calendars = new Calendars(calls);
    this.feeds = new Feeds(calls);
    this.keys = new Keys(calls);
    this.projects = new Projects(calls);
    this.session = new Session(calls);
    this.users = new Users(calls);
    this.tasks = new Tasks(calls);
    this.reminders = new Collection(calls, '/v1/reminders');
    this.templates = new EditableCollection(calls, '/v1/templates');
    this.rules = {
      preview: (input, options) => calls.post('/v1/rules/preview', input, options),
      lint: (query, options) => calls.pages('/v1/rules/lint', { ...query }, options),
    };
  }

  /** Returns the project, the key and the scopes of this client. */
  me(options?: CallOptions): Promise<Me> {
    return this.#calls.read('/v1/me', undefined, options);
  }

  /**
   * Returns how many occurrences of the project’s schedules are due in each minute of the next `hours` (default 24).
   */
  forecast({ hours, ...options }: CallOptions & { hours?: number } = {}): Promise<Forecast> {
    return this.#calls.read('/v1/forecast', { hours }, options);
  }

  /** Simulates what schedules would do in a span of time, with the given edits and outages. Saves nothing. */
  simulate(input: SimulationInput, options?: CallOptions): Promise<Simulation> {
    return this.#calls.post('/v1/simulate', input, options);
  }

  /** Returns the schedules that fire in the minute that contains an instant. */
  forecastMinute(at: Instant, options?: CallOptions): Promise<ForecastMinute> {
    return this.#calls.read('/v1/forecast/minute', { at }, options);
  }

  /**
   * Returns the number of runs by outcome, and their lateness, for each step of a time range. Default: the last hour,
   * minute by minute.
   */
  stats(query?: StatsQuery, options?: CallOptions): Promise<Stats> {
    return this.#calls.read('/v1/stats', { ...query }, options);
  }

  /** Lists audit log entries, newest first. */
  audit(filter?: AuditFilter & PageQuery, options?: CallOptions): Pages<AuditEntry> {
    return this.#calls.pages('/v1/audit', { ...filter }, options);
  }

  /**
   * Compares the occurrences that schedules had by their rules with the runs that exist, and lists the differences.
   * Each page compares a part of the schedules. Requires the scope admin.
   */
  auditOccurrences(
    query?: PageQuery & {
      from?: Instant | undefined;
      to?: Instant | undefined;
      schedule?: string | undefined;
    },
    options?: CallOptions,
  ): Pages<OccurrenceDifference, OccurrenceAudit> {
    return this.#calls.pages('/v1/audit/occurrences', { ...query }, options);
  }

  /** Lists the workers that sent a heartbeat within the last day, newest first. */
  workers(query?: PageQuery, options?: CallOptions): Pages<WorkerReplica> {
    return this.#calls.pages('/v1/workers', { ...query }, options);
  }

  /** Returns the problems that need the attention of a person. */
  attention(options?: CallOptions): Promise<Attention> {
    return this.#calls.read('/v1/attention', undefined, options);
  }

  /**
   * Returns the health of the installation, and figures such as the lateness of runs and the number of open circuits.
   */
  system(options?: CallOptions): Promise<System> {
    return this.#calls.read('/v1/system', undefined, options);
  }

  /** Returns whether the installation is ready. Throws a CarillonError with the status 503 if it is down. */
  health(options?: CallOptions): Promise<Readiness> {
    return this.#calls.read('/health/ready', undefined, options);
  }

  /**
   * Streams events as they happen. Reconnects after a lost connection and resumes where it broke off. Abort the signal
   * or leave the loop to end the stream.
   */
  events(options?: EventOptions): AsyncGenerator<CarillonEvent, void, undefined> {
    return followEvents(this.#transport, options);
  }
}
