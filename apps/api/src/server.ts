import { Creations, ensureAdminKey, openDatabase, readClock, SecretBox } from '@carillon/db';
import { Bells, connectProducer, Pokes, PostgresClock } from '@carillon/queue';
import type { Logger } from 'pino';
import { buildApp } from './app.js';
import type { Config } from './config.js';
import { Counters } from './counters.js';
import { KeyRing } from './key-ring.js';

export interface RunningApi {
  url: string;
  stop(): Promise<void>;
}

/** Starts one API replica. */
export async function startApi(config: Config, log: Logger): Promise<RunningApi> {
  const reportError = (what: string) => (error: Error) => log.debug({ err: error }, what);
  const pool = openDatabase({
    url: config.DATABASE_URL,
    max: 10,
    kept: 2,
    applicationName: 'carillon-api',
    // A client waits for the answer: better a 503 soon than an answer late.
    connectTimeoutMs: 2_000,
    queryTimeoutMs: 20_000,
    onError: reportError('Postgres'),
  });
  const redis = connectProducer(config.REDIS_URL, reportError('Redis'));
  const clock = new PostgresClock(Date.now);
  for (let asked = 0; asked < 3; asked++) await clock.ask(() => readClock(pool));
  if (config.CARILLON_ADMIN_KEY) await ensureAdminKey(pool, config.CARILLON_ADMIN_KEY);
  const counters = new Counters(pool);
  const creations = new Creations(pool);
  const keys = new KeyRing(pool);
  const prefix = config.REDIS_PREFIX;
  const bells = new Bells({
    redis,
    prefix,
    clock,
    process: `a${process.pid}`,
    horizonMs: config.ARM_HORIZON_MS,
    onArmed: (count) => counters.count('carillon_bells_armed_total', count),
  });
  const pokes = new Pokes({ redis, prefix });
  const defaults = {
    target: { type: 'handler', name: 'log' } as const,
    maxAttempts: config.RETRY_MAX_ATTEMPTS,
    baseDelayMs: config.RETRY_BASE_DELAY_SECONDS * 1_000,
    allowPrivateTargets: config.ALLOW_PRIVATE_TARGETS,
  };
  const encryptionKey = config.CARILLON_ENCRYPTION_KEY;
  const secrets = encryptionKey === undefined ? null : new SecretBox(encryptionKey);
  const requestsPerMinute = config.RATE_LIMIT_PER_MINUTE;
  const app = await buildApp(
    {
      pool,
      redis,
      prefix,
      bells,
      pokes,
      clock,
      keys,
      counters,
      creations,
      defaults,
      secrets,
      requestsPerMinute,
      birthdayLocalTime: config.BIRTHDAY_LOCAL_TIME,
    },
    log,
  );
  const url = await app.listen({ host: config.HOST, port: config.PORT });
  log.info({ url }, 'API ready');
  return {
    url,
    async stop() {
      await app.close();
      await Promise.allSettled([counters.flush(), keys.flush(), bells.close(), pokes.close()]);
      redis.disconnect();
      await pool.end();
      log.info('API stopped');
    },
  };
}
