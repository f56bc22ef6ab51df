import { setTimeout as sleep } from 'node:timers/promises';
import {
  ensureAdminKey,
  GroupCreates,
  openDatabase,
  PostgresWatch,
  readClock,
  readEngineFacts,
  SecretBox,
  setMissingSecrets,
  verifyEncryptionKey,
  Witness,
} from '@carillon/db';
import { connectProducer, PostgresClock } from '@carillon/queue';
import type { EngineFacts, ScheduleDefaults } from '@carillon/shared';
import { cachedFor, LOG_SERIALIZERS, openTracing, readHealthFacts, waitAtMost } from '@carillon/telemetry';
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { buildApp } from './app.js';
import { KeyCache } from './auth/key-cache.js';
import { KeyThrottle } from './auth/key-throttle.js';
import { openOwnKey } from './auth/own-key.js';
import { UsageBus } from './auth/usage-bus.js';
import type { Config } from './config.js';
import { BackgroundCache } from './http/background-cache.js';
import { HTTP_LIMITS, watchConnections } from './http/connections.js';
import { readDashboardFiles } from './http/dashboard-files.js';
import { HeavyWork } from './http/heavy-work.js';
import { compareMark } from './keep-evidence.js';
import { Counters } from './metrics/counters.js';
import { openBells } from './open-bells.js';
import { readGuideFiles } from './routes/guide.js';
import { Forecasts } from './schedules/forecasts.js';
import { sealNewSecret } from './schedules/seal-secret.js';

export interface RunningApi {
  url: string;
  stop(): Promise<void>;
}

/** Parts that a program can pass in when it runs the API in its own process. */
export interface ApiResources {
  /** A pool of connections to Postgres. Default: the API opens its own. */
  pool?: Pool | undefined;
  /**
   * Says why a payload does not fit its handler. It is set only if the handlers run in this process, because only then
   * their schemas are known.
   */
  payloadProblem?: ScheduleDefaults['payloadProblem'];
  /** The key with which this process calls its own API: scope admin in the default project. It is not stored. */
  ownKey?: string | undefined;
  /**
   * The clock of this machine (default `Date.now`). A test that replaces the clock of Postgres by a fixed time passes a
   * clock with the same time here.
   */
  localNow?: (() => number) | undefined;
  /** The clock by which cached API keys expire (default `performance`). Tests advance this clock instead of waiting. */
  keyClock?: { now(): number } | undefined;
  /** The path below which another server passes requests on to this API, such as `/scheduler`. */
  mountPath?: string | undefined;
}

/** An API that does not listen on a port yet. */
export interface UnstartedApi {
  app: FastifyInstance;
  stop(): Promise<void>;
}

/** Maximum number of event streams on one replica, over all projects. Each may buffer up to 1 MiB for its client. */
const MAX_STREAMS = 1_000;
/** Time for requests in progress to finish when the API stops. */
const SHUTDOWN_TIMEOUT_MS = 8_000;
/**
 * Maximum time of each of the last three steps of a stop: the rest of closing the app, the flushes, and closing the
 * connections to Postgres. So a stop ends even while Postgres or Redis does not answer. Together with
 * `SHUTDOWN_TIMEOUT_MS` these steps take at most 14 s, so a stop ends within STOP_DELAY_MS plus 15 s. The grace periods
 * in docker-compose.yml and the Helm chart are longer than that (tests/deploy).
 */
const STEP_DEADLINE_MS = 2_000;

/** Number of readings of the clock of Postgres at the start. The reading with the shortest round trip counts. */
const CLOCK_SAMPLES = 3;

/** Cache TTL of the health facts. Health needs no key, so many requests must not cause many queries. */
const HEALTH_CACHE_TTL_MS = 1_000;
/**
 * Interval of test writes to Redis, so that an outage of Redis is logged even if no request asks for the health.
 * Postgres is tested only while it is known to be away, so an idle API sends no queries.
 */
const CHECK_INTERVAL_MS = 5_000;

/** Starts one API replica. */
export async function startApi(
  config: Config,
  log: Logger,
  resources: ApiResources = {},
): Promise<RunningApi> {
  const { app, stop } = await prepareApi(config, log, resources);
  const url = await app.listen({ host: config.HOST, port: config.PORT });
  log.info({ url }, 'API ready');
  return { url, stop };
}

/** Opens one API replica that does not listen on a port yet. */
export async function prepareApi(
  config: Config,
  baseLog: Logger,
  {
    pool: given,
    payloadProblem,
    ownKey,
    localNow = Date.now,
    keyClock = performance,
    mountPath = '',
  }: ApiResources = {},
): Promise<UnstartedApi> {
  const log = baseLog.child({}, { serializers: LOG_SERIALIZERS });
  const reportError = (message: string) => (error: Error) => log.debug({ err: error }, message);
  // The name of a value that is computed in the background begins with the id of its project.
  const warnOfProject = (message: string) => (error: unknown, name: string) =>
    log.warn({ err: error, projectId: Number.parseInt(name, 10) }, message);
  const witness = new Witness();
  const postgres = new PostgresWatch(log, 'requests are answered with 503 until it is back');
  const pool = openDatabase({
    url: config.DATABASE_URL,
    pool: given,
    schema: config.DATABASE_SCHEMA,
    usesPreparedStatements: config.DATABASE_PREPARED_STATEMENTS,
    max: 10,
    min: 2,
    applicationName: 'carillon-api',
    // The time-out is short, because a client waits for the response, and a quick 503 is better than a late success.
    connectTimeoutMs: 2_000,
    // Shorter than the lease of a worker (15 s), so that a request to a Postgres that does not answer has ended before
    // a sweep rescues the same runs. Postgres itself ends a transaction sooner, after 8 s.
    queryTimeoutMs: 10_000,
    verify: (client) => witness.verifyConnection(client),
    isPooled: config.DATABASE_DIRECT_URL !== undefined,
    limitsSessions: config.DATABASE_DIRECT_URL === undefined,
    onError: reportError('Postgres connection error'),
  });
  const encryptionKey = config.CARILLON_ENCRYPTION_KEY;
  const secrets = encryptionKey === undefined ? null : new SecretBox(encryptionKey);
  try {
    await verifyEncryptionKey(pool, encryptionKey);
    if (secrets) await setMissingSecrets(pool, sealNewSecret(secrets));
    else
      log.warn(
        'CARILLON_ENCRYPTION_KEY is not set: webhooks are sent unsigned, and targets with headers are refused. Set it to sign webhooks.',
      );
    const isGenerated = config.CARILLON_ADMIN_KEY_IS_GENERATED;
    if (
      config.CARILLON_ADMIN_KEY &&
      !(await ensureAdminKey(pool, config.CARILLON_ADMIN_KEY, { isGenerated }))
    )
      log.warn(
        'The key in CARILLON_ADMIN_KEY was revoked and stays revoked. Set CARILLON_ADMIN_KEY to another key.',
      );
  } catch (error) {
    await pool.end();
    throw error;
  }
  const redis = config.redis && connectProducer(config.redis, reportError('Redis connection error'));
  await compareMark(pool, witness, { redis, prefix: config.REDIS_PREFIX });
  const clock = new PostgresClock(localNow);
  for (let samples = 0; samples < CLOCK_SAMPLES; samples++) await clock.ask(() => readClock(pool));
  const usage = new UsageBus(redis, {
    prefix: config.REDIS_PREFIX,
    onError: reportError('Redis connection error'),
  });
  const counters = new Counters(pool);
  const creates = new GroupCreates(pool);
  const keys = new KeyCache(pool, keyClock, ownKey === undefined ? null : openOwnKey(pool, ownKey));
  const prefix = config.REDIS_PREFIX;
  const { bells, wakeUps, watch } = openBells(redis, { config, clock, counters, log });
  const pingPostgres = async () => {
    await pool.query('select 1').catch((error) => {
      postgres.report(error, 'Postgres did not answer the health check');
      throw error;
    });
    postgres.noteAnswer();
  };
  const health = cachedFor(HEALTH_CACHE_TTL_MS, () =>
    readHealthFacts({
      pingPostgres,
      readEngine: async () => withOwnTzdata(await readEngineFacts(pool, null)),
      lookAtRedis: () => watch.look(),
    }),
  );
  const checks = setInterval(() => {
    watch.look();
    if (postgres.isAway) pingPostgres().catch(() => {});
  }, CHECK_INTERVAL_MS);
  const defaults = {
    target: null,
    maxAttempts: config.RETRY_MAX_ATTEMPTS,
    baseDelayMs: config.RETRY_BASE_DELAY_SECONDS * 1_000,
    allowPrivateTargets: config.ALLOW_PRIVATE_TARGETS,
    hasQueues: redis !== null,
    maxOutgoingTimeoutMs: config.MAX_OUTGOING_TIMEOUT_SECONDS * 1_000,
    ...(payloadProblem && { payloadProblem }),
  };
  const limits = {
    ...HTTP_LIMITS,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    headersTimeoutMs: Math.min(HTTP_LIMITS.headersTimeoutMs, config.REQUEST_TIMEOUT_MS),
    maxConnections: config.MAX_CONNECTIONS,
  };
  const dashboard = readDashboardFiles(config.DASHBOARD_BASE_PATH, { mountPath });
  if (!dashboard) log.warn('The dashboard is not built: the page at / says how to build it');
  const guide = readGuideFiles();
  const requestsPerMinute = config.RATE_LIMIT_PER_MINUTE;
  const lifecycle = { isStopping: false };
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = config;
  const tracing = endpoint === undefined ? null : await openTracing({ endpoint, serviceName });
  const app = await buildApp(
    {
      pool,
      postgres,
      redis,
      prefix,
      bells,
      wakeUps,
      clock,
      witness,
      health,
      lifecycle,
      keys,
      throttle: new KeyThrottle(keys, config.AUTH_FAILURES_PER_MINUTE, usage),
      usage,
      counters,
      tracing,
      creates,
      forecasts: new Forecasts(pool, warnOfProject('Forecast failed')),
      deadLetters: new BackgroundCache(warnOfProject('Dead letters were not grouped')),
      defaults,
      secrets,
      requestsPerMinute,
      pingsPerMinute: config.PINGS_PER_MINUTE,
      streams: {
        perProject: config.EVENT_STREAMS_PER_PROJECT,
        perKey: config.EVENT_STREAMS_PER_KEY,
        total: MAX_STREAMS,
      },
      heavy: new HeavyWork(),
      birthdayLocalTime: config.BIRTHDAY_LOCAL_TIME,
    },
    log,
    { trustProxy: config.TRUST_PROXY, limits, dashboard, guide },
  );
  app.server.maxConnections = limits.maxConnections;
  const closeSilentConnections = watchConnections(app.server);
  return {
    app,
    async stop() {
      clearInterval(checks);
      // /health/ready now says that this replica is stopping. Requests are still answered for `STOP_DELAY_MS`, until
      // the load balancer has noticed.
      lifecycle.isStopping = true;
      await sleep(config.STOP_DELAY_MS);
      const deadline = setTimeout(() => app.server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS);
      const closing = app.close();
      closeSilentConnections();
      // Bulk actions first finish their current page, which needs Postgres, so closing may take as long as a query.
      await waitAtMost(SHUTDOWN_TIMEOUT_MS + STEP_DEADLINE_MS, closing);
      clearTimeout(deadline);
      const flushes = [counters.flush(), keys.flush(), bells.close(), wakeUps.close(), tracing?.stop()];
      await waitAtMost(STEP_DEADLINE_MS, Promise.allSettled(flushes));
      usage.close();
      redis?.disconnect();
      await waitAtMost(STEP_DEADLINE_MS, pool.end());
      log.info('API stopped');
    },
  };
}

/**
 * Adds the time zone data of this process to the versions in use by workers. The API computes the first occurrence of a
 * new or edited schedule, so its time zone data must be the same as that of the workers.
 */
function withOwnTzdata(facts: EngineFacts): EngineFacts {
  const { tz } = process.versions;
  if (tz === undefined || facts.tzdataVersions.includes(tz)) return facts;
  return { ...facts, tzdataVersions: [...facts.tzdataVersions, tz].sort() };
}
