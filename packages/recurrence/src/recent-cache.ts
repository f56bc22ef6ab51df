export interface CacheLimits<K, V> {
  /** Entries per generation. The cache holds at most two generations. */
  maxEntries: number;
  /** Estimated bytes per generation. */
  maxBytes: number;
  /** The estimated size of one entry, key included. */
  bytesOf: (key: K, value: V) => number;
}

/**
 * A cache bounded by the number of its entries and, optionally, by their estimated size. It keeps two generations
 * instead of a linked list, so a hit in the young generation writes nothing. When the young generation is full it
 * becomes the old one, and entries that were not read since the last such change are dropped.
 */
export class RecentCache<K, V> {
  private young = new Map<K, V>();
  private old = new Map<K, V>();
  private youngBytes = 0;
  private oldBytes = 0;
  private readonly limits: CacheLimits<K, V>;

  constructor(limits: number | CacheLimits<K, V>) {
    this.limits =
      typeof limits === 'number' ? { maxEntries: limits, maxBytes: limits, bytesOf: () => 1 } : limits;
  }

  /** The estimated bytes that the cache holds now. */
  get bytes(): number {
    return this.youngBytes + this.oldBytes;
  }

  get(key: K, make: () => V): V {
    const hit = this.young.get(key);
    if (hit !== undefined) return hit;
    let value = this.old.get(key);
    if (value === undefined) value = make();
    const entryBytes = this.limits.bytesOf(key, value);
    // An entry that is larger than a whole generation is not kept, because it would displace all others.
    if (entryBytes > this.limits.maxBytes) return value;
    if (this.young.size >= this.limits.maxEntries || this.youngBytes + entryBytes > this.limits.maxBytes) {
      this.old = this.young;
      this.oldBytes = this.youngBytes;
      this.young = new Map();
      this.youngBytes = 0;
    }
    this.young.set(key, value);
    this.youngBytes += entryBytes;
    return value;
  }
}
