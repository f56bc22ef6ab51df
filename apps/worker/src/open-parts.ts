import { hostname } from 'node:os';
import { openDatabase, registerWorker, signOff, warmUp } from '@carillon/db';
import { Bells, connectProducer, connectWorker, PostgresClock, untilReady } from '@carillon/queue';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import type { WorkerContext } from './context.js';
import { Metrics } from './metrics.js';
import type { Deliver } from './targets/deliver.js';
import { openTargets } from './targets/open-targets.js';

/** What a worker is made of before anything moves: connections, the context that its parts share, and the targets. */
export interface WorkerParts {
  context: WorkerContext;
  deliver: Deliver;
  /** For adding jobs: fails at once while Redis is away. */
  producer: Redis;
  /** For BullMQ's workers: waits for Redis. */
  redis: Redis;
  /** No more deliveries. Connections stay open: what was delivered is still to be written down. */
  closeTargets(): Promise<void>;
  /** Signs the worker off, and lets go of everything. */
  close(): Promise<void>;
}

/** As many as a bell takes at once: to claim, to look for what waits, to close, and one for a heartbeat. */
const CONNECTIONS_KEPT = 4;

export async function openParts(config: Config, log: Logger): Promise<WorkerParts> {
  const reportError = (what: string) => (error: Error) => log.debug({ err: error }, what);
  const pool = openDatabase({
    url: config.DATABASE_URL,
    max: 8,
    kept: CONNECTIONS_KEPT,
    applicationName: 'carillon-worker',
    byIndex: true,
    onError: reportError('Postgres'),
  });
  const producer = connectProducer(config.REDIS_URL, reportError('Redis'));
  const redis = connectWorker(config.REDIS_URL, reportError('Redis'));
  await Promise.all([warmUp(pool, CONNECTIONS_KEPT), untilReady(producer)]);
  const workerId = await registerWorker(pool, { host: hostname(), pid: process.pid });
  const clock = new PostgresClock(Date.now);
  const metrics = new Metrics();
  const bells = new Bells({
    redis: producer,
    prefix: config.REDIS_PREFIX,
    clock,
    process: `w${workerId}`,
    horizonMs: config.ARM_HORIZON_MS,
    onArmed: (count) => metrics.count('carillon_bells_armed_total', count),
  });
  const targets = openTargets(config, { pool, redis: producer, clock, metrics, log });
  return {
    context: {
      workerId,
      pool,
      bells,
      clock,
      metrics,
      log,
      receipts: targets.receipts,
      traffic: targets.traffic,
      leaseMs: config.LEASE_MS,
      batchSize: config.SCHEDULER_BATCH_SIZE,
      sweepIntervalMs: config.SWEEP_INTERVAL_MS,
      horizonMs: config.ARM_HORIZON_MS,
    },
    deliver: targets.deliver,
    producer,
    redis,
    closeTargets: () => targets.close(),
    async close() {
      await signOff(pool, workerId).catch(() => {});
      await bells.close().catch(() => {});
      producer.disconnect();
      redis.disconnect();
      await pool.end();
    },
  };
}
