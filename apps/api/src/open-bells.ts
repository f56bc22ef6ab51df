import { randomUUID } from 'node:crypto';
import {
  Bells,
  NO_REDIS_WATCH,
  type PostgresClock,
  type RedisClient,
  RedisWatch,
  type Ringer,
  reconnect,
  reportOutages,
  TimerBells,
  type Waker,
  WakeUps,
} from '@carillon/queue';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import type { Counters } from './metrics/counters.js';

/**
 * Opens the bells (delayed jobs in Redis, which notify workers when something is due), the wake-ups (jobs that notify
 * them at once) and the health check of Redis. In an installation without Redis, workers find new work by polling
 * Postgres.
 */
export function openBells(
  redis: RedisClient | null,
  { config, clock, counters, log }: { config: Config; clock: PostgresClock; counters: Counters; log: Logger },
): { bells: Ringer; wakeUps: Waker; watch: Pick<RedisWatch, 'look'> } {
  if (!redis) return { bells: new TimerBells(), wakeUps: NO_WAKE_UPS, watch: NO_REDIS_WATCH };
  const prefix = config.REDIS_PREFIX;
  const bells = new Bells({
    redis,
    prefix,
    clock,
    process: randomUUID(),
    horizonMs: config.ARM_HORIZON_MS,
    onArmed: (count) => counters.count('carillon_bells_armed_total', count),
  });
  const watch = new RedisWatch({
    redis,
    prefix,
    ...reportOutages(log, 'new schedules are found by the sweep, some seconds late'),
    onSilence: () => reconnect(redis),
  });
  return { bells, wakeUps: new WakeUps({ redis, prefix }), watch };
}

/** Wakes no worker, because there is no Redis. The next sweep does the work. */
const NO_WAKE_UPS: Waker = { wake: async () => {}, close: async () => {} };
