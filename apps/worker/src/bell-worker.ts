import { setTimeout as sleep } from 'node:timers/promises';
import { BELL_JOB, Bell, keepPunctual, QUEUES } from '@carillon/queue';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { WorkerContext } from './context.js';
import type { InFlight } from './in-flight.js';

/** So many bells may ring in one worker at a time: most of the time all but one only wait for the same claim. */
const BELLS_AT_ONCE = 200;
/** A bell from the far future is garbage, or a clock is off by more than a horizon: the sweep will look in time. */
const LONGEST_HOLD_MS = 120_000;

export interface BellWorker {
  /** Takes bells again, after none was taken for want of places. */
  resume(): void;
  close(): Promise<void>;
}

/** Listens for bells, on time, and rings. A bell that comes early by Postgres's clock is held until it is due. */
export function listenForBells(
  { bells, clock, metrics, log }: WorkerContext,
  {
    redis,
    prefix,
    inFlight,
    ring,
  }: { redis: Redis; prefix: string; inFlight: InFlight; ring: () => Promise<void> },
): BellWorker {
  const stopped = new AbortController();
  const worker = new Worker<Bell>(
    QUEUES.bells,
    async (job) => {
      const bell = Bell.safeParse(job.data);
      if (job.name !== BELL_JOB || !bell.success) return log.warn({ job: job.id }, 'Not a bell, ignored');
      if (inFlight.free === 0) {
        // Somebody else may have places: the bell is theirs, and this worker takes none until it has some again.
        worker.pause(true).catch(() => {});
        return bells.ringNow();
      }
      metrics.count('carillon_bells_rung_total');
      const earlyMs = bell.data.ringAt - clock.now();
      if (earlyMs > 0) {
        const ms = Math.min(earlyMs, LONGEST_HOLD_MS);
        await sleep(ms, undefined, { signal: stopped.signal }).catch(() => {}); // Stopping: the last look takes what is due.
      }
      await ring();
    },
    {
      connection: redis,
      prefix,
      concurrency: BELLS_AT_ONCE,
      lockDuration: 15_000,
      stalledInterval: 5_000,
      // Ringing twice is harmless, not ringing at all is not.
      maxStalledCount: 10,
    },
  );
  worker.on('error', (error) => log.debug({ err: error }, 'Bells'));
  const punctual = keepPunctual(redis, bells.queue, { localNow: Date.now, signal: stopped.signal });
  return {
    resume() {
      if (worker.isPaused() && !stopped.signal.aborted) worker.resume();
    },
    async close() {
      stopped.abort();
      await worker.close();
      await punctual;
    },
  };
}
