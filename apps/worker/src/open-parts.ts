import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type Claimant,
  listenForRequests,
  openDatabase,
  PostgresWatch,
  registerWorker,
  signOff,
  type Transaction,
  verifyEncryptionKey,
  Witness,
  warmUp,
} from '@carillon/db';
import {
  Bells,
  connectProducer,
  connectWorker,
  NO_REDIS_WATCH,
  OutsideMark,
  PostgresClock,
  RedisWatch,
  reconnect,
  reportOutages,
  TICKS,
  TimerBells,
  untilReady,
  WakeUps,
} from '@carillon/queue';
import { addressOf } from '@carillon/shared';
import { openTracing } from '@carillon/telemetry';
import type { ClientConfig, Pool } from 'pg';
import type { Logger } from 'pino';
import { Alerts } from './alerts/alerts.js';
import type { Config } from './config.js';
import type { WorkerContext } from './context.js';
import { openTargets } from './delivery/open-targets.js';
import { TZDATA_VERSION } from './loops/keep-tzdata.js';
import { Membership } from './membership.js';
import { Metrics } from './metrics.js';
import type { Deliver } from './pipeline/pipeline.js';
import { joinHooks } from './pipeline/run-hooks.js';
import { Registry } from './registry.js';
import { RunTracing } from './run-tracing.js';
import { reminderHooks } from './systems/reminder-hooks.js';
import { yearlyEventHooks } from './systems/yearly-event-hooks.js';
import type { RedisConnections } from './timing/redis-timing.js';

/** The parts of a worker before it starts: connections, the shared context, and the targets. */
export interface WorkerParts {
  context: WorkerContext;
  deliver: Deliver;
  bellSource: BellSource;
  redisWatch: Pick<RedisWatch, 'state' | 'look'>;
  membership: Membership;
  /**
   * Calls `onRequest` when a transaction commits that has called the SQL function `schedule`, `cancel` or `trigger`.
   */
  listenForRequests(onRequest: () => void): { close(): Promise<void> };
  /** Tells the outside monitor, if there is one, that the engine is alive. Called after each sweep. */
  pingMonitor(): Promise<void>;
  /** Ends all deliveries. The connections stay open, because the results must still be written. */
  closeTargets(): Promise<void>;
  /** Records in Postgres that this worker has stopped, and closes all connections. */
  close(): Promise<void>;
}

/** Wakes this worker when something is due: by bells (delayed jobs in Redis), or by timers if REDIS_URL is `none`. */
export type BellSource = { by: 'redis'; connections: RedisConnections } | { by: 'timers'; bells: TimerBells };

/** Maximum number of connections of `pool`. `leasePool` is a separate pool with one connection. */
const MAX_CONNECTIONS = 7;
/**
 * Connections that are always kept open, because these four run at the same time: a claim of due rows, a claim of
 * waiting runs, a close and a heartbeat.
 */
const CONNECTIONS_KEPT = 4;

/** Parts that a program can pass in when it runs a worker in its own process. */
export interface WorkerResources {
  /** The handlers and schedules (default: the built-in handlers). */
  registry?: Registry | undefined;
  /** A pool of connections to Postgres. Default: the worker opens its own. */
  pool?: Pool | undefined;
  /**
   * The clock of this machine (default `Date.now`). A test that moves the clock of Postgres must move this clock too.
   */
  localNow?: (() => number) | undefined;
}

export async function openParts(
  config: Config,
  log: Logger,
  { registry = new Registry(), pool: given, localNow = Date.now }: WorkerResources = {},
): Promise<WorkerParts> {
  const reportError = (what: string) => (error: Error) => log.debug({ err: error }, what);
  const witness = new Witness();
  const postgres = new PostgresWatch(
    log,
    'this worker claims nothing and keeps its results until Postgres is back',
  );
  const isPooled = config.DATABASE_DIRECT_URL !== undefined;
  const shared = {
    schema: config.DATABASE_SCHEMA,
    usesPreparedStatements: config.DATABASE_PREPARED_STATEMENTS,
    applicationName: 'carillon-worker',
    // Both time-outs are shorter than a lease, so a silent Postgres or a frozen worker is noticed before the worker's
    // leases expire.
    queryTimeoutMs: (config.LEASE_MS * 2) / 3,
    transactionTimeoutMs: config.LEASE_MS / 2,
    verify: (client: Transaction) => witness.verifyConnection(client),
    isPooled,
    limitsSessions: !isPooled,
    onError: reportError('Postgres'),
  };
  const pool = openDatabase({
    ...shared,
    url: config.DATABASE_URL,
    pool: given,
    max: MAX_CONNECTIONS,
    min: CONNECTIONS_KEPT,
  });
  const leasePool = openDatabase({
    ...shared,
    url: given ? connectionOf(given) : config.DATABASE_URL,
    max: 1,
    min: 1,
  });
  const connections = config.redis && {
    producer: connectProducer(config.redis, reportError('Redis')),
    blocking: connectWorker(config.redis, reportError('Redis')),
  };
  const disconnect = async () => {
    connections?.producer.disconnect();
    connections?.blocking.disconnect();
    await Promise.all([leasePool.end(), pool.end()]);
  };
  if (connections) await untilReady(connections.producer);
  const membership = new Membership({
    pool,
    log,
    witness,
    outsideMark: connections && new OutsideMark({ redis: connections.producer, prefix: config.REDIS_PREFIX }),
    address: addressOf(config.DATABASE_URL),
    register: () => register(pool, { config, registry }),
  });
  const holder = await verifyEncryptionKey(pool, config.CARILLON_ENCRYPTION_KEY)
    .then(() => membership.join())
    .catch(async (error) => {
      await disconnect();
      throw error;
    });
  // The warm-up lets each connection plan its statements, so that the first runs start sooner. If it fails, a
  // connection plans each statement at its first use.
  await warmUp(pool, holder, CONNECTIONS_KEPT).catch(reportError('Warm-up'));
  const clock = new PostgresClock(localNow);
  const metrics = new Metrics();
  const { bellSource, bells, redisWatch, wakeUps } = openBellSource(connections, {
    config,
    clock,
    metrics,
    holder,
    log,
  });
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = config;
  const tracing = endpoint === undefined ? null : await openTracing({ endpoint, serviceName });
  const targets = openTargets(config, {
    registry,
    pool,
    holder,
    redis: connections?.producer ?? null,
    clock,
    metrics,
    log,
    postgres,
  });
  const alerts: Alerts = new Alerts({
    pool,
    clock,
    metrics,
    log,
    postgres,
    sendMessages: () => targets.messages.send(),
    async wakeAt(at) {
      const delayMs = at - clock.now();
      if (wakeUps) await wakeUps.wakeLater(TICKS.alerts, { id: `${TICKS.alerts}-${at}`, delayMs });
      else setTimeout(() => alerts.judge(), Math.max(0, delayMs)).unref();
    },
    groupingMs: config.ALERT_GROUPING_MS,
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
  });
  return {
    context: {
      holder,
      membership,
      pool,
      leasePool,
      postgres,
      bells,
      clock,
      metrics,
      log,
      receipts: targets.receipts,
      traffic: targets.traffic,
      alerts,
      hooks: joinHooks([reminderHooks({ log, metrics }), yearlyEventHooks]),
      tracing: tracing && new RunTracing(tracing, pool, log),
      leaseMs: config.LEASE_MS,
      batchSize: config.SCHEDULER_BATCH_SIZE,
      sweepIntervalMs: config.SWEEP_INTERVAL_MS,
      horizonMs: config.ARM_HORIZON_MS,
    },
    deliver: targets.deliver,
    bellSource,
    redisWatch,
    membership,
    listenForRequests: (onRequest) =>
      listenForRequests({
        connection: directConnection(config, given),
        onRequest,
        onError: reportError('The connection that listens for requests by SQL was lost'),
      }),
    pingMonitor: targets.pingMonitor,
    async closeTargets() {
      await alerts.stop();
      await targets.close();
    },
    async close() {
      await signOff(pool, holder).catch(() => {});
      await bells.close().catch(() => {});
      await wakeUps?.close().catch(() => {});
      await tracing?.stop().catch(() => {});
      await disconnect();
    },
  };
}

/** The options of a direct connection to Postgres. DATABASE_DIRECT_URL bypasses a pooler. */
function directConnection(
  { DATABASE_URL, DATABASE_DIRECT_URL }: Config,
  given: Pool | undefined,
): ClientConfig {
  if (DATABASE_DIRECT_URL === undefined && given) return connectionOf(given);
  return { connectionString: DATABASE_DIRECT_URL ?? DATABASE_URL };
}

/** The options of a connection to the server of a pool. */
function connectionOf({ options }: Pool): ClientConfig {
  // `password` is not enumerable in the options of a pool, so the spread does not copy it.
  const { password } = options;
  return { ...options, ...(password === undefined ? {} : { password }) };
}

function register(
  pool: Pool,
  { config, registry }: { config: Config; registry: Registry },
): Promise<Claimant> {
  return registerWorker(pool, {
    host: hostname(),
    pid: process.pid,
    token: randomUUID(),
    handlers: registry.names,
    tzdata: TZDATA_VERSION,
    heartbeatIntervalMs: config.SWEEP_INTERVAL_MS,
  });
}

/** Opens the wake-ups of the worker (bells in Redis, or timers), and the health check of Redis. */
function openBellSource(
  connections: RedisConnections | null,
  {
    config,
    clock,
    metrics,
    holder,
    log,
  }: { config: Config; clock: PostgresClock; metrics: Metrics; holder: Claimant; log: Logger },
) {
  if (!connections) {
    const bells = new TimerBells();
    const bellSource: BellSource = { by: 'timers', bells };
    return { bellSource, bells, redisWatch: NO_REDIS_WATCH, wakeUps: null };
  }
  const { producer: redis } = connections;
  const bellSource: BellSource = { by: 'redis', connections };
  const prefix = config.REDIS_PREFIX;
  const bells = new Bells({
    redis,
    prefix,
    clock,
    process: holder.token,
    horizonMs: config.ARM_HORIZON_MS,
    onArmed: (count) => metrics.count('carillon_bells_armed_total', count),
  });
  const redisWatch = new RedisWatch({
    redis,
    prefix,
    ...reportOutages(log, 'due runs are found by the sweep, some seconds late'),
    onSilence() {
      reconnect(connections.producer);
      reconnect(connections.blocking);
    },
  });
  return { bellSource, bells, redisWatch, wakeUps: new WakeUps({ redis, prefix }) };
}
