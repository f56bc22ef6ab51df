import { Redis, type RedisOptions } from 'ioredis';

export interface RedisAddress {
  url: string;
  /** BullMQ's key prefix. On Redis Cluster, in braces. */
  prefix: string;
}

/** For whoever adds jobs: while Redis is away a command fails at once instead of hanging until it is back. */
export function connectProducer(url: string, onError: (error: Error) => void): Redis {
  return connect(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 2_000 }, onError);
}

/** For BullMQ's workers, which block on Redis and wait for it however long it stays away. */
export function connectWorker(url: string, onError: (error: Error) => void): Redis {
  return connect(url, { maxRetriesPerRequest: null }, onError);
}

/** Waits for the connection, but not for long: without Redis everything goes on, only less punctually. */
export function untilReady(redis: Redis, withinMs = 2_000): Promise<void> {
  if (redis.status === 'ready') return Promise.resolve();
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      redis.off('ready', go);
      resolve();
    };
    const timer = setTimeout(go, withinMs);
    redis.once('ready', go);
  });
}

function connect(
  url: string,
  options: Omit<RedisOptions, 'replyMapping'>,
  onError: (error: Error) => void,
): Redis {
  // Back quickly: bells are what waits.
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);
  const redis = new Redis(url, { ...options, retryStrategy });
  redis.on('error', onError);
  return redis;
}
