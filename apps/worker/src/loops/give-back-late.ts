import { type ClaimedRun, giveBackUnbegun } from '@carillon/db';
import type { WorkerContext } from '../context.js';
import type { InFlight } from '../pipeline/in-flight.js';

/**
 * Maximum number of attempts that one transaction gives back, because it keeps the locks of their schedules until it
 * ends.
 */
const MAX_BATCH_SIZE = 500;

/**
 * Gives back the attempts that had not begun when this worker lost their lease, so that they do not count. This runs
 * apart from the loop that extends leases, because that loop must not wait for locks of runs or for a connection that
 * other work holds.
 */
export class LateGiveBack {
  #working: Promise<void> | null = null;

  constructor(
    private readonly context: WorkerContext,
    private readonly inFlight: InFlight,
  ) {}

  /**
   * Tries to give back every attempt that had not begun when its lease was lost. If that is not possible now, the
   * attempt waits for the next call.
   */
  async run(): Promise<void> {
    this.#working ??= this.#giveBack().finally(() => {
      this.#working = null;
    });
    await this.#working;
  }

  /** Does the same as `run`, also for attempts whose lease was lost while an earlier call was in progress. */
  async finish(): Promise<void> {
    await this.#working;
    await this.run();
  }

  async #giveBack(): Promise<void> {
    const { pool, holder, log, bells, clock, postgres } = this.context;
    const lost = this.inFlight.lostUnbegun.splice(0);
    let total = 0;
    while (lost.length > 0) {
      const batch = lost.splice(0, MAX_BATCH_SIZE);
      try {
        const { runs, left } = await giveBackUnbegun(pool, { ...holder, unbegun: batch, now: null });
        total += runs;
        this.inFlight.lostUnbegun.push(...(left as ClaimedRun[]));
      } catch (error) {
        this.inFlight.lostUnbegun.push(...batch, ...lost.splice(0));
        postgres.report(error, 'Attempts that had not begun could not be given back, trying again');
      }
    }
    if (total === 0) return;
    log.warn(
      { runs: total },
      'Attempts given back: their lease was lost before their delivery began, so they do not count',
    );
    bells.arm([clock.now()]).catch(() => {}); // If Redis is away, the sweep claims the runs.
  }
}
