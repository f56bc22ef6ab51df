import type { Tick } from '@carillon/queue';
import type { RedisState } from '@carillon/shared';
import type { Config } from '../config.js';
import type { WorkerContext } from '../context.js';
import type { Drafts } from '../intake/drafts.js';
import type { Pipeline } from '../pipeline/pipeline.js';

/** Makes a worker act in time: bells and ticks over Redis, or timers of its own process. */
export interface Timing {
  /** Takes bells again after it had paused because no place was free. */
  resume(): void;
  /**
   * Says whether this worker should sweep now: the last sweep is too long ago, or Redis is away or has lost the sweep
   * tick. Before it says so, the timing over Redis restores its ticks.
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
