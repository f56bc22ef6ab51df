import { setTimeout as sleep } from 'node:timers/promises';
import { type ClaimedRun, isDatabaseError, isTransientError } from '@carillon/db';
import {
  BELL_JOB,
  Bell,
  type IdleBehaviour,
  keepPunctual,
  openQueue,
  QUEUES,
  type RedisClient,
} from '@carillon/queue';
import { type Outcome, type Plan, targetProblem } from '@carillon/shared';
import { Worker } from 'bullmq';
import type { WorkerContext } from '../context.js';
import type { ProjectSettings } from '../delivery/traffic/project-settings.js';
import { Claimer } from './claim.js';
import { Finalizer } from './finalize.js';
import { type Capacity, type Flight, InFlight } from './in-flight.js';
import { Starvation } from './starvation.js';

/**
 * Takes an occurrence through this worker: ring (the worker is woken) → claim (which also sets the next wake-up) →
 * deliver → finalize (the run is closed in Postgres).
 */
export class Pipeline {
  readonly inFlight: InFlight;
  /** Called when the worker has room for a run again, after it had none. */
  onFree: () => void = () => {};
  readonly #claimer: Claimer;
  readonly #finalizer: Finalizer;
  readonly #starvation = new Starvation();

  constructor(
    private readonly context: WorkerContext,
    private readonly deliver: Deliver,
    capacity: Capacity,
  ) {
    this.inFlight = new InFlight(capacity, (wasFull) => {
      this.#claimer.onFree();
      if (wasFull) this.onFree();
    });
    this.#finalizer = new Finalizer(context, this.inFlight);
    this.#claimer = new Claimer(context, this.inFlight, this.#starvation, (runs, tookMs) =>
      this.#run(runs, tookMs),
    );
  }

  /** Resolves when a claim that began after this call has ended. */
  ring(): Promise<void> {
    return this.#claimer.ring();
  }

  /** Stops claiming; resolves when the claim in progress has ended. */
  stopClaiming(): Promise<void> {
    return this.#claimer.stop();
  }

  /** Resolves when every delivery that has ended is closed in Postgres. */
  finish(): Promise<void> {
    return this.#finalizer.finish();
  }

  #run(runs: readonly ClaimedRun[], claimTookMs: number): void {
    const { hooks, tracing } = this.context;
    const flights = this.inFlight.add(runs, performance.now() - claimTookMs + this.context.leaseMs);
    tracing?.claimed(flights, claimTookMs);
    for (const flight of flights) {
      hooks.beforeDelivery(flight.run);
      this.deliver(flight).then((outcome) => {
        flight.trace?.end(outcome);
        if (outcome.kind !== 'deferred') this.#starvation.noteSent();
        // A run whose lease was lost during the delivery belongs to another worker, so it is not closed here.
        if (this.inFlight.has(flight)) this.#finalizer.close(flight, outcome);
      });
    }
  }
}

/**
 * Maximum number of bells (wake-ups by Redis) that a worker handles at once. Usually all but one of them only wait for
 * the same claim.
 */
const BELLS_AT_ONCE = 200;
/**
 * Maximum delay of a claim whose bell came too early. It guards against a bell with a wrong time and against a clock
 * that is far off. After this delay the claim begins even if the bell is not due yet. A sweep then finds the runs that
 * fall due later.
 */
const MAX_HOLD_MS = 120_000;

export interface BellWorker {
  /**
   * Takes bells (wake-ups by Redis) again after the worker had stopped taking them, because it had no room for more
   * runs.
   */
  resume(): void;
  close(): Promise<void>;
}

/**
 * Receives bells (jobs in Redis that wake a worker) and starts a claim for each. If a bell comes early by Postgres's
 * clock, the claim waits until the bell is due.
 */
export function listenForBells(
  { bells, clock, metrics, log }: WorkerContext,
  {
    redis,
    prefix,
    idle,
    inFlight,
    ring,
  }: {
    redis: RedisClient;
    prefix: string;
    idle: IdleBehaviour;
    inFlight: InFlight;
    ring: () => Promise<void>;
  },
): BellWorker {
  const stopped = new AbortController();
  const worker = new Worker<Bell>(
    QUEUES.bells,
    async (job) => {
      const bell = Bell.safeParse(job.data);
      if (job.name !== BELL_JOB || !bell.success)
        return log.warn({ job: job.id }, 'A job in the queue of bells is not a bell: it is ignored');
      if (inFlight.free === 0) {
        // This worker has no room for more runs, so it passes the bell to another worker, and takes no more bells until
        // a run ends.
        worker.pause(true).catch(() => {});
        return bells.ringNow();
      }
      metrics.count('carillon_bells_rung_total');
      // A claim that came too early by Postgres's clock would find nothing, and the bell would be used up. So the claim
      // waits for the estimated time plus the largest error of the estimate.
      const earlyMs = bell.data.ringAt + clock.errorMs - clock.now();
      if (earlyMs > 0) {
        // Node may fire a timer a millisecond early.
        const ms = Math.min(Math.ceil(earlyMs) + 1, MAX_HOLD_MS);
        await sleep(ms, undefined, { signal: stopped.signal }).catch(() => {}); // A stop cuts the wait short.
      }
      await ring();
    },
    {
      connection: redis,
      prefix,
      concurrency: BELLS_AT_ONCE,
      lockDuration: 15_000,
      ...idle.worker,
      // A bell that rings twice is harmless, but a lost bell makes its runs late. So a stalled bell is taken again.
      maxStalledCount: 10,
    },
  );
  worker.on('error', (error) => log.debug({ err: error }, 'Bell queue error'));
  const queue = openQueue<Bell>(QUEUES.bells, { redis, prefix });
  const punctual = keepPunctual(redis, queue, {
    clock,
    localNow: Date.now,
    maxLookMs: idle.maxLookMs,
    signal: stopped.signal,
  });
  return {
    resume() {
      if (worker.isPaused() && !stopped.signal.aborted) worker.resume();
    },
    async close() {
      stopped.abort();
      await worker.close();
      await punctual;
      await queue.close();
    },
  };
}

/** Makes one attempt at one run. The promise never rejects: a failure is an outcome too. */
export type Deliver = (flight: Flight) => Promise<Outcome>;

/**
 * Delivers a run to one kind of target, and stops when the delivery is aborted. An exception counts as a transient
 * failure.
 */
export type TargetDeliver = (flight: Flight) => Promise<Outcome>;

/**
 * Returns the function that delivers a run by the kind of its target. The limits of the project may have changed since
 * the schedule was created, so it first checks whether the project may still use that kind.
 */
export function deliverBy(
  targets: Record<Plan['target']['type'], TargetDeliver>,
  settings: Pick<ProjectSettings, 'of'>,
): Deliver {
  return async (flight) => {
    const { projectId, plan } = flight.run;
    try {
      const projectSettings = settings.of(projectId);
      const { projectKey, limits } =
        projectSettings instanceof Promise ? await projectSettings : projectSettings;
      if (flight.hasTimedOutUnsent) return POSTGRES_UNAVAILABLE;
      flight.projectKey = projectKey;
      const problem = targetProblem(plan.target, { project: projectKey, limits });
      if (problem)
        return { kind: 'failed', isTransient: false, errorCode: 'not_allowed', error: problem.message };
      return await targets[plan.target.type](flight);
    } catch (error) {
      return toFailure(error, flight);
    }
  };
}

/**
 * The outcome if Carillon could not read its own settings, or could not read them before the time-out of the run. The
 * run is deferred, so that the failure of Carillon does not cost the run an attempt.
 */
export const POSTGRES_UNAVAILABLE = {
  kind: 'deferred',
  retryInMs: 1_000,
  reasonCode: 'postgres_unavailable',
  reason: 'Carillon could not read its own settings from Postgres',
} as const satisfies Outcome;

function toFailure(error: unknown, { reason, run, sentAt }: Flight): Outcome {
  // A worker hands the run back if it stops, or if it lost the lease before it sent anything. The attempt does not
  // count.
  if (reason === 'shutdown' || (reason === 'lease_lost' && sentAt === null)) return { kind: 'handed_back' };
  // Before the first byte is sent, only Carillon's own statements run, so a database error then is a failure on
  // Carillon's side.
  if (isTransientError(error) || (sentAt === null && isDatabaseError(error))) return POSTGRES_UNAVAILABLE;
  if (reason === 'timeout') {
    return {
      kind: 'failed',
      isTransient: true,
      errorCode: 'timeout',
      error: `no answer within ${run.plan.timeoutMs} ms`,
    };
  }
  const text = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', isTransient: true, errorCode: 'error', error: text };
}
