import type { ClaimedRun } from '@carillon/db';
import { Claimer } from './claim.js';
import type { WorkerContext } from './context.js';
import { Finalizer } from './finalize.js';
import { InFlight } from './in-flight.js';
import type { Deliver } from './targets/deliver.js';

/**
 * The life of an occurrence in this worker, from the bell that rang to the bell that comes next:
 * ring → claim → deliver → finalize → arm.
 */
export class Pipeline {
  readonly inFlight: InFlight;
  /** Called when a place comes free after there was none. */
  onFree: () => void = () => {};
  readonly #claimer: Claimer;
  readonly #finalizer: Finalizer;

  constructor(
    private readonly context: WorkerContext,
    private readonly deliver: Deliver,
    options: { places: number },
  ) {
    this.inFlight = new InFlight(options.places, () => {
      this.#claimer.onFree();
      this.onFree();
    });
    this.#finalizer = new Finalizer(context, this.inFlight);
    this.#claimer = new Claimer(context, this.inFlight, (runs) => this.#run(runs));
  }

  /** Resolves when a look at Postgres that began after this call has claimed what it found. */
  ring(): Promise<void> {
    return this.#claimer.ring();
  }

  /** No new claims; resolves when what is being claimed right now is in hand. */
  stopClaiming(): Promise<void> {
    return this.#claimer.stop();
  }

  /** Resolves when all that was delivered is closed in Postgres. */
  finish(): Promise<void> {
    return this.#finalizer.finish();
  }

  #run(runs: readonly ClaimedRun[]): void {
    const { metrics, clock } = this.context;
    for (const flight of this.inFlight.add(runs)) {
      metrics.observe('carillon_lateness_seconds', Math.max(0, clock.now() - flight.run.dueAt));
      this.deliver(flight).then((outcome) => {
        // What was taken from us while we delivered is not ours to close.
        if (this.inFlight.has(flight)) this.#finalizer.close(flight, outcome);
      });
    }
  }
}
