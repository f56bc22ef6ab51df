const SOONEST_MS = 1_000;
const LATEST_MS = 60_000;

/** When those who are sent away are to come back: one by one, not all at once. */
export class Returns {
  #nextAt = 0;

  /** After how long the next one returns, where there is room for one every `spacingMs`. */
  next(spacingMs: number, now: number): number {
    const at = Math.max(this.#nextAt + spacingMs, now + SOONEST_MS);
    // Who would have to wait too long looks in between: things may be better by then.
    this.#nextAt = at - now <= LATEST_MS ? at : now + LATEST_MS / 2;
    return Math.round(this.#nextAt - now);
  }
}
