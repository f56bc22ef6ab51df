import type { Tick } from '@carillon/queue';
import type { RedisState } from '@carillon/shared';
import type { Config } from '../config.js';
import type { WorkerContext } from '../context.js';
import type { Drafts } from '../intake/drafts.js';
import type { Pipeline } from '../pipeline/pipeline.js';

/**
 * Wakes a worker in time, by jobs in Redis (bells for due runs, ticks for periodic work) or by timers of its own
 * process.
 */
export interface WorkerTiming {
  /** Lets the worker be woken again, after it had no room for more runs. */
  resume(): void;
  /**
   * True if this worker should sweep now: the last sweep is too long ago, Redis is away, or Redis has lost the periodic
   * job of the sweep. With Redis, the call also restores the periodic jobs that Redis may have lost.
   */
  shouldSweep(state: { nowAt: number; lastSweepAt: number | null; redisState: RedisState }): Promise<boolean>;
  close(): Promise<unknown>;
}

/** The work that a worker does when runs are due, or when a tick (one of Carillon's own jobs) is due. */
export interface TimedWork {
  context: WorkerContext;
  config: Config;
  drafts: Drafts;
  pipeline: Pick<Pipeline, 'inFlight' | 'ring'>;
  ticks: Record<Tick, () => Promise<unknown>>;
}
