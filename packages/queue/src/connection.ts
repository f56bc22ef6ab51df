import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { RedisServer } from './redis-settings.js';
import { parseRedisUrl, type RedisPlace } from './redis-url.js';
import { redisStateOf } from './redis-watch.js';

/** A connection to a Redis server, to the master that Sentinels name, or to a cluster. */
export type RedisClient = Redis | Cluster;

/** A connection for adding jobs. While Redis is unreachable, a command fails at once instead of waiting. */
export function connectProducer(server: string | RedisServer, onError: (error: Error) => void): RedisClient {
  return connect(
    server,
    { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 2_000 },
    onError,
  );
}

/** A connection for BullMQ's workers, which block on Redis and wait until it is reachable again. */
export function connectWorker(server: string | RedisServer, onError: (error: Error) => void): RedisClient {
  return connect(server, { maxRetriesPerRequest: null }, onError);
}

/** Opens another connection to the same Redis, for example one that only listens. */
export const duplicate = (redis: RedisClient): RedisClient =>
  redis instanceof Cluster ? redis.duplicate() : redis.duplicate();

/** Closes a connection that does not answer, and opens a new one, which leads to the current master. */
export const reconnect = (redis: RedisClient): void => redis.disconnect(true);

/**
 * Waits until the connection is ready, but no longer than `withinMs`, because a process also starts while Redis is
 * unreachable.
 */
export function untilReady(redis: RedisClient, withinMs = 2_000): Promise<void> {
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

type Behaviour = Pick<RedisOptions, 'enableOfflineQueue' | 'maxRetriesPerRequest' | 'commandTimeout'>;

function connect(
  given: string | RedisServer,
  behaviour: Behaviour,
  onError: (error: Error) => void,
): RedisClient {
  const server = typeof given === 'string' ? { url: given } : given;
  const place = parseRedisUrl(server.url);
  if ('problem' in place) throw new Error(`REDIS_URL: ${place.problem}`);
  const redis = open(place, server, behaviour);
  redis.on('error', onError);
  return redis;
}

function open(place: RedisPlace, { tls, sentinel }: RedisServer, behaviour: Behaviour): RedisClient {
  const { username, password, isTls } = place;
  const login = { username, password, ...(isTls && { tls: { ...tls } }) } as const;
  if (place.kind === 'cluster') {
    const { enableOfflineQueue = true, ...redisOptions } = behaviour;
    return new Cluster(place.hosts, {
      ...CLUSTER,
      enableOfflineQueue,
      redisOptions: { ...redisOptions, ...login },
      // A certificate names the hosts of the cluster. If ioredis resolved them to addresses, the certificate would not
      // match.
      ...(isTls && { dnsLookup: (host, done) => done(null, host) }),
    });
  }
  const options = {
    ...behaviour,
    ...login,
    db: place.db,
    retryStrategy,
    reconnectOnError: reconnectIfDemoted(),
  };
  if (place.kind === 'single') return new Redis({ ...options, ...place.hosts[0] });
  return new Redis({
    ...options,
    sentinels: place.hosts,
    name: place.master,
    sentinelUsername: sentinel?.username,
    sentinelPassword: sentinel?.password,
    sentinelRetryStrategy: retryStrategy,
    ...(isTls && { enableTLSForSentinelMode: true, sentinelTLS: { ...tls } }),
  });
}

/**
 * Reconnects quickly, because without a connection no delayed job of Redis (a bell) wakes a worker when something is
 * due.
 */
const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);

const CLUSTER: ClusterOptions = {
  clusterRetryStrategy: retryStrategy,
  // After a failover, ioredis reads the map of hash slots again on the next error. If no error occurs, this interval
  // bounds how long the old map is used.
  slotsRefreshInterval: 30_000,
};

/**
 * Minimum time between two reconnects after a refused write, because a server may stay a replica and refuse every
 * write.
 */
const MIN_RECONNECT_MS = 1_000;

/**
 * Returns a function for the option `reconnectOnError` of ioredis. A master that has become a replica refuses writes,
 * but keeps its connections open. Only a new connection, to the same name or address, reaches the new master.
 */
function reconnectIfDemoted(): (error: Error) => boolean {
  let reconnectedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (redisStateOf(error) !== 'read_only') return false;
    if (performance.now() - reconnectedAt < MIN_RECONNECT_MS) return false;
    reconnectedAt = performance.now();
    return true;
  };
}
