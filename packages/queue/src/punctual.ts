import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { PostgresClock } from './clock.js';
import type { RedisClient } from './connection.js';

/** BullMQ's score of a delayed job is its time in milliseconds multiplied by this, plus a sequence number. */
export const SCORE_PER_MS = 0x1000;
const MIN_SLEEP_MS = 1;
/** Longest time between two reads while the same bell stays overdue. */
const MAX_OVERDUE_SLEEP_MS = 100;

/**
 * Makes bells (delayed jobs that wake a worker when something is due) ring on time, by Postgres's clock. A worker's
 * blocking pop times out only when Redis looks at its own clock, ten times a second by default (`hz 10`), which makes a
 * bell 50 ms late at p50. Any command makes Redis look at its clock. So this function reads the head of the delayed
 * set, sleeps until the first bell is due, and reads again. A bell is then 4 ms late at p50, at the cost of one or two
 * reads per bell. Runs until the signal aborts.
 */
export async function keepPunctual(
  redis: RedisClient,
  queue: Pick<Queue, 'toKey' | 'getJob'>,
  {
    clock,
    localNow,
    maxLookMs,
    signal,
  }: {
    clock: Pick<PostgresClock, 'now'>;
    localNow: () => number;
    /** Longest time between two reads. */
    maxLookMs: number;
    signal: AbortSignal;
  },
): Promise<void> {
  const delayed = queue.toKey('delayed');
  let head: string | undefined;
  let pauseMs = MIN_SLEEP_MS;
  while (!signal.aborted) {
    // While Redis is unreachable, no bell can ring.
    const [id, score] = await redis.zrange(delayed, 0, '0', 'WITHSCORES').catch(() => []);
    const ringAt = score === undefined ? Number.POSITIVE_INFINITY : Number(score) / SCORE_PER_MS;
    const untilHeadMs = ringAt - clock.now();
    // BullMQ promotes delayed jobs by this machine's clock. If that clock is behind, BullMQ does not see that the bell
    // is due.
    if (id !== undefined && untilHeadMs <= 0 && ringAt > localNow()) await promote(queue, id);
    pauseMs = pauseUntilNextRead({ untilHeadMs, isSameHead: id === head, lastPauseMs: pauseMs, maxLookMs });
    head = id;
    await sleep(pauseMs, undefined, { signal }).catch(() => {}); // The loop condition checks the signal.
  }
}

/**
 * How long to sleep before the next read. If two reads in a row find the same overdue bell, all workers are full and
 * the bell waits for one with room, so the pauses grow. Under load, each read finds a different overdue bell. The
 * pauses then stay short, because longer ones would make bells ring up to 100 ms late.
 */
export function pauseUntilNextRead({
  untilHeadMs,
  isSameHead,
  lastPauseMs,
  maxLookMs,
}: {
  /** The time until the first bell is due; 0 or less if it is overdue. */
  untilHeadMs: number;
  /** True if the previous read found the same bell at the head. */
  isSameHead: boolean;
  lastPauseMs: number;
  maxLookMs: number;
}): number {
  if (untilHeadMs > 0) return Math.max(Math.min(untilHeadMs, maxLookMs), MIN_SLEEP_MS);
  return isSameHead ? Math.min(lastPauseMs * 2, MAX_OVERDUE_SLEEP_MS) : MIN_SLEEP_MS;
}

/** Makes a bell ring now. If another worker has taken it meanwhile, there is nothing left to do. */
async function promote(queue: Pick<Queue, 'getJob'>, id: string): Promise<void> {
  const job = await queue.getJob(id).catch(() => undefined);
  await job?.promote().catch(() => {});
}
