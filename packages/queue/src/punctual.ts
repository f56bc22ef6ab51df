import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/** BullMQ's scores of delayed jobs are the time in milliseconds, times this, plus a number that keeps them apart. */
export const SCORE_PER_MS = 0x1000;
const LONGEST_SLEEP_MS = 100;

/**
 * Makes delayed jobs ring on time. A worker's blocking pop runs out only when Redis looks at its own clock, ten times a
 * second by default (`hz 10`), which makes a bell 50 ms late at p50; but any command makes Redis look. So this reads the
 * head of the delayed set, sleeps until that time, and reads again: 4 ms at p50, for at most a hundred reads a second
 * or so. Runs until the signal aborts.
 */
export async function keepPunctual(
  redis: Redis,
  queue: Pick<Queue, 'toKey'>,
  { localNow, signal }: { localNow: () => number; signal: AbortSignal },
): Promise<void> {
  const delayed = queue.toKey('delayed');
  while (!signal.aborted) {
    // While Redis is away there is nothing to keep punctual.
    const head = await redis.zrange(delayed, 0, '0', 'WITHSCORES').catch(() => []);
    const score = head[1];
    const untilHeadMs = score === undefined ? LONGEST_SLEEP_MS : Number(score) / SCORE_PER_MS - localNow();
    const ms = Math.min(Math.max(untilHeadMs, 1), LONGEST_SLEEP_MS);
    await sleep(ms, undefined, { signal }).catch(() => {}); // Aborted: the loop sees it.
  }
}
