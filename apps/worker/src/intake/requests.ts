import {
  Creations,
  cancelSchedule,
  fillTemplate,
  findTemplate,
  OverLimit,
  readCalendars,
  readDefaultProject,
  SecretBox,
} from '@carillon/db';
import { REQUESTS } from '@carillon/queue';
import { calendarsNamedBy, type ProjectLimits, type ScheduleDefaults } from '@carillon/shared';
import type { Config } from '../config.js';
import type { WorkerContext } from '../context.js';
import { readCancel, readRequest } from './read-request.js';

/** Why a request can't be done; null where it was. */
export type Refusal = string | null;

const ACTOR = 'queue';
/** What was read of the project is believed for this long. */
const BELIEVED_MS = 5_000;

interface Project {
  id: number;
  limits: ProjectLimits;
  defaults: ScheduleDefaults;
}

/** Does what is asked for by queue, for the default project. Throws where Postgres is away. */
export class Requests {
  readonly #box: SecretBox | null;
  readonly #creations: Creations;
  #project: { read: Promise<Project>; readAt: number } | null = null;

  constructor(
    private readonly context: WorkerContext,
    private readonly config: Config,
  ) {
    const key = config.CARILLON_ENCRYPTION_KEY;
    this.#box = key === undefined ? null : new SecretBox(key);
    this.#creations = new Creations(context.pool);
  }

  /** Does what a job of that name asks for. */
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
    const created = await this.#creations.create({ projectId, actor: ACTOR, limits }, draft);
    if (created.kind === 'over_limit') return new OverLimit(limits).message;
    if (created.kind === 'conflict')
      return `a schedule with the id ${draft.key} exists already and is not the same`;
    if (created.kind === 'created') {
      metrics.count('jobs_queued_total');
      bells.arm([draft.first.dueAt]).catch(() => {}); // The sweep arms what is missing.
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
    if (this.#project && now - this.#project.readAt < BELIEVED_MS) return this.#project.read;
    const fresh = { read: this.#openProject(), readAt: now };
    fresh.read.catch(() => {
      if (this.#project === fresh) this.#project = null;
    });
    this.#project = fresh;
    return fresh.read;
  }

  async #openProject(): Promise<Project> {
    const { config } = this;
    const { id, defaultTarget, limits } = await readDefaultProject(this.context.pool);
    return {
      id,
      limits,
      defaults: {
        target: defaultTarget ?? { type: 'handler', name: 'log' },
        maxAttempts: config.RETRY_MAX_ATTEMPTS,
        baseDelayMs: config.RETRY_BASE_DELAY_SECONDS * 1_000,
        allowPrivateTargets: config.ALLOW_PRIVATE_TARGETS,
      },
    };
  }
}
