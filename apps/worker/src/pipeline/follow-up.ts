import {
  type ClaimedRun,
  type FailedRun,
  findSchedulesWithQueue,
  pauseFailing,
  pauseGone,
  promoteQueued,
  readLatenessOfEnded,
} from '@carillon/db';
import type { WorkerContext } from '../context.js';
import type { Metrics } from '../metrics.js';
import type { EndedDelivery } from './finalize.js';
import { reportFailure } from './report-failure.js';

/** Maximum number of schedules in one call of `promoteQueued`, which lets queued runs of these schedules start. */
const MAX_BATCH_SIZE = 500;

/**
 * Does the work that follows when attempts have ended: sets wake-ups for retries, lets the next queued run of a
 * schedule start (promotes it), and pauses failing schedules. Promotions and pauses use the same connections as claims.
 * So they are done one after the other, promotions in batches, however many runs end together.
 */
export class FollowUps {
  /** Schedules with a run that has ended, by project, so that the projects can take turns. */
  readonly #endedOf = new Map<number, Set<number>>();
  #steps: (() => Promise<void>)[] = [];
  #working: Promise<void> | null = null;

  constructor(private readonly context: WorkerContext) {}

  /**
   * Does the work that follows when attempts have ended: counts them, reports failed runs, sets wake-ups for retries,
   * and starts the work in Postgres (pausing schedules, and starting queued runs).
   */
  add(batch: readonly EndedDelivery[]): void {
    const { metrics, clock, bells, hooks, alerts } = this.context;
    const retryAts: number[] = [];
    for (const [outcome, count] of countBy(batch, (done) => done.outcome.kind)) {
      if (outcome !== 'deferred') metrics.count('carillon_attempts_total', count, `outcome="${outcome}"`);
    }
    for (const done of batch) {
      const { closed, outcome } = done;
      if (outcome.kind === 'deferred')
        metrics.count('carillon_deferred_total', 1, `reason="${outcome.reasonCode}"`);
      else metrics.observe('carillon_delivery_seconds', closed.durationMs ?? 0);
      if (closed.latenessMs !== null) observeStart(metrics, done.flight.run, closed.latenessMs);
      if (closed.status === 'failed') reportFailure(this.context, toFailedRun(done));
      if (closed.retryInMs !== null) {
        if (outcome.kind === 'failed') metrics.count('carillon_retries_total');
        retryAts.push(clock.now() + closed.retryInMs);
      }
      hooks.afterClose(done);
      const { plan, scheduleId } = done.flight.run;
      if (plan.slo !== null && closed.status !== 'retrying')
        alerts.noteEnd(scheduleId, closed.status === 'failed');
      this.#collect(done);
    }
    if (batch.some(({ closed }) => closed.receipt)) this.context.receipts.send();
    if (retryAts.length > 0) bells.arm(retryAts).catch(() => {}); // If Redis is away, the sweep sets the wake-ups.
    this.#start();
  }

  /**
   * Records the lateness of runs that this worker could not close, because a report of the job or a cancel had ended
   * them during their first attempt. Only this worker knows that these runs had begun.
   */
  addRefused(batch: readonly EndedDelivery[]): void {
    const first = batch.map(({ flight }) => flight.run).filter((run) => !run.hasBegun);
    if (first.length === 0) return;
    const { pool, metrics } = this.context;
    this.#steps.push(async () => {
      for (const { run, latenessMs } of await readLatenessOfEnded(pool, first))
        observeStart(metrics, run, latenessMs);
    });
    this.#start();
  }

  /** Resolves when all follow-ups that were added so far are done. */
  async finish(): Promise<void> {
    await this.#working;
  }

  #start(): void {
    if (this.#endedOf.size + this.#steps.length > 0) this.#working ??= this.#work();
  }

  #collect({ flight, outcome, closed }: EndedDelivery): void {
    const { projectId, scheduleId, scheduleKey, plan, isCounted } = flight.run;
    const { pool, log } = this.context;
    const paused = { projectId, scheduleId: scheduleKey };
    if (outcome.kind === 'failed' && outcome.isGone) {
      this.#steps.push(async () => {
        const { kind } = await pauseGone(pool, scheduleId);
        if (kind === 'changed') log.warn(paused, 'Schedule paused: its receiver answered 410 Gone');
      });
    }
    const limit = plan.pauseAfterFailures;
    if (closed.status === 'failed' && limit !== null) {
      this.#steps.push(async () => {
        const { kind } = await pauseFailing(pool, { scheduleId, limit });
        if (kind === 'changed') log.warn(paused, 'Schedule paused: it keeps failing');
      });
    }
    if (!isCounted || closed.status === 'retrying') return;
    const ended = this.#endedOf.get(projectId);
    if (ended) ended.add(scheduleId);
    else this.#endedOf.set(projectId, new Set([scheduleId]));
  }

  async #work(): Promise<void> {
    while (this.#endedOf.size + this.#steps.length > 0) {
      const steps = this.#steps.splice(0);
      const ended = this.#takeEnded();
      // A failed follow-up must not stop the others. If queued runs could not be promoted, the sweep promotes them.
      for (const followUp of [...steps, () => this.#promote(ended)]) {
        await followUp().catch((error) =>
          this.context.postgres.report(
            error,
            'A follow-up of closed runs failed; the sweep promotes the queued runs',
          ),
        );
      }
    }
    this.#working = null;
  }

  /** Takes a batch of schedules, shared equally among the projects. */
  #takeEnded(): number[] {
    const share = Math.ceil(MAX_BATCH_SIZE / Math.max(1, this.#endedOf.size));
    return [...this.#endedOf].slice(0, MAX_BATCH_SIZE).flatMap(([projectId, schedules]) => {
      const taken = [...schedules].slice(0, share);
      for (const id of taken) schedules.delete(id);
      if (schedules.size === 0) this.#endedOf.delete(projectId);
      return taken;
    });
  }

  async #promote(scheduleIds: readonly number[]): Promise<void> {
    const { pool, bells } = this.context;
    const promoted = await promoteQueued(pool, await findSchedulesWithQueue(pool, scheduleIds), null);
    if (promoted > 0) await bells.ringNow();
  }
}

const toFailedRun = ({ flight: { run }, closed }: EndedDelivery): FailedRun => ({
  ...run,
  targetType: run.plan.target.type,
  errorCode: closed.errorCode ?? 'error',
  error: closed.error ?? '',
});

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

type Waited = Pick<ClaimedRun, 'dueAt' | 'recordedAt' | 'claimedAt' | 'deferredFromAt'>;

/**
 * Records how late a run began, once per run, and how long it waited for a worker (backlog), for its turn (queue) and
 * for its destination (deferral).
 */
function observeStart(metrics: Metrics, run: Waited, latenessMs: number): void {
  metrics.observe('carillon_lateness_seconds', latenessMs);
  const { dueAt, recordedAt, claimedAt, deferredFromAt } = run;
  metrics.observe('carillon_backlog_wait_seconds', Math.max(0, recordedAt - dueAt));
  const firstClaimedAt = deferredFromAt ?? claimedAt;
  if (recordedAt < firstClaimedAt)
    metrics.observe('carillon_queue_wait_seconds', firstClaimedAt - recordedAt);
  if (deferredFromAt !== null) metrics.observe('carillon_deferral_wait_seconds', claimedAt - deferredFromAt);
}
