import { cancelSchedule, GroupCreates, readDefaultProject } from '@carillon/db';
import { REQUESTS } from '@carillon/queue';
import { DEFAULT_PROJECT } from '@carillon/shared';
import type { WorkerContext } from '../context.js';
import { type Drafter, type Drafts, refusalOf } from './drafts.js';
import { readCancel } from './read-request.js';

/** The reason why a request is refused; null if it was carried out. */
export type Refusal = string | null;

const ACTOR = 'queue';
/** A change of the project's settings takes effect within this time. */
const SETTINGS_CACHE_TTL_MS = 5_000;

/**
 * Carries out requests that other programs add to the queue `schedule-requests`. The requests belong to the default
 * project. Throws if Postgres is unreachable.
 */
export class QueueRequests {
  readonly #creates: GroupCreates;
  #project: { read: Promise<Drafter>; readAt: number } | null = null;

  constructor(
    private readonly context: WorkerContext,
    private readonly drafts: Drafts,
  ) {
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
    const project = await this.#readProject();
    const { projectId, limits } = project;
    const read = await this.drafts.draft(pool, project, { data, nowAt: Math.floor(clock.now()) });
    if (!read.ok) return read.reason;
    const draft = read.value;
    const created = await this.#creates.create({ projectId, actor: ACTOR, limits }, draft);
    if (created.kind === 'created') {
      metrics.count('jobs_queued_total');
      bells.arm([draft.first.dueAt]).catch(() => {}); // If Redis is away, the sweep sets the wake-ups.
    }
    return refusalOf(created, draft, limits);
  }

  async #cancel(data: unknown): Promise<Refusal> {
    const read = readCancel(data);
    if (!read.ok) return read.reason;
    const { projectId } = await this.#readProject();
    const result = await cancelSchedule(this.context.pool, {
      ref: { projectId, key: read.value },
      actor: ACTOR,
    });
    if (result.kind === 'not_found') return `there is no schedule with the id ${read.value}`;
    if (result.kind === 'refused') return result.reason;
    if (result.kind === 'changed' && result.value.isNew) this.context.metrics.count('jobs_cancelled_total');
    return null;
  }

  #readProject(): Promise<Drafter> {
    const now = performance.now();
    if (this.#project && now - this.#project.readAt < SETTINGS_CACHE_TTL_MS) return this.#project.read;
    const fresh = { read: this.#openProject(), readAt: now };
    fresh.read.catch(() => {
      if (this.#project === fresh) this.#project = null;
    });
    this.#project = fresh;
    return fresh.read;
  }

  async #openProject(): Promise<Drafter> {
    const project = await readDefaultProject(this.context.pool);
    return this.drafts.drafterOf({ ...project, key: DEFAULT_PROJECT });
  }
}
