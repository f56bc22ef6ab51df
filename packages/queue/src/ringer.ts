/** Sets bells: wake-ups that make a worker claim occurrences and runs as soon as they are due. */
export interface Ringer {
  /**
   * Sets the bells for these due times. A due time beyond the horizon (a minute ahead by default) gets no bell yet: the
   * sweep sets the bell when the due time has come closer.
   */
  arm(dueAts: Iterable<number>): Promise<void>;
  /** Sets bells that Redis does not hold, even if this process has set them before. */
  rearm(ringAts: readonly number[]): Promise<void>;
  /** The ring times of all bells up to the end of the horizon; null if there is no Redis to hold them. */
  readArmed(nowAt: number, horizonMs: number): Promise<Set<number> | null>;
  /** The number of bells; null if there is no Redis to hold them. */
  countArmed(): Promise<number | null>;
  ringNow(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The bells (wake-ups for due work) of a worker that runs without Redis: timers in its own process. Other workers find
 * the due work by polling Postgres.
 */
export class TimerBells implements Ringer {
  /** Called with the earliest due time of each call of `arm`, or with minus infinity to ring now. */
  onArmed: (dueAt: number) => void = () => {};

  async arm(dueAts: Iterable<number>): Promise<void> {
    let earliestAt = Number.POSITIVE_INFINITY;
    for (const dueAt of dueAts) earliestAt = Math.min(earliestAt, dueAt);
    if (earliestAt < Number.POSITIVE_INFINITY) this.onArmed(earliestAt);
  }

  rearm = this.arm;
  readArmed = async () => null;
  countArmed = async () => null;

  async ringNow(): Promise<void> {
    this.onArmed(Number.NEGATIVE_INFINITY);
  }

  close = async () => {};
}
