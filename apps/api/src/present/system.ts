import type { CounterWindows, SystemFigures, TzdataState } from '@carillon/db';
import { type HealthFacts, type Hold, judgeHealth, type System } from '@carillon/shared';
import { quantileOf } from '@carillon/telemetry';
import type { z } from 'zod';
import { iso } from './iso.js';

/** The state of the engine in figures, such as its health, its backlog and its drift (what sweeps had to repair). */
export function presentSystem({
  figures,
  windows,
  facts,
  bellsArmed,
  clockOffsetMs,
  tzdata,
  hold,
}: {
  figures: SystemFigures;
  windows: CounterWindows;
  facts: HealthFacts;
  bellsArmed: number | null;
  clockOffsetMs: number;
  tzdata: TzdataState;
  hold: Hold | null;
}): z.infer<typeof System> {
  return {
    ...judgeHealth(facts),
    now: iso(figures.now),
    clockOffsetMs,
    redis: facts.redis,
    workers: { alive: figures.workersAlive, lost: figures.workersLost, inFlight: figures.inFlight },
    hold: hold && {
      code: hold.code,
      since: iso(hold.heldAt),
      reason: hold.reason,
      lostFrom: iso(hold.lostFromAt),
    },
    backlog: {
      schedules: figures.dueSchedules,
      runs: figures.dueRuns,
      oldestDueAt: iso(figures.oldestDueAt),
    },
    sweep: {
      lastAt: iso(figures.lastSweepAt),
      ageMs: figures.lastSweepAt === null ? null : figures.now - figures.lastSweepAt,
    },
    bells: { armed: bellsArmed },
    circuits: { open: facts.engine?.openCircuits ?? 0 },
    tzdata: {
      version: tzdata.version,
      since: iso(tzdata.since),
      next: tzdata.next,
      workers: tzdata.workers,
    },
    windows: {
      minute: presentWindow(windows.minute, windows.nowAt),
      hour: presentWindow(windows.hour, windows.nowAt),
      day: presentWindow(windows.day, windows.nowAt),
    },
  };
}

type Window = z.infer<typeof System>['windows']['minute'];

function presentWindow({ fromAt, counters }: CounterWindows['minute'], nowAt: number): Window {
  const minutes = (nowAt - fromAt) / 60_000;
  const rate = (name: string, labels?: string) => {
    const counted = counters.filter((each) => each.name === name && (labels ?? each.labels) === each.labels);
    const count = counted.reduce((sum, { value }) => sum + value, 0);
    return { count, perMinute: Math.round((count / minutes) * 100) / 100 };
  };
  const quantiles = (histogram: string) => {
    const buckets = counters.filter(({ name, value }) => name === `${histogram}_bucket` && value > 0);
    const count = buckets.reduce((sum, { value }) => sum + value, 0);
    return { count, p50Ms: quantileOf(buckets, 0.5), p99Ms: quantileOf(buckets, 0.99) };
  };
  const drift = (kind: string) => rate('carillon_drift_total', `kind="${kind}"`);
  return {
    from: iso(fromAt),
    lateness: quantiles('carillon_lateness_seconds'),
    waits: {
      backlog: quantiles('carillon_backlog_wait_seconds'),
      queue: quantiles('carillon_queue_wait_seconds'),
      deferral: quantiles('carillon_deferral_wait_seconds'),
    },
    deferrals: rate('carillon_deferred_total'),
    failed: rate('carillon_runs_failed_total'),
    drift: {
      overdue: drift('overdue'),
      missingBells: drift('missingBells'),
      expiredLeases: drift('expiredLeases'),
    },
  };
}
