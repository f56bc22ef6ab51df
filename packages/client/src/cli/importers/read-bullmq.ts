import { Redis } from 'ioredis';
import { UsageError } from '../usage-error.js';
import type { BullmqScheduler } from './bullmq.js';

const SCAN_COUNT = 1_000;

/**
 * Reads the job schedulers of BullMQ from Redis. The keys are read directly, because BullMQ's own functions also remove
 * schedulers that they find incomplete.
 */
export async function readBullmq(
  url: string,
  { prefix, queues }: { prefix: string; queues: readonly string[] | undefined },
): Promise<BullmqScheduler[]> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
  redis.on('error', () => {});
  try {
    await redis.connect();
    const schedulers: BullmqScheduler[] = [];
    for (const queue of queues ?? (await findQueues(redis, prefix))) {
      const pairs = await redis.zrange(`${prefix}:${queue}:repeat`, '0', '-1', 'WITHSCORES');
      for (let i = 0; i < pairs.length; i += 2) {
        const key = pairs[i] as string;
        const hash = await redis.hgetall(`${prefix}:${queue}:repeat:${key}`);
        schedulers.push({ queue, key, nextAt: Number(pairs[i + 1]), hash });
      }
    }
    return schedulers;
  } catch (error) {
    throw new UsageError(`cannot read job schedulers from Redis: ${(error as Error).message}`);
  } finally {
    redis.disconnect();
  }
}

/** The queues that have job schedulers, by the names of their keys. */
async function findQueues(redis: Redis, prefix: string): Promise<string[]> {
  const queues = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(
      cursor,
      'MATCH',
      `${prefix}:*:repeat`,
      'COUNT',
      SCAN_COUNT,
      'TYPE',
      'zset',
    );
    for (const key of keys) queues.add(key.slice(prefix.length + 1, -':repeat'.length));
    cursor = next;
  } while (cursor !== '0');
  return [...queues].sort();
}
