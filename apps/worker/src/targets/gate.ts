import type { StopSignal } from '../in-flight.js';
import { Returns } from './returns.js';

interface Waiter {
  enter(): void;
}

/** Of two durations, how much the newer one counts. */
const NEWEST_WEIGHT = 0.1;
/** The pace is measured while the herd comes in, which is when it is worst: who comes back too early is sent away again, but nobody comes too late. */
const OPTIMISM = 4;

/**
 * Lets so many through at once. Who finds it full waits if, by the pace so far, its turn comes within its patience; and is
 * told when to come back if not. So a fast destination has many waiting in memory, where they cost nothing, and a slow one few.
 */
export class Gate {
  #inside = 0;
  #averageMs = 100;
  #lastLeftAt = performance.now();
  readonly #returns = new Returns();
  readonly #waiting = new Set<Waiter>();

  constructor(readonly limit: number) {}

  get isIdle(): boolean {
    return this.#inside === 0;
  }

  /** How many it lets through in a millisecond. Where nobody has left for longer than they usually take, that is what it takes by now. */
  get pace(): number {
    return this.limit / Math.max(this.#averageMs, this.#stillForMs());
  }

  /** When the turn of who comes now will be, by the pace so far. */
  get turnInMs(): number {
    return (this.#waiting.size * this.#averageMs) / this.limit;
  }

  /** Answers 0 once inside, or after how long to come back. Rejects where the signal aborts. */
  async enter(patienceMs: number, signal: StopSignal): Promise<number> {
    if (this.#inside < this.limit) {
      this.#inside++;
      return 0;
    }
    const canHope = this.turnInMs < patienceMs && this.#stillForMs() < patienceMs;
    if (canHope && (await this.#wait(patienceMs, signal))) return 0;
    return this.#returns.next(1 / (this.pace * OPTIMISM), performance.now());
  }

  /** `tookMs` is null for who went in and did nothing. */
  leave(tookMs: number | null): void {
    this.#lastLeftAt = performance.now();
    if (tookMs !== null) this.#averageMs += (tookMs - this.#averageMs) * NEWEST_WEIGHT;
    const [next] = this.#waiting;
    if (next) next.enter();
    else this.#inside--;
  }

  #stillForMs(): number {
    return performance.now() - this.#lastLeftAt;
  }

  /** Answers whether a place was handed over in time. */
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
