import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Claim,
  type ClaimedRun,
  claimDue,
  claimWaiting,
  readDueProjects,
  resumeEnded,
} from '@carillon/db';
import type { WorkerContext } from './context.js';
import type { InFlight } from './in-flight.js';
import { reportContention } from './systems/report-reminder.js';

const SHARE_OUT_EVERY_MS = 250;
/** Whoever has woken goes on by itself while there is a backlog: ringing on each batch would only cost. */
const CALL_FOR_HELP_EVERY_MS = 100;

/** Claims what is due, as often as it is rung and as far as there are places; one claim at a time. */
export class Claimer {
  #current: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** A ring came while no place was free: the next free place answers it. */
  #isOwed = false;
  /** While more is due than a batch holds, each project has its share. */
  #fairTo: number[] = [];
  #sharedOutAt = Number.NEGATIVE_INFINITY;
  #calledForHelpAt = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(
    private readonly context: WorkerContext,
    private readonly inFlight: InFlight,
    private readonly run: (runs: readonly ClaimedRun[]) => void,
  ) {}

  ring(): Promise<void> {
    if (!this.#current) {
      this.#current = this.#look();
      return this.#current;
    }
    // The look that is under way may have read already: whoever rings now needs one that begins later.
    this.#next ??= this.#current.then(() => this.ring());
    return this.#next;
  }

  onFree(): void {
    if (this.#isOwed) this.ring();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#next;
    await this.#current;
  }

  async #look(): Promise<void> {
    try {
      while (!this.#isStopped && (await this.#claimOnce()));
    } catch (error) {
      // Postgres is away, or the claim was rolled back: nothing is ours, and the sweep will look again.
      this.context.log.error({ err: error }, 'Claim failed');
    } finally {
      this.#current = null;
      this.#next = null;
    }
  }

  /** Answers whether there may be more to claim, and places for it. */
  async #claimOnce(): Promise<boolean> {
    const { context, inFlight } = this;
    const breath = context.traffic.breath();
    if (breath) await sleep(breath.ms);
    const limit = Math.min(inFlight.free, context.batchSize, breath?.most ?? context.batchSize);
    this.#isOwed = limit === 0;
    if (limit === 0) return false;
    const startedAt = performance.now();
    const options = { workerId: context.workerId, leaseMs: context.leaseMs, limit, now: null };
    const [due, waiting] = await Promise.all([
      claimDue(context.pool, { ...options, fairTo: this.#fairTo }),
      claimWaiting(context.pool, options),
    ]);
    for (const claim of [due, waiting]) this.#take(claim, performance.now() - startedAt);
    const resumedDueAts = waiting.hasPauseEnded ? await resumeEnded(context.pool, null) : [];
    this.#arm(resumedDueAts);
    await this.#shareOut(due.isFull);
    const hasMore = due.isFull || waiting.isFull || resumedDueAts.length > 0;
    if (hasMore) this.#callForHelp();
    return hasMore;
  }

  /** Not awaited: the other replicas are asked to help while this one goes on. */
  #callForHelp(): void {
    if (performance.now() - this.#calledForHelpAt < CALL_FOR_HELP_EVERY_MS) return;
    this.#calledForHelpAt = performance.now();
    this.context.bells.ringNow().catch(() => {});
  }

  /** Looks who has something due, now and then for as long as there is a backlog. */
  async #shareOut(hasBacklog: boolean): Promise<void> {
    if (!hasBacklog) this.#fairTo = [];
    else if (performance.now() - this.#sharedOutAt > SHARE_OUT_EVERY_MS) {
      this.#fairTo = await readDueProjects(this.context.pool, null);
      this.#sharedOutAt = performance.now();
    }
  }

  #take({ runs, nextDueAts, lost, lostKeys }: Claim, tookMs: number): void {
    const { metrics } = this.context;
    if (lost > 0) metrics.count('carillon_lost_claims_total', lost);
    for (const key of lostKeys) reportContention(this.context, key);
    if (runs.length > 0) {
      metrics.observe('carillon_claim_seconds', tookMs);
      metrics.count('jobs_due_total', runs.length);
      this.run(runs);
    }
    this.#arm(nextDueAts);
  }

  /** Not awaited, and Redis being away is no reason to stop: the sweep arms what is missing. */
  #arm(dueAts: readonly number[]): void {
    if (dueAts.length > 0) this.context.bells.arm(dueAts).catch(() => {});
  }
}
