import type { Counter } from '@carillon/db';

/** Upper bounds of the histograms' buckets, in milliseconds. */
const BUCKETS_MS = [1, 2, 5, 10, 20, 30, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];

/** Counts what happens in this process, until the next heartbeat carries it to Postgres, where all replicas are summed. */
export class Metrics {
  #grown = new Map<string, Counter>();

  count(name: string, by = 1, labels = ''): void {
    const key = `${name}{${labels}}`;
    const counter = this.#grown.get(key);
    if (counter) counter.value += by;
    else this.#grown.set(key, { name, labels, value: by });
  }

  /** Adds one observation to a histogram. */
  observe(name: string, valueMs: number): void {
    const bound = BUCKETS_MS.find((upper) => valueMs <= upper);
    this.count(`${name}_bucket`, 1, `le="${bound === undefined ? '+Inf' : bound / 1_000}"`);
    this.count(`${name}_sum`, valueMs / 1_000);
    this.count(`${name}_count`);
  }

  /** Hands over what has grown since the last time. */
  take(): Counter[] {
    const grown = [...this.#grown.values()];
    this.#grown = new Map();
    return grown;
  }

  /** Takes back what could not be handed over. */
  giveBack(grown: readonly Counter[]): void {
    for (const { name, labels, value } of grown) this.count(name, value, labels);
  }
}
