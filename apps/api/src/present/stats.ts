import type { StatsRow } from '@carillon/db';
import type { StatsStep } from '@carillon/shared';
import { LATENESS_BOUNDS_MS } from '@carillon/shared';
import type { z } from 'zod';

type Outcomes = Omit<z.infer<typeof StatsStep>, 'at'>;
type Counted = Omit<StatsRow, 'at'>;

export const NOTHING_COUNTED: Counted = {
  succeeded: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  running: 0,
  lateness: new Array<number>(LATENESS_BOUNDS_MS.length + 1).fill(0),
};

export const addCounted = (a: Counted, b: Counted): Counted => ({
  succeeded: a.succeeded + b.succeeded,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  cancelled: a.cancelled + b.cancelled,
  running: a.running + b.running,
  lateness: a.lateness.map((count, bucket) => count + (b.lateness[bucket] ?? 0)),
});

export const presentCounted = ({
  lateness,
  succeeded,
  failed,
  skipped,
  cancelled,
  running,
}: Counted): Outcomes => ({
  succeeded,
  failed,
  skipped,
  cancelled,
  running,
  lateness: {
    count: lateness.reduce((sum, count) => sum + count, 0),
    p50Ms: quantileOf(lateness, 0.5),
    p99Ms: quantileOf(lateness, 0.99),
  },
});

/**
 * The upper bound of the histogram bucket in which a quantile lies. The last bucket has no upper bound, so its lower
 * bound is returned instead. Null if there are no runs.
 */
function quantileOf(buckets: readonly number[], quantile: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let sum = 0;
  const bucket = buckets.findIndex((count) => {
    sum += count;
    return sum >= total * quantile;
  });
  return LATENESS_BOUNDS_MS[bucket] ?? LATENESS_BOUNDS_MS.at(-1) ?? null;
}
