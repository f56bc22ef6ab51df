import type { RedisFacts } from '@carillon/queue';
import type { RedisState } from '@carillon/shared';
import { judgeHealth } from '@carillon/shared';
import { type Check, failed, ok, warning } from './check.js';

/** The oldest Redis that BullMQ recommends. */
const OLDEST_REDIS = [6, 2];
/**
 * A worker is woken by a delayed job in Redis (bell), which takes several round trips. So a round trip longer than this
 * is a warning.
 */
const SLOW_ROUND_TRIP_MS = 20;

const REACH_REDIS = 'Check REDIS_URL, and that Redis runs and can be reached from this machine.';

/** Reports whether Redis takes writes. */
export function judgeRedisState(state: RedisState, error: string | null): Check {
  const name = 'redis';
  if (state === 'up') return ok(name, 'takes writes');
  const [reason] = judgeHealth({ isPostgresUp: true, engine: null, redis: state }).reasons;
  return failed(
    name,
    `takes no writes (${state}${error === null ? '' : `: ${error}`})`,
    state === 'down' ? REACH_REDIS : (reason?.message ?? REACH_REDIS),
  );
}

/** Judges the Redis servers: their versions, their eviction policies, and the latency of the slowest. */
export function judgeRedisServers(servers: readonly RedisFacts[]): Check[] {
  const versions = [...new Set(servers.map(({ version }) => version))].join(', ');
  const isOld = servers.some(({ version }) => {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    return (
      major < (OLDEST_REDIS[0] as number) ||
      (major === OLDEST_REDIS[0] && minor < (OLDEST_REDIS[1] as number))
    );
  });
  const policies = [...new Set(servers.map(({ maxmemoryPolicy }) => maxmemoryPolicy ?? 'unknown'))];
  const slowestMs = Math.max(...servers.map(({ latencyMs }) => latencyMs));
  const latency = `a round trip takes ${slowestMs.toFixed(1)} ms`;
  return [
    isOld
      ? failed('redis version', versions, `Upgrade to Redis ${OLDEST_REDIS.join('.')} or later.`)
      : ok('redis version', versions),
    policies.every((policy) => policy === 'noeviction')
      ? ok('redis policy', 'noeviction')
      : failed(
          'redis policy',
          `maxmemory-policy is ${policies.join(', ')}: Redis may delete bells when its memory is full`,
          'Set maxmemory-policy noeviction.',
        ),
    slowestMs > SLOW_ROUND_TRIP_MS
      ? warning('redis latency', latency, 'Run Redis near the workers: runs are late by several round trips.')
      : ok('redis latency', latency),
  ];
}
