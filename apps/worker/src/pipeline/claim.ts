import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Claim,
  type ClaimedRun,
  claimDue,
  claimWaiting,
  NOTHING_CLAIMED,
  type ProjectShare,
  readProjectsWith,
  resumeEnded,
  type WaitingClaim,
} from '@carillon/db';
import type { Pool } from 'pg';
import type { WorkerContext } from '../context.js';
import type { InFlight } from './in-flight.js';
import { reportFailure } from './report-failure.js';
import type { Starvation } from './starvation.js';

const SHARE_OUT_EVERY_MS = 250;
/**
 * Minimum time between two calls for help, which wake the other workers because of a backlog. One call is enough,
 * because a worker goes on claiming as long as there is a backlog.
 */
const CALL_FOR_HELP_EVERY_MS = 100;
/** Maximum bytes of payloads in one claim, however much memory is free. */
const MAX_CLAIM_BYTES = 32 * 1_024 ** 2;
/**
 * While another transaction has locked due rows, the delay before the next claim doubles from the first value up to the
 * second.
 */
const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;

/**
 * Claims due runs whenever this worker is woken (`ring`), as long as it has room for more runs. Only one claim runs at
 * a time.
 */
export class Claimer {
  #current: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** True if this worker was woken while it had no room for more runs. It claims as soon as there is room. */
  #hasMissedBell = false;
  /**
   * Projects that the last claim left out because they had used up their share of this worker. Their runs are claimed
   * when there is room again.
   */
  #leftOut = new Map<number, ProjectShare>();
  readonly #projectsWithWork = {
    due: new ProjectsWithWork('due'),
    waiting: new ProjectsWithWork('waiting'),
  };
  #calledForHelpAt = Number.NEGATIVE_INFINITY;
  #backoffMs = FIRST_BACKOFF_MS;
  #backoff: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(
    private readonly context: WorkerContext,
    private readonly inFlight: InFlight,
    private readonly starvation: Pick<Starvation, 'throttle'>,
    private readonly run: (runs: readonly ClaimedRun[], claimTookMs: number) => void,
  ) {}

  ring(): Promise<void> {
    // The loop in `#look` checks `#isStopped` too. But if the claimer is stopped, `#look` ends before its promise is
    // stored in `#current`, and the ended promise would stay there.
    if (this.#isStopped || this.context.membership.isHeld) return Promise.resolve();
    if (!this.#current) {
      this.#current = this.#look();
      return this.#current;
    }
    // A claim in progress may have taken its snapshot already, so queue one more.
    this.#next ??= this.#current.then(() => this.ring());
    return this.#next;
  }

  onFree(): void {
    if (this.#hasMissedBell || this.#canAnyGoOn()) this.ring();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#backoff) clearTimeout(this.#backoff);
    await this.#next;
    await this.#current;
  }

  async #look(): Promise<void> {
    try {
      while (!this.#isStopped && (await this.#claimOnce()));
    } catch (error) {
      // A claim has failed, for example because Postgres is unreachable. The next sweep claims again. If the claim was
      // committed and only its answer was lost, `keepLeases` hands its runs back.
      this.context.postgres.report(error, 'Claim failed; the next sweep tries again');
    } finally {
      this.#current = null;
      this.#next = null;
    }
  }

  #canAnyGoOn(): boolean {
    for (const { id, weight } of this.#leftOut.values())
      if (!this.inFlight.hasUsedUp(id, weight)) return true;
    return false;
  }

  /** Claims one batch, if there is room for it. Resolves to true if more may be due. */
  async #claimOnce(): Promise<boolean> {
    const { context, inFlight } = this;
    const starved = this.starvation.throttle();
    const backpressure = context.traffic.backpressure() ?? starved;
    if (backpressure) await sleep(backpressure.pauseMs);
    const { perBatch } = inFlight.places;
    const limit = Math.min(perBatch, context.batchSize, backpressure?.limit ?? context.batchSize);
    const maxBytes = Math.min(inFlight.bytes.perBatch, MAX_CLAIM_BYTES);
    this.#hasMissedBell = limit === 0 || maxBytes === 0;
    this.#leftOut.clear();
    if (this.#hasMissedBell) return false;
    const startedAt = performance.now();
    // The two claims are separate transactions. If one fails, the runs of the other are claimed all the same, and must
    // be delivered.
    const results = await this.#claimBoth({ limit, maxBytes });
    const claims = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    for (const claim of claims) this.#take(claim, performance.now() - startedAt);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) {
      this.inFlight.hasLostAnswer = true;
      throw failure.reason;
    }
    return this.#goOn(claims as [Claim, WaitingClaim]);
  }

  /**
   * Claims due schedules and waiting runs: at the same time, or one after the other if there is too little room for
   * both batches.
   */
  async #claimBoth(batch: {
    limit: number;
    maxBytes: number;
  }): Promise<[PromiseSettledResult<Claim>, PromiseSettledResult<WaitingClaim>]> {
    const { free } = this.inFlight;
    const due = this.#claimDue(batch);
    const claimed =
      free >= 2 * batch.limit
        ? 0
        : await due.then(
            ({ runs }) => runs.length,
            () => 0,
          );
    // Batches that are claimed at the same time may belong to one project. So the second batch takes at most half of
    // the room that the first one leaves, and the other half stays free for other projects.
    const left = claimed > 0 || free < 2 * batch.limit ? free - claimed : Math.ceil((free - batch.limit) / 2);
    const limit = Math.min(batch.limit, left);
    return Promise.allSettled([due, this.#claimWaiting({ ...batch, limit })]);
  }

  async #claimDue(batch: { limit: number; maxBytes: number }): Promise<Claim> {
    const { holder, leaseMs, pool } = this.context;
    const fairTo = await this.#projectsFor('due');
    if (fairTo === 'none') return NOTHING_CLAIMED;
    return claimDue(pool, { ...holder, ...batch, leaseMs, fairTo, now: null });
  }

  async #claimWaiting(batch: { limit: number; maxBytes: number }): Promise<WaitingClaim> {
    const { holder, leaseMs, pool } = this.context;
    const fairTo = await this.#projectsFor('waiting');
    // A claim with the limit 0 claims nothing, but it still reports whether the pause of a schedule has ended.
    const allowed = fairTo === 'none' ? { limit: 0, fairTo: [] } : { fairTo };
    return claimWaiting(pool, { ...holder, ...batch, ...allowed, leaseMs, now: null });
  }

  /**
   * The projects among which the next batch is shared; 'none' if nothing may be claimed now. An empty list means that
   * the earliest due rows may be claimed, whatever their project.
   */
  async #projectsFor(kind: 'due' | 'waiting'): Promise<readonly ProjectShare[] | 'none'> {
    const { inFlight } = this;
    const isCrowded = inFlight.isCrowded;
    const projects = await this.#projectsWithWork[kind].read(this.context.pool, { isCrowded });
    // The worker may have been stopped during the pause before this claim, or while Postgres was slow to answer.
    if (this.#isStopped) return 'none';
    if (!isCrowded) return projects.length > 1 ? projects : [];
    const allowed = projects.filter(({ id, weight }) => !inFlight.hasUsedUp(id, weight));
    for (const share of projects) if (!allowed.includes(share)) this.#leftOut.set(share.id, share);
    return allowed.length === 0 ? 'none' : allowed;
  }

  async #goOn([due, waiting]: [Claim, WaitingClaim]): Promise<boolean> {
    const resumedDueAts = waiting.hasPauseEnded ? await resumeEnded(this.context.pool, null) : [];
    this.#arm(resumedDueAts);
    this.#projectsWithWork.due.hasBacklog = due.isFull;
    this.#projectsWithWork.waiting.hasBacklog = waiting.isFull;
    this.#lookAgainIfBlocked(due.isBlocked || waiting.isBlocked);
    const hasMore = due.isFull || waiting.isFull || resumedDueAts.length > 0;
    if (hasMore) this.#callForHelp();
    return hasMore;
  }

  /**
   * If another transaction has locked due rows, claims again later, with growing delays. The other workers are not
   * woken, because they could not claim the locked rows either.
   */
  #lookAgainIfBlocked(isBlocked: boolean): void {
    if (!isBlocked) this.#backoffMs = FIRST_BACKOFF_MS;
    else if (!this.#backoff && !this.#isStopped) {
      this.#backoff = setTimeout(() => {
        this.#backoff = null;
        this.ring();
      }, this.#backoffMs);
      this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
    }
  }

  /**
   * Wakes the other workers to help with the backlog. The call is not awaited, because this worker goes on claiming
   * meanwhile.
   */
  #callForHelp(): void {
    if (performance.now() - this.#calledForHelpAt < CALL_FOR_HELP_EVERY_MS) return;
    this.#calledForHelpAt = performance.now();
    this.context.bells.ringNow().catch(() => {});
  }

  #take({ runs, nextDueAts, lostKeys, missed, setAside }: Claim, tookMs: number): void {
    const { metrics } = this.context;
    if (setAside) reportFailure(this.context, setAside);
    if (lostKeys.length > 0) metrics.count('carillon_lost_claims_total', lostKeys.length);
    for (const { reasonCode, count } of missed)
      metrics.count('carillon_missed_total', count, `reason="${reasonCode}"`);
    for (const key of lostKeys) this.context.hooks.onLostClaim(key);
    if (runs.length > 0) {
      metrics.observe('carillon_claim_seconds', tookMs);
      metrics.count('jobs_due_total', runs.length);
      this.context.membership.rememberClaim(runs);
      this.run(runs, tookMs);
    }
    this.#arm(nextDueAts);
  }

  /** Sets wake-ups for due times, without waiting for the result. If Redis is away, the sweep sets them later. */
  #arm(dueAts: readonly number[]): void {
    if (dueAts.length > 0) this.context.bells.arm(dueAts).catch(() => {});
  }
}

/**
 * The projects that have due schedules or, if `kind` is `waiting`, the projects that have waiting runs. They are read
 * from Postgres only while there is a backlog, or while a project has used up its share of this worker.
 */
class ProjectsWithWork {
  hasBacklog = false;
  #projects: ProjectShare[] = [];
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly kind: 'due' | 'waiting') {}

  /**
   * Reads the projects that have work. While a project has used up its share of this worker (`isCrowded`), only
   * projects in this list get something. So the list is then read before each claim.
   */
  async read(pool: Pool, { isCrowded }: { isCrowded: boolean }): Promise<readonly ProjectShare[]> {
    if (!isCrowded && !this.hasBacklog) return [];
    const isOld = performance.now() - this.#readAt > SHARE_OUT_EVERY_MS;
    if (isCrowded || isOld) {
      this.#projects = await readProjectsWith(this.kind, pool, null);
      this.#readAt = performance.now();
    }
    return this.#projects;
  }
}
