import { type ClaimedRun, handBackUnbegun } from '@carillon/db';
import type { WorkerContext } from '../context.js';
import type { InFlight } from '../pipeline/in-flight.js';

/**
 * Maximum number of attempts that one transaction hands back to Postgres. The transaction keeps their schedules locked
 * until it ends.
 */
const MAX_BATCH_SIZE = 500;

/**
 * Hands attempts back to Postgres if this worker lost their lease before they had begun, so that they do not count and
 * any worker can claim their runs again. This runs apart from the loop that extends leases, because that loop must not
 * wait for locks of runs or for a connection that other work holds.
 */
export class LateHandBack {
  #working: Promise<void> | null = null;

  constructor(
    private readonly context: WorkerContext,
    private readonly inFlight: InFlight,
  ) {}

  /**
   * Tries to hand back every attempt that had not begun when its lease was lost. An attempt that cannot be handed back
   * now waits for the next call.
   */
  async run(): Promise<void> {
    this.#working ??= this.#handBack().finally(() => {
      this.#working = null;
    });
    await this.#working;
  }

  /**
   * Waits for a call in progress, and then does the same as `run`. So attempts whose lease was lost during that call
   * are handed back as well.
   */
  async finish(): Promise<void> {
    await this.#working;
    await this.run();
  }

  async #handBack(): Promise<void> {
    const { pool, holder, log, bells, clock, postgres } = this.context;
    const lost = this.inFlight.lostUnbegun.splice(0);
    let total = 0;
    while (lost.length > 0) {
      const batch = lost.splice(0, MAX_BATCH_SIZE);
      try {
        const { runs, left } = await handBackUnbegun(pool, { ...holder, unbegun: batch, now: null });
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
