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
 * is due) ten times a second, so that even a bell that was added a moment ago rings on time. `economy` is for a Redis
 * that is paid by the command: the worker reads the next bell every ten seconds. A bell that is added and rings between
 * two reads is timed by BullMQ alone, which is up to 100 ms late on a Redis with `hz 10`. `drainDelay` (in seconds) is
 * how long a blocking pop lasts, and `stalledInterval` how often the jobs of lost workers are looked for. The sweep
 * finds the runs of a lost worker in any case.
 */
export const IDLE_BEHAVIOURS: Record<'punctual' | 'economy', IdleBehaviour> = {
  punctual: { maxLookMs: 100, worker: { drainDelay: 5, stalledInterval: 5_000 } },
  economy: { maxLookMs: 10_000, worker: { drainDelay: 60, stalledInterval: 60_000 } },
};
