import { TICKS, type Tick, type TimerBells } from '@carillon/queue';
import { nextOccurrences, parseTiming } from '@carillon/shared';
import { every } from '../loops/every.js';
import { keepTime } from './keep-time.js';
import type { TimedWork, Timing } from './timing.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * Timers instead of Redis. Every worker does the ticks by itself; they are idempotent, and only cost more with many
 * workers. Workers share the sweep: a worker sweeps if none has swept lately.
 */
export function timeByTimers(
  { context, config, pipeline, ticks: work }: TimedWork,
  bells: TimerBells,
): Timing {
  const { log, clock, sweepIntervalMs } = context;
  const stopped = new AbortController();
  const run = (tick: Tick) =>
    work[tick]().catch((error: unknown) =>
      log.error({ err: error, tick }, 'Periodic job failed; it runs again at its next interval'),
    );
  const keeping = keepTime(context, {
    bells,
    canClaim: () => pipeline.inFlight.free > 0,
    ring: () => pipeline.ring(),
    signal: stopped.signal,
  });
  // BullMQ's schedulers begin at once, and these timers do the same.
  const first = Promise.all([run(TICKS.prune), run(TICKS.calendars)]);
  const repeat = (tick: Tick, intervalMs: number) =>
    every(
      intervalMs,
      () => run(tick),
      () => {},
    );
  const scan = atEach(config.TASK_SCAN_CRON, () => clock.now());
  const loops = [
    repeat(TICKS.prune, HOUR_MS),
    repeat(TICKS.calendars, MINUTE_MS),
    every(
      SCAN_CHECK_MS,
      async () => void (scan.isDue() && (await run(TICKS.tasks))),
      () => {},
    ),
    ...(config.AUDIT_INTERVAL_SECONDS === 0
      ? []
      : [repeat(TICKS.audit, config.AUDIT_INTERVAL_SECONDS * 1_000)]),
  ];
  return {
    // The next question to Postgres is at most a quarter of a second away.
    resume: () => void bells.ringNow(),
    // Half an interval, because workers look at different moments, each once per interval.
    shouldSweep: async ({ nowAt, lastSweepAt }) =>
      lastSweepAt === null || nowAt - lastSweepAt > sweepIntervalMs / 2,
    async close() {
      stopped.abort();
      await Promise.all([keeping, first, ...loops.map((loop) => loop.stop())]);
    },
  };
}

/** How often the timer checks whether the cron pattern of the task scan has come. */
const SCAN_CHECK_MS = 1_000;

/** Says, once for each instant that the cron pattern names in UTC, that it has come. */
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
