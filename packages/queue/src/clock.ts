/**
 * What time Postgres has, worked out from the last time it said so. Postgres's clock decides what is due, and a bell is
 * set and rung by it; this machine's clock only measures how long ago that was.
 */
export class PostgresClock {
  #aheadMs = 0;

  constructor(private readonly localNow: () => number) {}

  /** Postgres has just said that it is `nowAt`. */
  observe(nowAt: number): void {
    this.#aheadMs = nowAt - this.localNow();
  }

  now(): number {
    return this.localNow() + this.#aheadMs;
  }
}
