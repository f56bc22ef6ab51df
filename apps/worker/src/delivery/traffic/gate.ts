import type { StopSignal } from '../../pipeline/in-flight.js';

const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;

/** Spreads the returns of deferred deliveries over time, so that they do not all return at one instant. */
export class StaggeredReturns {
  #nextAt = 0;

  /** The delay of the next return, with one return every `spacingMs`. */
  next(spacingMs: number, now: number): number {
    const at = Math.max(this.#nextAt + spacingMs, now + MIN_DELAY_MS);
    // The delay is capped at a minute. Then the delivery checks again, because the destination may be faster by then.
    this.#nextAt = at - now <= MAX_DELAY_MS ? at : now + MAX_DELAY_MS / 2;
    return Math.round(this.#nextAt - now);
  }
}

interface Waiter {
  enter(): void;
}

/** The weight of the newest duration in the moving average. */
const AVERAGE_WEIGHT = 0.1;
/**
 * Deferred deliveries return at this multiple of the measured pace. The pace is measured while a herd arrives, when it
 * is at its lowest. A return that is too early costs another deferral; a return that is too late wastes time.
 */
const RETURN_PACE_FACTOR = 4;

/**
 * Limits concurrent deliveries. If the gate is full, a delivery waits in memory, provided that its turn comes within
 * the time it may wait at the current pace. Otherwise it is told when to return. So many deliveries wait for a fast
 * destination and few for a slow one.
 */
export class Gate {
  #inside = 0;
  #averageMs = 100;
  #lastLeftAt = performance.now();
  readonly #returns = new StaggeredReturns();
  readonly #waiting = new Set<Waiter>();

  constructor(readonly limit: number) {}

  get isIdle(): boolean {
    return this.#inside === 0;
  }

  /**
   * Deliveries per millisecond. If no delivery has ended for longer than the average duration, that idle time counts as
   * the duration.
   */
  get pace(): number {
    return this.limit / Math.max(this.#averageMs, this.#idleForMs());
  }

  /** The expected waiting time of a delivery that arrives now. */
  get turnInMs(): number {
    return (this.#waiting.size * this.#averageMs) / this.limit;
  }

  /** Resolves to 0 once inside, or to the delay after which to return. Rejects if the signal aborts. */
  async enter(patienceMs: number, signal: StopSignal): Promise<number> {
    if (this.#inside < this.limit) {
      this.#inside++;
      return 0;
    }
    const canWait = this.turnInMs < patienceMs && this.#idleForMs() < patienceMs;
    if (canWait && (await this.#wait(patienceMs, signal))) return 0;
    return this.#returns.next(1 / (this.pace * RETURN_PACE_FACTOR), performance.now());
  }

  /** `tookMs` is null if the delivery was deferred inside the gate. */
  leave(tookMs: number | null): void {
    this.#lastLeftAt = performance.now();
    if (tookMs !== null) this.#averageMs += (tookMs - this.#averageMs) * AVERAGE_WEIGHT;
    const [next] = this.#waiting;
    if (next) next.enter();
    else this.#inside--;
  }

  #idleForMs(): number {
    return performance.now() - this.#lastLeftAt;
  }

  /** Resolves to true if a place was handed over in time. */
  #wait(patienceMs: number, signal: StopSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => () => {
        this.#waiting.delete(waiter);
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        finish();
      };
      const waiter = { enter: settle(() => resolve(true)) };
      const giveUp = settle(() => reject(signal.reason));
      const timer = setTimeout(
        settle(() => resolve(false)),
        patienceMs,
      );
      this.#waiting.add(waiter);
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
    });
  }
}
