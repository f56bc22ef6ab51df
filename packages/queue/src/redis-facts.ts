import { Cluster } from 'ioredis';
import type { RedisClient } from './connection.js';

/** A Redis server as `carillon doctor` sees it. */
export interface RedisFacts {
  version: string;
  /** The eviction policy for a full memory; null if Redis does not say. */
  maxmemoryPolicy: string | null;
  /** The median duration of several round trips to the server. */
  latencyMs: number;
}

const PINGS_MEASURED = 9;

/** Reads the facts of the server, or of each master of a cluster. */
export function readRedisFacts(redis: RedisClient): Promise<RedisFacts[]> {
  const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
  return Promise.all(
    servers.map(async (server) => {
      const info = `${await server.info('server')}\n${await server.info('memory')}`;
      const latencies: number[] = [];
      for (let sample = 0; sample < PINGS_MEASURED; sample++) {
        const startedAt = performance.now();
        await server.ping();
        latencies.push(performance.now() - startedAt);
      }
      latencies.sort((a, b) => a - b);
      return {
        version: fieldOf(info, 'redis_version') ?? 'unknown',
        maxmemoryPolicy: fieldOf(info, 'maxmemory_policy'),
        latencyMs: latencies[Math.floor(PINGS_MEASURED / 2)] as number,
      };
    }),
  );
}

const fieldOf = (info: string, name: string): string | null =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;
