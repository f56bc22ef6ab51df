import {
  changeRequested,
  createSchedules,
  type Draft,
  deleteRequests,
  type HandledChange,
  inTransaction,
  isTransientError,
  lockRequests,
  type RefusedRequest,
  type RequestingProject,
  readRequestingProject,
  recordRefusals,
  type SqlRequest,
  type Transaction,
} from '@carillon/db';
import { parseExactly } from '@carillon/shared';
import type { WorkerContext } from '../context.js';
import { type Drafter, type Drafts, refusalOf } from './drafts.js';

/** Maximum number of requests in one transaction. The body of a request has up to 256 KiB. */
const REQUESTS_PER_TRANSACTION = 100;

/** The result of one request. */
type HandledRequest = HandledChange | { kind: 'created'; request: SqlRequest; dueAt: number | null };

interface Drafted {
  request: SqlRequest;
  draft: Draft;
}

/**
 * Carries out the calls of the SQL functions `schedule`, `cancel` and `trigger`, after their transactions have
 * committed.
 */
export class SqlRequests {
  #current: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(
    private readonly context: WorkerContext,
    private readonly drafts: Drafts,
    private readonly signal: AbortSignal,
  ) {}

  /** Carries out all pending requests. Never rejects: the next sweep tries again. */
  handle(): Promise<void> {
    if (!this.#current) {
      if (this.signal.aborted) return Promise.resolve();
      this.#current = this.#handleAll();
      return this.#current;
    }
    // The pass in progress may have read the requests already, so queue one more pass.
    this.#next ??= this.#current.then(() => this.handle());
    return this.#next;
  }

  async #handleAll(): Promise<void> {
    try {
      // A pass takes at most one request per schedule, so the next pass may find more.
      while (!this.signal.aborted && (await this.#handlePass()));
    } catch (error) {
      this.context.log.error(
        { err: error },
        'Requests by SQL could not be carried out; the next sweep tries again',
      );
    } finally {
      this.#current = null;
      this.#next = null;
    }
  }

  /** Carries out one batch of requests of each project. Resolves to false if nothing could be done. */
  async #handlePass(): Promise<boolean> {
    const { pool } = this.context;
    let hasProgress = false;
    let project = await readRequestingProject(pool, 0);
    while (project && !this.signal.aborted) {
      const handled = await this.#handleBatch(project);
      for (const each of handled) this.#report(project, each);
      // If Redis is away, the sweep sets the wake-ups.
      this.context.bells.arm(handled.flatMap(dueAtsOf)).catch(() => {});
      hasProgress ||= handled.length > 0;
      project = await readRequestingProject(pool, project.id);
    }
    return hasProgress;
  }

  /**
   * Carries out a batch of requests. One transaction makes the changes, records the refusals and deletes the requests.
   */
  #handleBatch(project: RequestingProject): Promise<HandledRequest[]> {
    const { id: projectId } = project;
    return inTransaction(this.context.pool, async (tx) => {
      const requests = await lockRequests(tx, { projectId, limit: REQUESTS_PER_TRANSACTION });
      const isCreate = ({ action }: SqlRequest) => action === 'schedule';
      const handled = await this.#create(tx, project, requests.filter(isCreate));
      const changes = requests.filter((request) => !isCreate(request));
      handled.push(...(await changeRequested(tx, { projectId, requests: changes })));
      const refused = handled.filter(
        (each): each is HandledRequest & RefusedRequest => each.kind === 'refused',
      );
      await recordRefusals(tx, { projectId, refused, now: null });
      await deleteRequests(tx, { projectId, ids: handled.map(({ request }) => request.id) });
      return handled;
    });
  }

  async #create(
    tx: Transaction,
    project: RequestingProject,
    requests: readonly SqlRequest[],
  ): Promise<HandledRequest[]> {
    const drafter = this.drafts.drafterOf(project);
    const handled: HandledRequest[] = [];
    const byActor = new Map<string, Drafted[]>();
    for (const request of requests) {
      const read = await this.#draft(tx, drafter, request);
      if (read.kind === 'refused') handled.push(read);
      else byActor.set(request.actor, [...(byActor.get(request.actor) ?? []), read]);
    }
    for (const drafted of byActor.values()) handled.push(...(await this.#store(tx, drafter, drafted)));
    return handled;
  }

  /**
   * Drafts a schedule as of the time at which the SQL function was called. If the worker handles the request later, the
   * occurrences since the call are due, so none is lost.
   */
  async #draft(
    tx: Transaction,
    drafter: Drafter,
    request: SqlRequest,
  ): Promise<(HandledRequest & { kind: 'refused' }) | (Drafted & { kind: 'drafted' })> {
    const { key, body, requestedAt } = request;
    const data = { ...(parseExactly(body ?? '{}') as object), id: key };
    try {
      const read = await this.drafts.draft(tx, drafter, { data, nowAt: requestedAt });
      return read.ok
        ? { kind: 'drafted', request, draft: read.value }
        : { kind: 'refused', request, reason: read.reason };
    } catch (error) {
      return refuse(request, error);
    }
  }

  /**
   * Stores the drafts of one actor together. If that fails, each draft is stored alone, so that one bad row does not
   * fail the others.
   */
  async #store(tx: Transaction, drafter: Drafter, drafted: readonly Drafted[]): Promise<HandledRequest[]> {
    const { projectId, limits } = drafter;
    const [first] = drafted;
    if (!first) return [];
    const drafts = drafted.map(({ draft }) => draft);
    try {
      const created = await inTransaction(tx, (nested) =>
        createSchedules(nested, { projectId, drafts, actor: first.request.actor, limits }),
      );
      return drafted.map(({ request, draft }, i) => {
        const result = created[i] as (typeof created)[number];
        const reason = refusalOf(result, draft, limits);
        if (reason !== null) return { kind: 'refused', request, reason };
        return { kind: 'created', request, dueAt: result.kind === 'created' ? draft.first.dueAt : null };
      });
    } catch (error) {
      if (drafted.length === 1) return [refuse(first.request, error)];
      if (isTransientError(error)) throw error;
      const handled: HandledRequest[] = [];
      for (const each of drafted) handled.push(...(await this.#store(tx, drafter, [each])));
      return handled;
    }
  }

  #report({ key: project }: RequestingProject, handled: HandledRequest): void {
    const { metrics, log } = this.context;
    const { action, key: schedule, actor } = handled.request;
    if (handled.kind === 'refused') {
      metrics.count('carillon_requests_rejected_total');
      const { reason } = handled;
      log.warn({ project, schedule, action, actor, reason }, 'A request by SQL was refused');
      return;
    }
    if (handled.kind === 'created' && handled.dueAt !== null) metrics.count('jobs_queued_total');
    if (handled.kind === 'changed' && handled.isNewCancel) metrics.count('jobs_cancelled_total');
  }
}

/** The due times for which a worker must be woken after a request. */
function dueAtsOf(handled: HandledRequest): number[] {
  if (handled.kind === 'changed') return handled.dueAts;
  return handled.kind === 'created' && handled.dueAt !== null ? [handled.dueAt] : [];
}

/** Refuses a request because of an error that another try would not cure. Throws a transient error again. */
function refuse(request: SqlRequest, error: unknown): HandledRequest & { kind: 'refused' } {
  if (isTransientError(error)) throw error;
  return { kind: 'refused', request, reason: `it could not be stored: ${(error as Error).message}` };
}
