/** Reproducible random numbers: with the same seed, a scenario has the same sizes, moments and victims. */
export class Random {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = (seed * 0x9e3779b1) >>> 0;
  }

  /** A number from 0 (included) to 1 (excluded), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** An integer between two bounds, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  isLikely(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.integer(0, list.length - 1)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  /** Picks this many different elements, in random order. */
  pickMany<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    return Array.from({ length: Math.min(count, list.length) }, () => {
      const [picked] = rest.splice(this.integer(0, rest.length - 1), 1);
      return picked as T;
    });
  }
}
