import { LRUCache } from 'lru-cache';

/** How long a request waits for a value that is still being computed. */
const MAX_WAIT_FOR_VALUE_MS = 80;
/**
 * The TTL of a value is its computing time multiplied by this, but at most `MAX_TTL_MS`. So a value that takes up to 3
 * s to compute uses at most 5% of a core.
 */
const TTL_PER_COST = 20;
const MAX_TTL_MS = 60_000;
/** A value that takes less than this to compute is computed for every request. */
const CHEAP_MS = 50;
/** While a new value is computed, the old one is served unless it is older than this. */
const MAX_STALE_MS = 300_000;
/** Maximum number of values that are kept. The forecast of 200,000 schedules takes some 15 MB. */
const MAX_CACHED_VALUES = 20;

interface Kept<T> {
  value: T | null;
  computedAt: number;
  validUntil: number;
  computing: Promise<void> | null;
}

/**
 * Caches values that take seconds to compute for a large project. Values are computed in the background, one after the
 * other, and are fresh for up to a minute. A request does not wait for a slow value: `read` returns the previous value,
 * or null if there is none or if it is older than five minutes. With null, the route answers with what it can read at
 * once.
 */
export class BackgroundCache<T> {
  readonly #kept = new LRUCache<string, Kept<T>>({ max: MAX_CACHED_VALUES });
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly onError: (error: unknown, name: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Returns the cached value while it is fresh, or else a new one if it is computed soon enough. Otherwise returns the
   * stale value; null if there is none or if it is too old.
   */
  async read(name: string, compute: () => Promise<T>): Promise<T | null> {
    const kept = this.#keptFor(name);
    const isStale = this.now() >= kept.validUntil;
    if (isStale) {
      kept.computing ??= this.#compute(name, kept, compute);
      await Promise.race([
        kept.computing,
        new Promise((resolve) => setTimeout(resolve, MAX_WAIT_FOR_VALUE_MS)),
      ]);
    }
    return this.now() - kept.computedAt <= MAX_STALE_MS ? kept.value : null;
  }

  /** Returns the latest value, however old, or null. */
  peek(name: string): T | null {
    return this.#kept.peek(name)?.value ?? null;
  }

  /** Drops all values whose names begin with this prefix. */
  forget(prefix: string): void {
    for (const name of [...this.#kept.keys()]) if (name.startsWith(prefix)) this.#kept.delete(name);
  }

  #keptFor(name: string): Kept<T> {
    const kept = this.#kept.get(name) ?? { value: null, computedAt: 0, validUntil: 0, computing: null };
    this.#kept.set(name, kept);
    return kept;
  }

  #compute(name: string, kept: Kept<T>, compute: () => Promise<T>): Promise<void> {
    const computed = this.#turn
      .then(async () => {
        const beganAt = this.now();
        kept.value = await compute();
        kept.computedAt = this.now();
        const costMs = kept.computedAt - beganAt;
        const ttlMs = costMs < CHEAP_MS ? 0 : Math.min(MAX_TTL_MS, costMs * TTL_PER_COST);
        kept.validUntil = kept.computedAt + ttlMs;
      })
      .finally(() => {
        kept.computing = null;
      });
    this.#turn = computed.catch((error) => this.onError(error, name));
    return computed;
  }
}
