import type { Outcome } from '@carillon/shared';
import type { AbortReason, StopSignal } from '../../pipeline/in-flight.js';

/**
 * Maximum time that a delivery waits at a gate (a limit of concurrent deliveries). Meanwhile it counts as one of the
 * worker's concurrent runs, so a delivery that would have to wait longer is deferred.
 */
export const MAX_WAIT_AT_GATE_MS = 2_000;
const SENT_NOTHING_RETRY_MS = 1_000;

/**
 * Makes a delivery once the gate admits it. If the gate does not admit it soon, returns the outcome of `defer`
 * instead.
 */
export async function passGate(
  gate: Gate,
  { timeoutMs, signal }: { timeoutMs: number; signal: StopSignal },
  defer: (returnInMs: number) => Outcome,
  deliver: () => Promise<Outcome>,
): Promise<Outcome> {
  const returnInMs = await gate
    .enter(Math.min(MAX_WAIT_AT_GATE_MS, timeoutMs / 4), signal)
    .catch((error: unknown) => {
      // The time ran out while the delivery waited at Carillon's own gate. Nothing was sent, so the attempt does not
      // count.
      if (hasTimedOut(signal)) return SENT_NOTHING_RETRY_MS;
      throw error;
    });
  if (returnInMs > 0) return defer(returnInMs);
  const startedAt = performance.now();
  let outcome: Outcome | null = null;
  try {
    outcome = await deliver();
    return outcome;
  } finally {
    gate.leave(outcome?.kind === 'deferred' ? null : performance.now() - startedAt);
  }
}

/**
 * True if the signal aborted because of a time-out. The reason of a `Flight` is a string, that of `AbortSignal.timeout`
 * an error.
 */
export function hasTimedOut({ reason }: StopSignal): boolean {
  return (
    reason === ('timeout' satisfies AbortReason) || (reason as Error | undefined)?.name === 'TimeoutError'
  );
}

interface Waiter {
  enter(): void;
}

/** The weight of the newest duration in the moving average of the durations of deliveries. */
const AVERAGE_WEIGHT = 0.1;
/**
 * Deferred deliveries come back at the measured pace of the gate multiplied by this. The measured pace underestimates
 * the destination, because deliveries take longer while many of them arrive at once. A delivery that comes back too early is deferred
 * again. A delivery that comes back too late leaves the gate unused meanwhile.
 */
const RETURN_PACE_FACTOR = 4;

/**
 * Limits concurrent deliveries. If the gate is full, a delivery waits in memory if it is expected to be admitted within
 * its patience. Otherwise the delivery is deferred. So many deliveries wait for a fast destination, and few for a slow
 * one.
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
   * Deliveries per millisecond that pass the gate, estimated from the average duration of a delivery. If no delivery has
   * ended for longer than that average, the time since the last end is used instead.
   */
  get pace(): number {
    return this.limit / Math.max(this.#averageMs, this.#idleForMs());
  }

  /** The expected waiting time of a delivery that arrives now. */
  get turnInMs(): number {
    return (this.#waiting.size * this.#averageMs) / this.limit;
  }

  /**
   * Resolves to 0 once the delivery is admitted, or to the delay after which it should come back. Rejects if the signal
   * aborts.
   */
  async enter(patienceMs: number, signal: StopSignal): Promise<number> {
    if (this.#inside < this.limit) {
      this.#inside++;
      return 0;
    }
    const canWait = this.turnInMs < patienceMs && this.#idleForMs() < patienceMs;
    if (canWait && (await this.#wait(patienceMs, signal))) return 0;
    return this.#returns.next(1 / (this.pace * RETURN_PACE_FACTOR), performance.now());
  }

  /**
   * Called when an admitted delivery has ended: admits the next one that waits. `tookMs` is null if the delivery was
   * deferred after it was admitted.
   */
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

  /** Waits until the delivery is admitted. Resolves to false if that would take longer than `patienceMs`. */
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

/**
 * A project that sent nothing for a while may send at once as many deliveries as its limit allows in this time, and one
 * more.
 */
const BURST_MS = 1_000;

/** Limits deliveries per second, with bursts of one second's worth. */
export class RateLimit {
  #nextAt = 0;
  readonly #returns = new StaggeredReturns();

  constructor(readonly perSecond: number) {}

  /** Returns 0 if the delivery may go now, or the delay after which it should come back. */
  take(now: number): number {
    const spacingMs = 1_000 / this.perSecond;
    const at = Math.max(this.#nextAt, now - BURST_MS);
    if (at > now) return this.#returns.next(spacingMs, now);
    this.#nextAt = at + spacingMs;
    return 0;
  }
}

const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;

/** Spreads the delays of deferred deliveries, so that they do not all come back at one instant. */
class StaggeredReturns {
  #nextAt = 0;

  /** The delay of the next deferred delivery. Delays are `spacingMs` apart. */
  next(spacingMs: number, now: number): number {
    const at = Math.max(this.#nextAt + spacingMs, now + MIN_DELAY_MS);
    // No delay exceeds a minute. Beyond it, the delays begin again at half a minute, because the destination may be
    // faster by then.
    this.#nextAt = at - now <= MAX_DELAY_MS ? at : now + MAX_DELAY_MS / 2;
    return Math.round(this.#nextAt - now);
  }
}
