import type { Logger } from 'pino';
import { listenForBells } from './bell-worker.js';
import type { Config } from './config.js';
import { declare } from './declare.js';
import { takeRequests } from './intake/take-requests.js';
import { every } from './loops/every.js';
import { sendHeartbeat } from './loops/heartbeat.js';
import { keepLeases } from './loops/keep-leases.js';
import { prune } from './loops/prune.js';
import { recover } from './loops/recover.js';
import { sweep } from './loops/sweep.js';
import { openParts } from './open-parts.js';
import { Pipeline } from './pipeline.js';
import { handleEvents } from './systems/handle-events.js';
import { introduce } from './systems/introduce.js';
import { scan } from './systems/scan.js';
import { Ticks } from './ticks.js';

export interface RunningWorker {
  id: number;
  /** Stops gracefully: no new claims, what is in hand ends or is handed back. */
  stop(): Promise<void>;
}

/** Starts one worker replica. */
export async function startWorker(config: Config, log: Logger): Promise<RunningWorker> {
  const parts = await openParts(config, log);
  const { context, producer, redis } = parts;
  const { REDIS_PREFIX: prefix, SWEEP_INTERVAL_MS: sweepIntervalMs } = config;
  const pipeline = new Pipeline(context, introduce(parts.deliver, log), {
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
    sweepIntervalMs,
    taskScanCron: config.TASK_SCAN_CRON,
    log,
    work: {
      sweep: sweepOnce,
      prune: () => prune(context, config.RUN_RETENTION_DAYS),
      events,
      tasks: () => scan(context, config, stopping.signal),
    },
  });
  const ensureTicks = () => ticks.ensure().catch((error) => log.debug({ err: error }, 'Ticks'));
  await ensureTicks();
  const intake = takeRequests(context, { config, redis, producer });

  /** Where Redis is away, or was emptied and our repeating job with it: makes the job anew, and sweeps by this clock. */
  const watchOver = async () => {
    const { nowAt, lastSweepAt } = await sendHeartbeat(context, inFlight);
    const isSwept = lastSweepAt !== null && nowAt - lastSweepAt <= 2 * sweepIntervalMs;
    const isSweepKnown = await ticks.isSweepKnown().catch(() => false);
    if (!isSwept || !isSweepKnown) await Promise.all([ensureTicks(), sweepOnce()]);
  };
  const report = (what: string) => (error: unknown) => log.error({ err: error }, what);
  const loops = [
    every(config.LEASE_MS / 3, () => keepLeases(context, inFlight), report('Leases could not be extended')),
    every(sweepIntervalMs, watchOver, report('Heartbeat failed')),
  ];

  log.info({ workerId: context.workerId }, 'Worker ready');
  return {
    id: context.workerId,
    async stop() {
      log.info({ inFlight: inFlight.count }, 'Worker stopping');
      stopping.abort();
      await Promise.all([pipeline.stopClaiming(), bellWorker.close(), ticks.close(), intake.close()]);
      await settled(() => inFlight.count === 0, config.STOP_DEADLINE_MS);
      for (const flight of inFlight.flights()) flight.abort('shutdown');
      await settled(() => inFlight.count === 0, 1_000);
      await pipeline.finish();
      await parts.closeTargets();
      await Promise.all(loops.map((loop) => loop.stop()));
      await sendHeartbeat(context, inFlight).catch(() => {});
      await parts.close();
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
