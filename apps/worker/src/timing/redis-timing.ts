import { IDLE_BEHAVIOURS, type RedisClient } from '@carillon/queue';
import { takeRequests } from '../intake/take-requests.js';
import { listenForBells } from '../pipeline/pipeline.js';
import { Ticks } from '../ticks.js';
import type { TimedWork, WorkerTiming } from './timing.js';

/** The two Redis connections of a worker. */
export interface RedisConnections {
  /** The connection that adds jobs. Its commands fail at once while Redis is unreachable. */
  producer: RedisClient;
  /** The connection of BullMQ's workers. Its commands wait while Redis is unreachable. */
  blocking: RedisClient;
}

/**
 * Starts everything that a worker receives by Redis: bells (wake-ups for due runs), ticks (Carillon's own jobs, such as
 * the sweep) and requests of other programs.
 */
export async function timeByRedis(
  { context, config, drafts, pipeline, ticks: work }: TimedWork,
  { producer, blocking }: RedisConnections,
): Promise<WorkerTiming> {
  const { REDIS_PREFIX: prefix, SWEEP_INTERVAL_MS: sweepIntervalMs } = config;
  const { log, postgres } = context;
  const idle = IDLE_BEHAVIOURS[config.REDIS_IDLE];
  const { inFlight } = pipeline;
  const bellWorker = listenForBells(context, {
    redis: blocking,
    prefix,
    idle,
    inFlight,
    ring: () => pipeline.ring(),
  });
  const ticks = new Ticks({
    producer,
    redis: blocking,
    prefix,
    idle,
    sweepIntervalMs,
    taskScanCron: config.TASK_SCAN_CRON,
    auditIntervalMs: config.AUDIT_INTERVAL_SECONDS === 0 ? null : config.AUDIT_INTERVAL_SECONDS * 1_000,
    log,
    postgres,
    work,
  });
  const ensureTicks = () =>
    ticks
      .ensure()
      .catch((error) => log.debug({ err: error }, 'Job schedulers of the ticks could not be created'));
  await ensureTicks();
  const intake = takeRequests(context, { config, drafts, redis: blocking, producer, idle });
  return {
    resume: () => bellWorker.resume(),
    async shouldSweep({ nowAt, lastSweepAt, redisState }) {
      const isSwept = lastSweepAt !== null && nowAt - lastSweepAt <= 2 * sweepIntervalMs;
      const canRepeat = redisState === 'up' && (await ticks.isSweepKnown().catch(() => false));
      if (isSwept && canRepeat) return false;
      await ensureTicks();
      return true;
    },
    close: () => Promise.all([bellWorker.close(), ticks.close(), intake.close()]),
  };
}
