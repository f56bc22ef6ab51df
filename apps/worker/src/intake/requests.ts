import {
  cancelSchedule,
  fillTemplate,
  findTemplate,
  GroupCreates,
  OverLimit,
  readCalendars,
  readDefaultProject,
  SecretBox,
} from '@carillon/db';
import { REQUESTS } from '@carillon/queue';
import {
  calendarsNamedBy,
  DEFAULT_PROJECT,
  type ProjectLimits,
  type ScheduleDefaults,
} from '@carillon/shared';
import { type Config, scheduleDefaults } from '../config.js';
import type { WorkerContext } from '../context.js';
import type { Registry } from '../registry.js';
import { readCancel, readRequest } from './read-request.js';

/** The reason why a request is refused; null if it was done. */
export type Refusal = string | null;

const ACTOR = 'queue';
/** A change of the project's settings takes effect within this time. */
const SETTINGS_CACHE_TTL_MS = 5_000;

interface Project {
  id: number;
  limits: ProjectLimits;
  defaults: ScheduleDefaults;
}

/** Carries out requests that arrive by queue, for the default project. Throws if Postgres is unreachable. */
export class Requests {
  readonly #box: SecretBox | null;
  readonly #creates: GroupCreates;
  #project: { read: Promise<Project>; readAt: number } | null = null;

  constructor(
    private readonly context: WorkerContext,
    private readonly config: Config,
    private readonly registry: Registry,
  ) {
    const key = config.CARILLON_ENCRYPTION_KEY;
    this.#box = key === undefined ? null : new SecretBox(key);
    this.#creates = new GroupCreates(context.pool);
  }

  /** Carries out a job by its name. */
  async handle(name: string, data: unknown): Promise<Refusal> {
    if (name === REQUESTS.schedule) return this.#create(data);
    if (name === REQUESTS.cancel) return this.#cancel(data);
    return `expected a job named ${REQUESTS.schedule} or ${REQUESTS.cancel}`;
  }

  async #create(data: unknown): Promise<Refusal> {
    const { pool, clock, metrics, bells } = this.context;
    const { id: projectId, limits, defaults } = await this.#readProject();
    const filled = await fillTemplate(data, (id) => findTemplate(pool, projectId, id));
    if (!filled.ok) return `${filled.problem.field}: ${filled.problem.message}`;
    const box = this.#box;
    const seal = box && ((secret: string) => box.seal(secret, projectId));
    const calendars = await readCalendars(pool, projectId, calendarsNamedBy([data]));
    const read = readRequest(filled.value, { nowAt: Math.floor(clock.now()), defaults, seal, calendars });
    if (!read.ok) return read.reason;
    const draft = read.value;
    const created = await this.#creates.create({ projectId, actor: ACTOR, limits }, draft);
    if (created.kind === 'over_limit') return new OverLimit(limits).message;
    if (created.kind === 'conflict')
      return `a schedule with the id ${draft.key} exists already and is not the same`;
    if (created.kind === 'cancelled')
      return `the schedule ${draft.key} was cancelled; put it back with PUT /v1/schedules/${draft.key}, or free the id with DELETE /v1/schedules/${draft.key}?purge=true`;
    if (created.kind === 'created') {
      metrics.count('jobs_queued_total');
      bells.arm([draft.first.dueAt]).catch(() => {}); // If Redis is away, the sweep arms the bells later.
    }
    return null;
  }

  async #cancel(data: unknown): Promise<Refusal> {
    const read = readCancel(data);
    if (!read.ok) return read.reason;
    const { id: projectId } = await this.#readProject();
    const result = await cancelSchedule(this.context.pool, {
      ref: { projectId, key: read.value },
      actor: ACTOR,
    });
    if (result.kind === 'not_found') return `there is no schedule with the id ${read.value}`;
    if (result.kind === 'refused') return result.reason;
    if (result.kind === 'changed' && result.value.isNew) this.context.metrics.count('jobs_cancelled_total');
    return null;
  }

  #readProject(): Promise<Project> {
    const now = performance.now();
    if (this.#project && now - this.#project.readAt < SETTINGS_CACHE_TTL_MS) return this.#project.read;
    const fresh = { read: this.#openProject(), readAt: now };
    fresh.read.catch(() => {
      if (this.#project === fresh) this.#project = null;
    });
    this.#project = fresh;
    return fresh.read;
  }

  async #openProject(): Promise<Project> {
    const box = this.#box;
    const { id, defaultTarget, limits } = await readDefaultProject(this.context.pool);
    return {
      id,
      limits,
      defaults: {
        ...scheduleDefaults(this.config),
        target: defaultTarget,
        owner: { project: DEFAULT_PROJECT, limits },
        payloadProblem: this.registry.payloadProblem,
        sealHeader: box && ((value) => box.sealText(value, id)),
      },
    };
  }
}
