import type { Tick } from '@carillon/queue';
import type { RedisState } from '@carillon/shared';
import type { Config } from '../config.js';
import type { WorkerContext } from '../context.js';
import type { Drafts } from '../intake/drafts.js';
import type { Pipeline } from '../pipeline/pipeline.js';

/** Makes a worker act in time, by bells and ticks over Redis or by timers of its own process. */
export interface WorkerTiming {
  /** Takes bells again after the worker had stopped taking them, because it had no free place. */
  resume(): void;
  /**
   * True if this worker should sweep now: the last sweep is too long ago, Redis is away, or Redis has lost the sweep
   * tick. Timing over Redis first restores its ticks.
   */
  shouldSweep(state: { nowAt: number; lastSweepAt: number | null; redisState: RedisState }): Promise<boolean>;
  close(): Promise<unknown>;
}

/** The work of a worker when a bell rings or a tick is due. */
export interface TimedWork {
  context: WorkerContext;
  config: Config;
  drafts: Drafts;
  pipeline: Pick<Pipeline, 'inFlight' | 'ring'>;
  ticks: Record<Tick, () => Promise<unknown>>;
}
