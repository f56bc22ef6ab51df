/** How often a worker sends commands to a Redis in which nothing happens. */
export interface IdleBehaviour {
  /**
   * Longest time between two reads of the next bell (a delayed job in Redis that wakes a worker when something is due).
   */
  maxLookMs: number;
  /** Options of BullMQ's workers. */
  worker: { drainDelay: number; stalledInterval: number };
}

/**
 * The choices of REDIS_IDLE. With `punctual`, a worker reads the next bell (a delayed job that wakes it when something
 * is due) ten times a second. So a bell rings on time even if it was added a moment ago. With `economy`, for a Redis
 * that is paid by the command, a worker reads the next bell every ten seconds. If a bell is added and rings between two
 * reads, only BullMQ times it, and the bell is up to 100 ms late on a Redis with `hz 10`.
 *
 * `drainDelay` (in seconds) is how long a blocking pop lasts. `stalledInterval` is how often BullMQ looks for the jobs
 * of lost workers. The runs of a lost worker do not wait for that, because the sweep finds them.
 */
export const IDLE_BEHAVIOURS: Record<'punctual' | 'economy', IdleBehaviour> = {
  punctual: { maxLookMs: 100, worker: { drainDelay: 5, stalledInterval: 5_000 } },
  economy: { maxLookMs: 10_000, worker: { drainDelay: 60, stalledInterval: 60_000 } },
};
