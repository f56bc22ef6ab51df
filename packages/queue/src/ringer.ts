/** Arms bells, so that a worker claims occurrences and runs as soon as they are due. */
export interface Ringer {
  /** Arms the slots of these instants. The sweep arms instants beyond the horizon when they come within it. */
  arm(dueAts: Iterable<number>): Promise<void>;
  /** Arms slots for which Redis holds no bell, even if this process armed them before. */
  rearm(ringAts: readonly number[]): Promise<void>;
  /** The ring times of all bells up to the end of the horizon; null if there is no Redis to hold them. */
  readArmed(nowAt: number, horizonMs: number): Promise<Set<number> | null>;
  /** The number of bells; null if there is no Redis to hold them. */
  countArmed(): Promise<number | null>;
  ringNow(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The bells of a worker that runs without Redis. They are timers in the process of the worker. Other workers find due
 * work by polling Postgres.
 */
export class TimerBells implements Ringer {
  /** Called with each instant that is armed. */
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
