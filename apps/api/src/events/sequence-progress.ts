/** How a poll read from the database. */
export interface PageRead {
  /** In milliseconds of any monotonic clock. */
  startedAt: number;
  endedAt: number;
  /** True if the page reached its limit, so that numbers above the last one of the page may be left. */
  isFull: boolean;
}

/**
 * Tracks how far a growing sequence has been read. Postgres draws a number before the transaction commits, so a smaller
 * number may become visible after a larger one. For this reason, each poll looks for all numbers above `floor` that it
 * has not read yet, and not only for those above the largest number.
 */
export class SequenceProgress {
  #floor: number;
  #highest: number;
  readonly #read = new Set<number>();
  #reached: { number: number; at: number }[] = [];

  /** After a number has been read, polls look for smaller numbers for `maxCommitLagMs` more. */
  constructor(
    from: number,
    private readonly maxCommitLagMs: number,
  ) {
    this.#floor = from;
    this.#highest = from;
  }

  /** Later polls need not look for numbers up to this one. */
  get floor(): number {
    return this.#floor;
  }

  /** The numbers above `floor` that have been read. Later polls leave them out. */
  get alreadyRead(): readonly number[] {
    return [...this.#read];
  }

  /** True if a later poll will look for this number. */
  isUnread(number: number): boolean {
    return number > this.#floor && !this.#read.has(number);
  }

  /**
   * Records the numbers that a poll has read. `numbers` is ascending. The floor rises to a number only when a poll ends
   * that started at least `maxCommitLagMs` after the number was first read. That poll has looked for smaller numbers
   * once more.
   */
  advance(numbers: readonly number[], { startedAt, endedAt, isFull }: PageRead): void {
    const last = numbers.at(-1) ?? this.#highest;
    for (const number of numbers) this.#read.add(number);
    this.#highest = Math.max(this.#highest, last);
    this.#reached.push({ number: this.#highest, at: endedAt });
    const lookedUpTo = isFull ? last : this.#highest;
    for (;;) {
      const reached = this.#reached[0];
      if (!reached || reached.at > startedAt - this.maxCommitLagMs || reached.number > lookedUpTo) break;
      this.#floor = reached.number;
      this.#reached.shift();
    }
    for (const number of this.#read) if (number <= this.#floor) this.#read.delete(number);
  }
}
