interface Sample {
  aheadMs: number;
  roundTripMs: number;
}

const OFFSET_SAMPLES_KEPT = 8;
/**
 * Two samples may differ by this much more than their round trips explain, because clocks drift a little and Postgres
 * returns whole milliseconds.
 */
const TOLERANCE_MS = 50;

function contradict(a: Sample, b: Sample): boolean {
  return Math.abs(a.aheadMs - b.aheadMs) > (a.roundTripMs + b.roundTripMs) / 2 + TOLERANCE_MS;
}

/**
 * Estimates the time of Postgres's clock, which decides what is due and when bells ring. This machine's clock only
 * measures the time since Postgres was asked. The estimate comes from the sample with the shortest round trip among the
 * latest ones, because its error is at most half of the round trip.
 */
export class PostgresClock {
  readonly #samples: Sample[] = [];
  #best: Sample = { aheadMs: 0, roundTripMs: 0 };

  constructor(private readonly localNow: () => number) {}

  now(): number {
    return this.localNow() + this.#best.aheadMs;
  }

  /** How far this machine's clock is ahead of Postgres's; negative if it is behind. */
  get offsetMs(): number {
    return -this.#best.aheadMs;
  }

  /** The estimate may differ from Postgres's clock by up to this much. */
  get errorMs(): number {
    return Math.ceil(this.#best.roundTripMs / 2);
  }

  /** Takes one sample: runs a statement that returns Postgres's time. */
  async ask<T extends { nowAt: number }>(statement: () => Promise<T>): Promise<T> {
    const askedAt = this.localNow();
    const answer = await statement();
    const roundTripMs = this.localNow() - askedAt;
    const latest = { aheadMs: answer.nowAt - (askedAt + roundTripMs / 2), roundTripMs };
    // If two samples contradict each other, a clock was set in between, and the older samples are worthless.
    if (this.#samples.some((older) => contradict(older, latest))) this.#samples.length = 0;
    this.#samples.push(latest);
    if (this.#samples.length > OFFSET_SAMPLES_KEPT) this.#samples.shift();
    this.#best = this.#samples.reduce((a, b) => (b.roundTripMs <= a.roundTripMs ? b : a));
    return answer;
  }
}
