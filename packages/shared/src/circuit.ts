/** The circuit opens after this many failures in a row. */
const FAILURES_TO_OPEN = 20;
/** Each failed probe doubles the wait, up to this many times the first wait. */
const MAX_WAIT_FACTOR = 12;

/**
 * A circuit breaker for one origin, such as `https://example.com`. Closed: every delivery may go. Open: no delivery may
 * go until the wait is over. Half open: one delivery may go as a probe; its failure opens the circuit for longer. If it
 * succeeds, `Circuits` closes the circuit by forgetting it.
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

  /** How long the circuit has been open. */
  openForMs(now: number): number {
    return this.isOpen ? now - this.#openedAt : 0;
  }

  /** The time until the next delivery may go; 0 if one may go now. */
  waitMs(now: number): number {
    if (!this.isOpen) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    // A probe is in flight, so other deliveries wait for its result. The probe cannot hang, because it has a time-out.
    return this.#isProbing ? this.firstWaitMs : 0;
  }

  /**
   * True while the circuit is open and deliveries wait for it. A deferred delivery is tried again within twice the
   * wait, and then probes the origin. If none was tried by then, no delivery waits any more.
   */
  isHoldingBack(now: number): boolean {
    return this.isOpen && (this.#isProbing || now < this.#openUntil + 2 * this.#waitMs);
  }

  /** Begins a delivery that `waitMs` allowed; returns true if it is the probe. */
  begin(): boolean {
    this.#isProbing ||= this.isOpen;
    return this.isOpen;
  }

  /** Returns true if this failure opened the circuit. */
  failed(isProbe: boolean, now: number): boolean {
    const wasOpen = this.isOpen;
    this.#failures++;
    if (isProbe) {
      this.#isProbing = false;
      this.#waitMs = Math.min(this.#waitMs * 2, this.firstWaitMs * MAX_WAIT_FACTOR);
      this.#openUntil = now + this.#waitMs;
    } else if (!wasOpen && this.isOpen) {
      this.#openedAt = now;
      this.#openUntil = now + this.#waitMs;
    }
    return !wasOpen && this.isOpen;
  }

  /** A probe that was aborted says nothing about the origin, so the next delivery may probe. */
  aborted(isProbe: boolean): void {
    if (isProbe) this.#isProbing = false;
  }
}
