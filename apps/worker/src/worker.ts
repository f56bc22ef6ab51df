import { hostname } from 'node:os';
import { openDatabase, registerWorker, signOff } from '@carillon/db';
import { Bells, connectProducer, connectWorker, PostgresClock } from '@carillon/queue';
import type { Logger } from 'pino';
import { listenForBells } from './bell-worker.js';
import type { Config } from './config.js';
import type { WorkerContext } from './context.js';
import { declare } from './declare.js';
import { takeRequests } from './intake/take-requests.js';
import { every } from './loops/every.js';
import { sendHeartbeat } from './loops/heartbeat.js';
import { keepLeases } from './loops/keep-leases.js';
import { prune } from './loops/prune.js';
import { recover } from './loops/recover.js';
import { sweep } from './loops/sweep.js';
import { Metrics } from './metrics.js';
import { Pipeline } from './pipeline.js';
import { handleEvents } from './systems/handle-events.js';
import { introduce } from './systems/introduce.js';
import { scan } from './systems/scan.js';
import { openTargets } from './targets/open-targets.js';
import { Ticks } from './ticks.js';

export interface RunningWorker {
  id: number;
  /** Stops gracefully: no new claims, what is in hand ends or is handed back. */
  stop(): Promise<void>;
}

/** Starts one worker replica. */
export async function startWorker(config: Config, log: Logger): Promise<RunningWorker> {
  const reportError = (what: string) => (error: Error) => log.debug({ err: error }, what);
  const pool = openDatabase({
    url: config.DATABASE_URL,
    max: 8,
    applicationName: 'carillon-worker',
    byIndex: true,
    onError: reportError('Postgres'),
  });
  const producer = connectProducer(config.REDIS_URL, reportError('Redis'));
  const redis = connectWorker(config.REDIS_URL, reportError('Redis'));
  const workerId = await registerWorker(pool, { host: hostname(), pid: process.pid });
  const clock = new PostgresClock(Date.now);
  const metrics = new Metrics();
  const prefix = config.REDIS_PREFIX;
  const bells = new Bells({
    redis: producer,
    prefix,
    clock,
    process: `w${workerId}`,
    horizonMs: config.ARM_HORIZON_MS,
    onArmed: (count) => metrics.count('carillon_bells_armed_total', count),
  });
  const targets = openTargets(config, { pool, redis: producer, clock, metrics, log });
  const context: WorkerContext = {
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
  };
  const pipeline = new Pipeline(context, introduce(targets.deliver, log), {
    places: config.WORKER_CONCURRENCY,
  });
  const { inFlight } = pipeline;
  const ring = () => pipeline.ring();
  const stopping = new AbortController();
  const events = () => handleEvents(context, stopping.signal);
  const sweepOnce = async () => {
    await sweep(context, ring);
    await events();
  };

  await sendHeartbeat(context, inFlight);
  await declare(context, config);
  await recover(context, ring);
  const bellWorker = listenForBells(context, { redis, prefix, inFlight, ring });
  pipeline.onFree = () => bellWorker.resume();
  const ticks = new Ticks({
    producer,
    redis,
    prefix,
    sweepIntervalMs: config.SWEEP_INTERVAL_MS,
    taskScanCron: config.TASK_SCAN_CRON,
    log,
    work: {
      sweep: sweepOnce,
      prune: () => prune(context, config.RUN_RETENTION_DAYS),
      events,
      tasks: () => scan(context, config, stopping.signal),
    },
  });
  await ticks.ensure().catch(reportError('Ticks'));
  const intake = takeRequests(context, { config, redis, producer });

  const loops = [
    every(
      config.LEASE_MS / 3,
      () => keepLeases(context, inFlight),
      (err) => log.error({ err }, 'Leases could not be extended'),
    ),
    every(
      config.SWEEP_INTERVAL_MS,
      async () => {
        const { nowAt, lastSweepAt } = await sendHeartbeat(context, inFlight);
        // Redis is away, or was emptied and our repeating job with it: make the job anew, and sweep by this clock.
        const isUnswept = lastSweepAt === null || nowAt - lastSweepAt > 2 * config.SWEEP_INTERVAL_MS;
        const isSweepKnown = await ticks.isSweepKnown().catch(() => false);
        if (isSweepKnown && !isUnswept) return;
        await Promise.all([ticks.ensure().catch(reportError('Ticks')), sweepOnce()]);
      },
      (err) => log.error({ err }, 'Heartbeat failed'),
    ),
  ];

  log.info({ workerId }, 'Worker ready');
  return {
    id: workerId,
    async stop() {
      log.info({ inFlight: inFlight.count }, 'Worker stopping');
      stopping.abort();
      await Promise.all([pipeline.stopClaiming(), bellWorker.close(), ticks.close(), intake.close()]);
      await settled(() => inFlight.count === 0, config.STOP_DEADLINE_MS);
      for (const flight of inFlight.flights()) flight.abort('shutdown');
      await settled(() => inFlight.count === 0, 1_000);
      await pipeline.finish();
      await targets.close();
      await Promise.all(loops.map((loop) => loop.stop()));
      await sendHeartbeat(context, inFlight).catch(() => {});
      await signOff(pool, workerId).catch(() => {});
      await bells.close().catch(() => {});
      producer.disconnect();
      redis.disconnect();
      await pool.end();
      log.info('Worker stopped');
    },
  };
}

/** Waits for a condition, but not for ever. */
async function settled(condition: () => boolean, deadlineMs: number): Promise<void> {
  const startedAt = performance.now();
  while (!condition() && performance.now() - startedAt < deadlineMs)
    await new Promise((resolve) => setTimeout(resolve, 10));
}
