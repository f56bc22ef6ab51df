import { Queue } from 'bullmq';
import type { RedisClient } from './connection.js';

/**
 * Opens a queue for adding jobs. While Redis is unreachable, an add fails at once; later adds succeed again, even if
 * Redis was unreachable when the queue was opened. Without these options BullMQ first asks Redis for its version, and
 * if that fails, every later add fails too.
 */
export function openQueue<T = unknown>(
  name: string,
  { redis, prefix }: { redis: RedisClient; prefix: string },
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
