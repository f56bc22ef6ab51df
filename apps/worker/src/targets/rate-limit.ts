import { Returns } from './returns.js';

/** What was not used within this time is lost: a quiet hour does not allow a flood. */
const BURST_MS = 1_000;

/** Lets so many through per second, with bursts of a second's worth. */
export class RateLimit {
  #nextAt = 0;
  readonly #returns = new Returns();

  constructor(readonly perSecond: number) {}

  /** Answers 0 for whoever may go now, or after how long to come back. */
  take(now: number): number {
    const spacingMs = 1_000 / this.perSecond;
    const at = Math.max(this.#nextAt, now - BURST_MS);
    if (at > now) return this.#returns.next(spacingMs, now);
    this.#nextAt = at + spacingMs;
    return 0;
  }
}
