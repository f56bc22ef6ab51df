import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/**
 * A queue to add to. While Redis is away an add fails at once, and once it is back adds succeed, also where it was away when this
 * was called. Left to itself, BullMQ would first ask Redis for its version, and if that fails every add would fail for ever.
 */
export function openQueue<T = unknown>(
  name: string,
  { redis, prefix }: { redis: Redis; prefix: string },
): Queue<T> {
  const queue = new Queue<T>(name, {
    connection: redis,
    prefix,
    skipWaitingForReady: true,
    skipVersionCheck: true,
  });
  queue.on('error', () => {}); // The connection reports its own errors.
  return queue;
}
