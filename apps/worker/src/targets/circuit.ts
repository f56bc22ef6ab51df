/** So many failures in a row, and an origin is left alone for a while. */
const FAILURES_TO_OPEN = 20;
/** While it is left alone, each probe that fails doubles the wait up to so many times the first. */
const LONGEST_FACTOR = 12;

/**
 * Whether an origin is worth trying. Closed: everybody may. Open: nobody may, for a while. Half open: one probe at a
 * time, whose success closes the circuit and whose failure opens it for longer.
 */
export class Circuit {
  #failures = 0;
  #openedAt = 0;
  #openUntil = 0;
  #waitMs: number;
  #isProbing = false;

  constructor(private readonly firstWaitMs: number) {
    this.#waitMs = firstWaitMs;
  }

  get isOpen(): boolean {
    return this.#failures >= FAILURES_TO_OPEN;
  }

  /** How long it has been open without a success. */
  openForMs(now: number): number {
    return this.isOpen ? now - this.#openedAt : 0;
  }

  /** How long to stay away as of now; 0 for not at all. */
  waitMs(now: number): number {
    if (!this.isOpen) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    // Somebody's probe is under way, for as long as its own deadline allows.
    return this.#isProbing ? this.firstWaitMs : 0;
  }

  /** Begins a delivery that `waitMs` allowed; answers whether it is the probe. */
  begin(): boolean {
    this.#isProbing ||= this.isOpen;
    return this.isOpen;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#waitMs = this.firstWaitMs;
    this.#isProbing = false;
  }

  /** Answers whether this failure is what opened the circuit. */
  failed(isProbe: boolean, now: number): boolean {
    const wasOpen = this.isOpen;
    this.#failures++;
    if (isProbe) {
      this.#isProbing = false;
      this.#waitMs = Math.min(this.#waitMs * 2, this.firstWaitMs * LONGEST_FACTOR);
      this.#openUntil = now + this.#waitMs;
    } else if (!wasOpen && this.isOpen) {
      this.#openedAt = now;
      this.#openUntil = now + this.#waitMs;
    }
    return !wasOpen && this.isOpen;
  }

  /** A probe that was called off says nothing: the next one may try. */
  calledOff(isProbe: boolean): void {
    if (isProbe) this.#isProbing = false;
  }
}
