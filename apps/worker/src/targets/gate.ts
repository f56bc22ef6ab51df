import { Returns } from './returns.js';

export interface GateOptions {
  /** So many at once. */
  limit: number;
  /** So many may wait for a place in memory; the rest wait in Postgres. */
  mostWaiting: number;
}

interface Waiter {
  enter(): void;
}

/** Of two durations, how much the newer one counts. */
const NEWEST_WEIGHT = 0.1;

/** Lets so many through at once. Who finds it full waits a moment, and then is told when to come back. */
export class Gate {
  #inside = 0;
  #averageMs = 100;
  #lastLeftAt = performance.now();
  readonly #returns = new Returns();
  readonly #waiting = new Set<Waiter>();

  constructor(readonly options: GateOptions) {}

  get isIdle(): boolean {
    return this.#inside === 0;
  }

  /** Answers 0 once inside, or after how long to come back. Rejects where the signal aborts. */
  async enter(patienceMs: number, signal: AbortSignal): Promise<number> {
    if (this.#inside < this.options.limit) {
      this.#inside++;
      return 0;
    }
    const canHope = this.#waiting.size < this.options.mostWaiting && this.#stillForMs() < patienceMs;
    if (canHope && (await this.#wait(patienceMs, signal))) return 0;
    // Where nobody has left for longer than they usually take, that is what it takes by now.
    const tookMs = Math.max(this.#averageMs, this.#stillForMs());
    return this.#returns.next(tookMs / this.options.limit, performance.now());
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
  #wait(patienceMs: number, signal: AbortSignal): Promise<boolean> {
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
