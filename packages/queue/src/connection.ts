import { Redis, type RedisOptions } from 'ioredis';
import { redisStateOf } from './redis-watch.js';

export interface RedisAddress {
  url: string;
  /** BullMQ's key prefix. On Redis Cluster it must be in braces. */
  prefix: string;
}

/** A connection for adding jobs. While Redis is unreachable, a command fails at once instead of waiting. */
export function connectProducer(url: string, onError: (error: Error) => void): Redis {
  return connect(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 2_000 }, onError);
}

/** A connection for BullMQ's workers, which block on Redis and wait until it is reachable again. */
export function connectWorker(url: string, onError: (error: Error) => void): Redis {
  return connect(url, { maxRetriesPerRequest: null }, onError);
}

/** Waits for the connection, but only briefly: without Redis the sweep still claims what is due, only later. */
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
  // Reconnect quickly, because no bell rings until then.
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);
  const redis = new Redis(url, { ...options, retryStrategy, reconnectOnError: reconnectIfDemoted() });
  redis.on('error', onError);
  return redis;
}

/** Minimum time between two reconnects after a refused write: a server may stay a replica and refuse every write. */
const SHORTEST_RECONNECT_MS = 1_000;

/**
 * Returns a function for the option `reconnectOnError` of ioredis. A demoted master refuses writes and keeps its
 * connections. Only a new connection finds the new master, behind the same name or address.
 */
function reconnectIfDemoted(): (error: Error) => boolean {
  let reconnectedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (redisStateOf(error) !== 'read_only') return false;
    if (performance.now() - reconnectedAt < SHORTEST_RECONNECT_MS) return false;
    reconnectedAt = performance.now();
    return true;
  };
}
