import type { Counter } from '@carillon/db';

/** Upper bounds of the histograms' buckets, in milliseconds. */
const BUCKETS_MS = [1, 2, 5, 10, 20, 30, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];

/** Counts what happens in this process, until the next heartbeat carries it to Postgres, where all replicas are summed. */
export class Metrics {
  #counters = new Map<string, Counter>();
  #histograms = new Map<string, { buckets: number[]; sumMs: number; count: number }>();

  count(name: string, by = 1, labels = ''): void {
    const key = `${name}{${labels}}`;
    const counter = this.#counters.get(key);
    if (counter) counter.value += by;
    else this.#counters.set(key, { name, labels, value: by });
  }

  /** Adds one observation to a histogram. */
  observe(name: string, valueMs: number): void {
    let histogram = this.#histograms.get(name);
    if (!histogram) {
      histogram = { buckets: new Array(BUCKETS_MS.length + 1).fill(0), sumMs: 0, count: 0 };
      this.#histograms.set(name, histogram);
    }
    let bucket = 0;
    while (bucket < BUCKETS_MS.length && valueMs > (BUCKETS_MS[bucket] as number)) bucket++;
    histogram.buckets[bucket] = (histogram.buckets[bucket] as number) + 1;
    histogram.sumMs += valueMs;
    histogram.count++;
  }

  /** Hands over what has grown since the last time. */
  take(): Counter[] {
    for (const [name, { buckets, sumMs, count }] of this.#histograms) {
      buckets.forEach((value, i) => {
        const bound = BUCKETS_MS[i];
        if (value > 0)
          this.count(`${name}_bucket`, value, `le="${bound === undefined ? '+Inf' : bound / 1_000}"`);
      });
      this.count(`${name}_sum`, sumMs / 1_000);
      this.count(`${name}_count`, count);
    }
    const grown = [...this.#counters.values()];
    this.#counters = new Map();
    this.#histograms = new Map();
    return grown;
  }

  /** Takes back what could not be handed over. */
  giveBack(grown: readonly Counter[]): void {
    for (const { name, labels, value } of grown) this.count(name, value, labels);
  }
}
