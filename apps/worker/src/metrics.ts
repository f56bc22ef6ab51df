import type { Counter } from '@carillon/db';
import { BUCKETS_MS } from '@carillon/telemetry';

interface Histogram {
  buckets: number[];
  sumMs: number;
  count: number;
}

/**
 * Counters and histograms of this process, since its start. The worker's own `/metrics` shows them; each heartbeat adds
 * their growth to the sums over all replicas in Postgres.
 */
export class Metrics {
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();
  /** The part of each counter that `take` has already returned, by the key of the counter. */
  readonly #taken = new Map<string, number>();

  count(name: string, by = 1, labels = ''): void {
    const key = keyOf(name, labels);
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

  /** Every counter since the start of the process. A histogram appears as its buckets, its sum and its count. */
  totals(): Counter[] {
    return [...this.#counters.values(), ...[...this.#histograms].flatMap(toCounters)];
  }

  /** Returns the growth of all counters since the last call. */
  take(): Counter[] {
    return this.totals().flatMap(({ name, labels, value }) => {
      const key = keyOf(name, labels);
      const grown = value - (this.#taken.get(key) ?? 0);
      this.#taken.set(key, value);
      return grown > 0 ? [{ name, labels, value: grown }] : [];
    });
  }

  /** Takes back growth that could not be written to Postgres, so that the next `take` returns it again. */
  putBack(grown: readonly Counter[]): void {
    for (const { name, labels, value } of grown) {
      const key = keyOf(name, labels);
      this.#taken.set(key, (this.#taken.get(key) ?? 0) - value);
    }
  }
}

const keyOf = (name: string, labels: string) => `${name}{${labels}}`;

function toCounters([name, { buckets, sumMs, count }]: [string, Histogram]): Counter[] {
  const used = buckets.flatMap((value, i) => {
    const bound = BUCKETS_MS[i];
    const labels = `le="${bound === undefined ? '+Inf' : bound / 1_000}"`;
    return value > 0 ? [{ name: `${name}_bucket`, labels, value }] : [];
  });
  return [
    ...used,
    { name: `${name}_sum`, labels: '', value: sumMs / 1_000 },
    { name: `${name}_count`, labels: '', value: count },
  ];
}
