import { MINUTE_MS } from '@carillon/shared';
import { LRUCache } from 'lru-cache';
import type { UsageBus } from './usage-bus.js';

const MAX_BUCKETS = 10_000;

interface Bucket {
  tokens: number;
  filledAt: number;
}

/**
 * The bus on which the replicas report to each other how many tokens they have given out, and the name of this limit on
 * the bus.
 */
interface Shared {
  bus: UsageBus;
  name: string;
}

/** The tokens in a bucket, and the time until it holds one token. */
export interface BucketLevel {
  tokens: number;
  waitMs: number;
}

/**
 * One token bucket for each owner, such as a project or a client address. A bucket holds the tokens of one minute and
 * refills continuously. The least recently used buckets are evicted first, so a flood of new owners cannot reset the
 * bucket of an owner that is being limited.
 */
export class TokenBuckets<Owner extends string | number> {
  readonly #buckets = new LRUCache<Owner, Bucket>({ max: MAX_BUCKETS });

  readonly #shared: Shared | null;
  readonly #now: () => number;

  constructor({
    shared = null,
    now = () => performance.now(),
  }: { shared?: Shared | null; now?: () => number } = {}) {
    this.#shared = shared;
    this.#now = now;
    shared?.bus.listen(shared.name, (owner, perMinute, count) =>
      this.#spend(owner as Owner, perMinute, count),
    );
  }

  /** Returns the level without taking a token. */
  peek(owner: Owner, perMinute: number): BucketLevel {
    const { tokens } = this.#refill(owner, perMinute);
    return { tokens, waitMs: tokens >= 1 ? 0 : ((1 - tokens) * MINUTE_MS) / perMinute };
  }

  /** Takes one token, if there is one. */
  take(owner: Owner, perMinute: number): BucketLevel & { isTaken: boolean } {
    const bucket = this.#refill(owner, perMinute);
    const isTaken = bucket.tokens >= 1;
    if (isTaken) {
      bucket.tokens--;
      this.#shared?.bus.note(this.#shared.name, owner, perMinute);
    }
    this.#buckets.set(owner, bucket);
    return { isTaken, ...this.peek(owner, perMinute) };
  }

  /**
   * Subtracts the tokens that another replica has given out. The bucket may go into debt, but by no more than one
   * minute's tokens.
   */
  #spend(owner: Owner, perMinute: number, count: number): void {
    const bucket = this.#refill(owner, perMinute);
    bucket.tokens = Math.max(-perMinute, bucket.tokens - count);
    this.#buckets.set(owner, bucket);
  }

  #refill(owner: Owner, perMinute: number): Bucket {
    const at = this.#now();
    const bucket = this.#buckets.get(owner) ?? { tokens: perMinute, filledAt: at };
    bucket.tokens = Math.min(perMinute, bucket.tokens + ((at - bucket.filledAt) * perMinute) / MINUTE_MS);
    bucket.filledAt = at;
    return bucket;
  }
}
