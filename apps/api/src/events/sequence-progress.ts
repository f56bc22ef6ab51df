/**
 * Tracks how far a growing sequence has been read. Postgres draws a number before the transaction commits, so a smaller
 * number may become visible after a larger one. For this reason, the numbers above `floor` are read again by later
 * polls.
 */
export class SequenceProgress {
  #floor: number;
  #highest: number;
  #reached: { number: number; at: number }[] = [];

  constructor(from: number) {
    this.#floor = from;
    this.#highest = from;
  }

  /** Every number up to this one has been read and need not be read again. */
  get floor(): number {
    return this.#floor;
  }

  get highest(): number {
    return this.#highest;
  }

  /**
   * Records that a poll at `at` (milliseconds of any monotonic clock) read up to `number`. A number need not be read
   * again once `settledMs` have passed since the poll that first reached it.
   */
  advance(number: number, at: number, settledMs: number): void {
    this.#highest = Math.max(this.#highest, number);
    this.#reached.push({ number: this.#highest, at });
    while (this.#reached[0] && this.#reached[0].at <= at - settledMs) {
      this.#floor = Math.max(this.#floor, this.#reached[0].number);
      this.#reached.shift();
    }
  }
}
