/**
 * How far a growing sequence has been read. Numbers are drawn before their transaction commits, so a smaller one may show
 * up after a larger: what was read lately is read again, and what was seen of it is remembered.
 */
export class Trail {
  #floor: number;
  #highest: number;
  #reached: { number: number; at: number }[] = [];

  constructor(from: number) {
    this.#floor = from;
    this.#highest = from;
  }

  /** Everything up to this has been seen. */
  get floor(): number {
    return this.#floor;
  }

  get highest(): number {
    return this.#highest;
  }

  /** Notes how far a look at `at` (milliseconds, of any clock) got; what was reached `settledMs` before then is settled. */
  reach(number: number, at: number, settledMs: number): void {
    this.#highest = Math.max(this.#highest, number);
    this.#reached.push({ number: this.#highest, at });
    while (this.#reached[0] && this.#reached[0].at <= at - settledMs) {
      this.#floor = Math.max(this.#floor, this.#reached[0].number);
      this.#reached.shift();
    }
  }
}
