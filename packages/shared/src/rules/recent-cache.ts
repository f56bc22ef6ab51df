/**
 * A bounded map that keeps what was asked for recently. Two generations instead of a linked list: a hit writes
 * nothing, and what was not asked for while one generation filled goes with the other.
 */
export class RecentCache<K, V> {
  private young = new Map<K, V>();
  private old = new Map<K, V>();

  constructor(private readonly generationSize: number) {}

  get(key: K, make: () => V): V {
    const hit = this.young.get(key);
    if (hit !== undefined) return hit;
    let value = this.old.get(key);
    if (value === undefined) value = make();
    if (this.young.size >= this.generationSize) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
    return value;
  }
}
