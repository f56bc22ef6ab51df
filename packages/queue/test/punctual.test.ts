import { HOUR_MS } from '@carillon/shared';
import { eventually, useDatabase } from '@carillon/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectWorker } from '../src/connection.js';
import { BELL_JOB, QUEUES } from '../src/names.js';
import { openQueue } from '../src/open-queue.js';
import { keepPunctual, pauseUntilNextRead } from '../src/punctual.js';

const database = useDatabase();
let number = 0;

/** Opens a separate queue with one bell: a job that is delayed by the clock of this machine. */
async function openQueueWithBell({ delay }: { delay: number }) {
  const redis = connectWorker(database.redisUrl, () => {});
  const queue = openQueue(QUEUES.bells, { redis, prefix: `${database.prefix}-${++number}` });
  onTestFinished(async () => {
    await queue.close();
    redis.disconnect();
  });
  await queue.add(BELL_JOB, { ringAt: Date.now() + delay }, { delay });
  return { redis, queue };
}

/** Runs keepPunctual until the test has finished. Postgres's clock is `aheadMs` ahead of this machine's. */
function keep({ redis, queue }: Awaited<ReturnType<typeof openQueueWithBell>>, { aheadMs = 0 } = {}) {
  const stopped = new AbortController();
  let reads = 0;
  const zrange = redis.zrange.bind(redis) as (...args: unknown[]) => unknown;
  const countedZrange = (...args: unknown[]) => {
    reads++;
    return zrange(...args);
  };
  Object.assign(redis, { zrange: countedZrange });
  const kept = keepPunctual(redis, queue, {
    clock: { now: () => Date.now() + aheadMs },
    localNow: Date.now,
    maxLookMs: 20,
    signal: stopped.signal,
  });
  onTestFinished(async () => {
    stopped.abort();
    await kept;
  });
  return { countReads: () => reads };
}

describe('keepPunctual', () => {
  it('a bell (a delayed job) that is due by the clock of Postgres rings, although it is not due by the clock of this machine', async () => {
    const bells = await openQueueWithBell({ delay: HOUR_MS });
    keep(bells, { aheadMs: 2 * HOUR_MS });
    await eventually(async () => (await bells.queue.getWaitingCount()) === 1);
    expect(await bells.queue.getDelayedCount()).toBe(0);
  });

  it('a bell (a delayed job) that is not due by the clock of Postgres stays delayed', async () => {
    const bells = await openQueueWithBell({ delay: HOUR_MS });
    const { countReads } = keep(bells, { aheadMs: HOUR_MS / 2 });
    await eventually(() => countReads() > 5);
    expect(await bells.queue.getDelayedCount()).toBe(1);
  });

  it('while a bell (a delayed job) stays overdue because no worker takes it, Redis is read less and less often', async () => {
    const bells = await openQueueWithBell({ delay: 1 });
    const startedAt = performance.now();
    const { countReads } = keep(bells, { aheadMs: 10 });
    await eventually(() => countReads() >= 12, { everyMs: 1 });
    // The pauses between these reads are 2, 4, 8, 16, 32 and 64 ms, and then 100 ms each. Without growing pauses, a
    // quick machine would read twelve times within 20 ms.
    expect(performance.now() - startedAt).toBeGreaterThan(500);
  });

  it('the pause between reads of Redis is short if each read finds another overdue bell (a delayed job), and doubles while the reads find the same bell', () => {
    const pause = (isSameHead: boolean, lastPauseMs: number, untilHeadMs = -5) =>
      pauseUntilNextRead({ untilHeadMs, isSameHead, lastPauseMs, maxLookMs: 20 });
    expect(pause(false, 64)).toBe(1);
    expect([pause(true, 1), pause(true, 2), pause(true, 64)]).toEqual([2, 4, 100]);
    expect([pause(false, 64, 7), pause(true, 64, 7), pause(false, 1, 500)]).toEqual([7, 7, 20]);
  });
});
