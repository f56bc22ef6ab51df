import type { FastifyReply, FastifyRequest } from 'fastify';
import { tooManyRequests } from '../auth/rate-limit.js';

export interface HeavyWorkLimits {
  /** Maximum number of heavy requests of one project that run at once. */
  perProject: number;
  /**
   * Maximum number of heavy requests that run at once, over all projects. Each takes up to two of the ten connections
   * that this replica has to Postgres.
   */
  total: number;
  /** Maximum number of further heavy requests of one project that wait for their turn. */
  waitingPerProject: number;
  maxWaitMs: number;
}

export const HEAVY_WORK_LIMITS: HeavyWorkLimits = {
  perProject: 2,
  total: 4,
  waitingPerProject: 8,
  maxWaitMs: 10_000,
};

const RETRY_AFTER_MS = 2_000;

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The place that this request holds among the heavy requests that may run at once. It is set only on routes that do
     * heavy work.
     */
    heavyPlace?: Place;
  }
}

/**
 * The permission of a heavy request to run, one of a limited number of places. The request holds its place until its
 * work has ended, even if the client disconnects before.
 */
class Place {
  isWorking = false;
  #isLeft = false;

  constructor(private readonly onLeave: () => void) {}

  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.onLeave();
  }
}

/**
 * Limits heavy requests, such as bulk calls and backfills. Only a few run at a time, and projects take turns, so that
 * connections to Postgres are left for other requests.
 */
export class HeavyWork {
  readonly #running = new Map<number, number>();
  #total = 0;
  /** The waiting requests by project. The first project in the map is served next. */
  readonly #waiting = new Map<number, (() => void)[]>();

  constructor(private readonly limits: HeavyWorkLimits = HEAVY_WORK_LIMITS) {}

  /** An `onRequest` hook that waits for a place. The body of a waiting request is not read yet. */
  readonly hook = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { projectId } = request.caller;
    await this.#enter(projectId);
    const place = new Place(() => this.#leave(projectId));
    request.heavyPlace = place;
    reply.raw.once('close', () => {
      if (!place.isWorking) place.leave();
    });
    // The client disconnected while its request waited, so no further close event will come.
    if (reply.raw.destroyed) place.leave();
  };

  /** Does the work of a route, then frees the place. */
  async do<T>({ heavyPlace }: FastifyRequest, work: () => Promise<T>): Promise<T> {
    if (!heavyPlace) throw new Error('the route lacks the hook of heavy work');
    heavyPlace.isWorking = true;
    try {
      return await work();
    } finally {
      heavyPlace.leave();
    }
  }

  async #enter(projectId: number): Promise<void> {
    if (this.#hasRoom(projectId)) return this.#take(projectId);
    const queue = this.#waiting.get(projectId) ?? [];
    if (queue.length >= this.limits.waitingPerProject) throw refusal();
    this.#waiting.set(projectId, queue);
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        this.#take(projectId);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#forget(projectId, enter);
        reject(refusal());
      }, this.limits.maxWaitMs);
      queue.push(enter);
    });
  }

  #hasRoom(projectId: number): boolean {
    const { perProject, total } = this.limits;
    return this.#total < total && (this.#running.get(projectId) ?? 0) < perProject;
  }

  #take(projectId: number): void {
    this.#total++;
    this.#running.set(projectId, (this.#running.get(projectId) ?? 0) + 1);
  }

  #leave(projectId: number): void {
    this.#total--;
    const left = (this.#running.get(projectId) ?? 1) - 1;
    if (left > 0) this.#running.set(projectId, left);
    else this.#running.delete(projectId);
    for (const [waitingId, queue] of this.#waiting) {
      const [next] = queue;
      if (!next || !this.#hasRoom(waitingId)) continue;
      this.#forget(waitingId, next);
      // The project that was served goes to the end of the map, so that the projects take turns.
      if (this.#waiting.delete(waitingId)) this.#waiting.set(waitingId, queue);
      next();
      return;
    }
  }

  #forget(projectId: number, enter: () => void): void {
    const queue = this.#waiting.get(projectId);
    const at = queue?.indexOf(enter) ?? -1;
    if (at >= 0) queue?.splice(at, 1);
    if (queue?.length === 0) this.#waiting.delete(projectId);
  }
}

const refusal = () =>
  tooManyRequests('too_many_bulk_requests', {
    detail: 'this project already has its maximum of bulk requests in progress',
    waitMs: RETRY_AFTER_MS,
  });
