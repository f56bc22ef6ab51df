interface Sample {
  aheadMs: number;
  roundTripMs: number;
}

const KEPT = 8;

/**
 * What time Postgres has. Its clock decides what is due, and bells are set and rung by it; this machine's clock only
 * measures how long ago Postgres was asked. Of the latest answers the quickest is believed: it can be off by no more than
 * half of its round trip.
 */
export class PostgresClock {
  readonly #samples: Sample[] = [];
  #aheadMs = 0;

  constructor(private readonly localNow: () => number) {}

  now(): number {
    return this.localNow() + this.#aheadMs;
  }

  /** Asks once, by whatever statement tells the time. */
  async ask<T extends { nowAt: number }>(statement: () => Promise<T>): Promise<T> {
    const askedAt = this.localNow();
    const answer = await statement();
    const roundTripMs = this.localNow() - askedAt;
    this.#samples.push({ aheadMs: answer.nowAt - (askedAt + roundTripMs / 2), roundTripMs });
    if (this.#samples.length > KEPT) this.#samples.shift();
    this.#aheadMs = this.#samples.reduce((a, b) => (b.roundTripMs <= a.roundTripMs ? b : a)).aheadMs;
    return answer;
  }
}
