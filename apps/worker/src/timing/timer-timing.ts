import { TICKS, type Tick, type TimerBells } from '@carillon/queue';
import { HOUR_MS, MINUTE_MS, nextOccurrences, parseTiming } from '@carillon/shared';
import { repeatEvery } from '../loops/repeat-every.js';
import { keepTime } from './keep-time.js';
import type { TimedWork, WorkerTiming } from './timing.js';

/**
 * Runs a worker's claims and ticks (periodic jobs) by timers, without Redis. Each worker does every tick itself. Ticks
 * are idempotent, so several workers repeat work but do no harm. The sweep is shared: a worker sweeps if no worker has
 * swept lately.
 */
export function timeByTimers(
  { context, config, pipeline, ticks: work }: TimedWork,
  bells: TimerBells,
): WorkerTiming {
  const { postgres, clock, sweepIntervalMs } = context;
  const stopped = new AbortController();
  const run = (tick: Tick) =>
    work[tick]().catch((error: unknown) =>
      postgres.report(error, 'Periodic job failed; it runs again at its next interval', { tick }),
    );
  const keeping = keepTime(context, {
    bells,
    canClaim: () => pipeline.inFlight.free > 0,
    ring: () => pipeline.ring(),
    signal: stopped.signal,
  });
  // The first ticks run at once, as with BullMQ's job schedulers.
  const first = Promise.all([run(TICKS.prune), run(TICKS.calendars), run(TICKS.forecasts)]);
  const repeat = (tick: Tick, intervalMs: number) =>
    repeatEvery(
      intervalMs,
      () => run(tick),
      () => {},
    );
  const scan = atEach(config.TASK_SCAN_CRON, () => clock.now());
  const loops = [
    repeat(TICKS.prune, HOUR_MS),
    repeat(TICKS.calendars, MINUTE_MS),
    repeat(TICKS.forecasts, MINUTE_MS),
    repeatEvery(
      SCAN_CHECK_MS,
      async () => void (scan.isDue() && (await run(TICKS.tasks))),
      () => {},
    ),
    ...(config.AUDIT_INTERVAL_SECONDS === 0
      ? []
      : [repeat(TICKS.audit, config.AUDIT_INTERVAL_SECONDS * 1_000)]),
  ];
  return {
    // Wakes `keepTime`, which reads the next due time.
    resume: () => void bells.ringNow(),
    // Each worker checks once per sweep interval, at its own moment, whether it should sweep. It does so if the last
    // sweep of any worker is older than half an interval. If the limit were a whole interval, a worker whose check
    // comes just before a sweep is due would wait for its next check. Then almost two intervals could pass between two
    // sweeps.
    shouldSweep: async ({ nowAt, lastSweepAt }) =>
      lastSweepAt === null || nowAt - lastSweepAt > sweepIntervalMs / 2,
    async close() {
      stopped.abort();
      await Promise.all([keeping, first, ...loops.map((loop) => loop.stop())]);
    },
  };
}

/** How often the timer checks whether the next instant of the task scan's cron pattern has come. */
const SCAN_CHECK_MS = 1_000;

/** `isDue` returns true once for each instant that the cron pattern names in UTC, after the instant has come. */
function atEach(cron: string, now: () => number): { isDue(): boolean } {
  const nextAfter = (at: number) => {
    const parsed = parseTiming({ rule: { cron } }, { anchorAt: Math.floor(at) });
    const [next] = parsed.ok ? nextOccurrences(parsed.timing, Math.floor(at), 1) : [];
    return next ?? Number.POSITIVE_INFINITY;
  };
  let nextAt = nextAfter(now());
  return {
    isDue() {
      if (now() < nextAt) return false;
      nextAt = nextAfter(now());
      return true;
    },
  };
}
