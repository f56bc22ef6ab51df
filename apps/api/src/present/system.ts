import type { Counter, SystemFigures } from '@carillon/db';
import type { System } from '@carillon/shared';
import type { z } from 'zod';
import { quantileOf } from '../metrics/histogram.js';

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** Drift and health in figures. */
export function presentSystem({
  figures,
  counters,
  bellsArmed,
  clockOffsetMs,
}: {
  figures: SystemFigures;
  counters: readonly Counter[];
  bellsArmed: number | null;
  clockOffsetMs: number;
}): z.infer<typeof System> {
  const drift = (kind: string) =>
    counters.find(({ name, labels }) => name === 'carillon_drift_total' && labels === `kind="${kind}"`)
      ?.value ?? 0;
  const buckets = counters.filter(({ name }) => name === 'carillon_lateness_seconds_bucket');
  const isWell = bellsArmed !== null && figures.workersAlive > 0;
  return {
    status: isWell ? 'ok' : 'degraded',
    now: figures.now.toISOString(),
    clockOffsetMs,
    redis: bellsArmed === null ? 'down' : 'up',
    workers: { alive: figures.workersAlive, lost: figures.workersLost, inFlight: figures.inFlight },
    backlog: {
      schedules: figures.dueSchedules,
      runs: figures.dueRuns,
      oldestDueAt: iso(figures.oldestDueAt),
    },
    sweep: {
      lastAt: iso(figures.lastSweepAt),
      ageMs: figures.lastSweepAt === null ? null : figures.now.getTime() - figures.lastSweepAt.getTime(),
    },
    drift: {
      overdue: drift('overdue'),
      missingBells: drift('missingBells'),
      expiredLeases: drift('expiredLeases'),
    },
    bells: { armed: bellsArmed },
    lateness: {
      count: buckets.reduce((sum, { value }) => sum + value, 0),
      p50Ms: quantileOf(buckets, 0.5),
      p99Ms: quantileOf(buckets, 0.99),
    },
  };
}
