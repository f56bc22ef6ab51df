import { LOG_SERIALIZERS, waitAtMost } from '@carillon/telemetry';
import type { Logger } from 'pino';
import { applyDeclarations } from './apply-declarations.js';
import { type Config, retentionDays } from './config.js';
import { Drafts } from './intake/drafts.js';
import { SqlRequests } from './intake/sql-requests.js';
import { claimMissedRuns } from './loops/claim-missed-runs.js';
import { ForecastKeeper } from './loops/forecast-keeper.js';
import { LateHandBack } from './loops/hand-back-late.js';
import { sendHeartbeat } from './loops/heartbeat.js';
import { keepLeases } from './loops/keep-leases.js';
import { runOccurrenceAudit } from './loops/occurrence-audit.js';
import { prune } from './loops/prune.js';
import { repeatEvery } from './loops/repeat-every.js';
import { sweep } from './loops/sweep.js';
import { watchClock } from './loops/watch-clock.js';
import { openParts, type WorkerParts, type WorkerResources } from './open-parts.js';
import { Pipeline } from './pipeline/pipeline.js';
import { Probes } from './probes.js';
import { Registry } from './registry.js';
import { handleEvents } from './systems/handle-events.js';
import { keepCalendars } from './systems/keep-calendars.js';
import { scanDueTasks } from './systems/scan-due-tasks.js';
import { timeByRedis } from './timing/redis-timing.js';
import { timeByTimers } from './timing/timer-timing.js';
import type { TimedWork } from './timing/timing.js';

export interface RunningWorker {
  id: number;
  /** The port of the probes and metrics; null if WORKER_PORT is not set. */
  port: number | null;
  /** Sweeps, then resolves when no run is in flight. A test calls this after it has moved the clock. */
  runAllDue(): Promise<void>;
  /**
   * Stops gracefully: the worker claims nothing more, and its runs in flight end or are handed back for other workers
   * to claim.
   */
  stop(): Promise<void>;
}

/**
 * Starts one worker replica, with the handlers and schedules of the registry. Its probes already answer while it
 * starts.
 */
export async function startWorker(
  config: Config,
  baseLog: Logger,
  { registry = new Registry(), ...resources }: WorkerResources = {},
): Promise<RunningWorker> {
  const log = baseLog.child({}, { serializers: LOG_SERIALIZERS });
  const probes = new Probes();
  const { HOST: host, WORKER_PORT } = config;
  const port = WORKER_PORT === undefined ? null : await probes.listen({ host, port: WORKER_PORT });
  let parts: WorkerParts | null = null;
  try {
    parts = await openParts(config, log, { registry, ...resources });
    const { id, runAllDue, stop } = await startWith(parts, { config, log, registry, probes });
    return {
      id,
      port,
      runAllDue,
      async stop() {
        probes.noteStopping();
        await stop();
        await probes.close();
      },
    };
  } catch (error) {
    await parts?.closeTargets();
    await parts?.close();
    await probes.close();
    throw error;
  }
}

/**
 * Starts the loops and the claims. The first run is claimed only after the last step that can fail. So after a failed
 * start no run is in flight, and closing the parts is enough.
 */
async function startWith(
  parts: WorkerParts,
  { config, log, registry, probes }: { config: Config; log: Logger; registry: Registry; probes: Probes },
): Promise<Omit<RunningWorker, 'port'>> {
  const { context } = parts;
  const { SWEEP_INTERVAL_MS: sweepIntervalMs } = config;
  const pipeline = new Pipeline(context, parts.deliver, {
    places: config.WORKER_CONCURRENCY,
    bytes: config.WORKER_PAYLOAD_MB * MEGABYTE,
  });
  const { inFlight } = pipeline;
  const lateHandBack = new LateHandBack(context, inFlight);
  const ring = () => pipeline.ring();
  const stopping = new AbortController();
  const events = () => handleEvents(context, stopping.signal);
  const drafts = new Drafts(config, registry);
  const forecasts = new ForecastKeeper(context);
  const sqlRequests = new SqlRequests(context, drafts, stopping.signal);
  /**
   * Does the work unless the installation is held. An installation is held if its database may be a copy or may have
   * lost transactions, or if an operator asks for it. While it is held, this worker only sends heartbeats and finishes
   * its runs in flight.
   */
  const unlessHeld = (work: () => Promise<unknown>) => async () => {
    if (!parts.membership.isHeld) await work();
  };
  const sweepOnce = unlessHeld(async () => {
    await sweep(context, inFlight, ring);
    await events();
    await sqlRequests.handle();
    await context.alerts.judge();
    void parts.pingMonitor();
  });
  const beat = async () => {
    const heartbeat = await sendHeartbeat(context, inFlight);
    context.postgres.noteAnswer();
    if (await parts.membership.note(heartbeat)) ring();
    return heartbeat;
  };

  await beat();
  // If Redis takes no writes now, the mark (the latest committed heartbeat) is written there after a later heartbeat.
  await parts.membership.keepMark().catch(() => {});
  await applyDeclarations(context, config, registry);
  await claimMissedRuns(context, ring);
  const timedWork: TimedWork = {
    context,
    config,
    drafts,
    pipeline,
    ticks: {
      sweep: sweepOnce,
      prune: unlessHeld(() => prune(context, retentionDays(config))),
      events: unlessHeld(events),
      calendars: unlessHeld(() => keepCalendars(context, config, stopping.signal)),
      tasks: unlessHeld(() => scanDueTasks(context, config, stopping.signal)),
      alerts: unlessHeld(() => context.alerts.judge()),
      audit: unlessHeld(() => runOccurrenceAudit(context, { signal: stopping.signal })),
      forecasts: unlessHeld(() => forecasts.store(stopping.signal)),
    },
  };
  const { bellSource } = parts;
  const timing =
    bellSource.by === 'redis'
      ? await timeByRedis(timedWork, bellSource.connections)
      : timeByTimers(timedWork, bellSource.bells);
  pipeline.onFree = () => timing.resume();
  const listener = parts.listenForRequests(unlessHeld(() => sqlRequests.handle()));

  const lookAtClock = watchClock(context.clock, log);
  /**
   * Sends the heartbeat, and sweeps if no periodic job of Redis does it: without Redis, while Redis takes no writes, or
   * after Redis was emptied and has lost the job.
   */
  const watchOver = async () => {
    const [heartbeat, redisState] = await Promise.all([beat(), parts.redisWatch.look()]);
    lookAtClock();
    // If Redis takes no writes, or Postgres does not answer, the next heartbeat tries again.
    if (redisState === 'up' || redisState === 'off') await parts.membership.keepMark().catch(() => {});
    if (await timing.shouldSweep({ ...heartbeat, redisState })) await sweepOnce();
  };
  const report = (what: string) => (error: unknown) => context.postgres.report(error, what);
  const loops = [
    repeatEvery(
      config.LEASE_MS / 3,
      () => keepLeases(context, inFlight).finally(() => void lateHandBack.run()),
      report('Leases could not be extended'),
    ),
    repeatEvery(sweepIntervalMs, watchOver, report('Heartbeat failed')),
  ];

  probes.watch({ parts, inFlight });
  log.info('Worker ready');
  return {
    id: context.holder.workerId,
    async runAllDue() {
      await beat();
      await sweepOnce();
      await until(() => inFlight.count === 0, Number.POSITIVE_INFINITY);
    },
    async stop() {
      log.info({ inFlight: inFlight.count }, 'Worker stopping');
      stopping.abort();
      const closing = Promise.all([timing.close(), listener.close()]);
      await waitAtMost(STEP_DEADLINE_MS, pipeline.stopClaiming());
      await until(() => inFlight.count === 0, config.STOP_DEADLINE_MS);
      for (const flight of inFlight.flights()) flight.abort('shutdown');
      // A delivery that was aborted hands its run back some turns of the event loop later.
      await until(() => inFlight.count === 0, STEP_DEADLINE_MS);
      await waitAtMost(STEP_DEADLINE_MS, pipeline.finish());
      // If this worker has lost a lease, it knows this by now, because Postgres has refused to close the runs. It now
      // hands back the attempts that had not begun, so that they do not count.
      await waitAtMost(STEP_DEADLINE_MS, lateHandBack.finish());
      if (inFlight.count > 0)
        log.warn(
          { runs: inFlight.count },
          'Stopped with open runs: the sweep rescues them when their lease expires',
        );
      await waitAtMost(
        STEP_DEADLINE_MS,
        Promise.all([parts.closeTargets(), ...loops.map((loop) => loop.stop()), closing]),
      );
      await waitAtMost(STEP_DEADLINE_MS, sendHeartbeat(context, inFlight));
      await waitAtMost(STEP_DEADLINE_MS, parts.close());
      log.info('Worker stopped');
    },
  };
}

const MEGABYTE = 1_024 ** 2;

/**
 * Maximum time of each step of a stop, so that a stop ends even while Postgres or Redis is away. The seven steps besides
 * STOP_DEADLINE_MS take 14 s together, so a stop ends within STOP_DEADLINE_MS plus 15 s. The grace periods in
 * docker-compose.yml and the Helm chart are longer than that (tests/deploy).
 */
const STEP_DEADLINE_MS = 2_000;

/** Waits for a condition until a deadline. */
async function until(condition: () => boolean, deadlineMs: number): Promise<void> {
  const startedAt = performance.now();
  while (!condition() && performance.now() - startedAt < deadlineMs)
    await new Promise((resolve) => setTimeout(resolve, 10));
}
