import { StaggeredReturns } from './gate.js';

/**
 * The largest burst is the number of deliveries that the limit allows in this time, however long the project was idle
 * before.
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
