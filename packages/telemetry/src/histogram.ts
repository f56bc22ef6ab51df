import { BUCKETS_MS } from './catalogue.js';
import type { CounterValue } from './exposition.js';

const boundOf = (labels: string) => {
  const [, bound = ''] = /le="([^"]+)"/.exec(labels) ?? [];
  return bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
};

interface Bucket {
  /** Upper bound in seconds. */
  bound: number;
  count: number;
}

/**
 * Workers count each observation in one bucket only. This function sorts the buckets and makes the counts cumulative.
 * Every bucket is returned, even if it is empty, because a bucket that appears only later would distort quantiles over
 * time.
 */
export function cumulativeBuckets(buckets: readonly CounterValue[]): Bucket[] {
  const counts = new Map(BUCKETS_MS.map((boundMs) => [boundMs / 1_000, 0]));
  for (const { labels, value } of buckets)
    counts.set(boundOf(labels), (counts.get(boundOf(labels)) ?? 0) + value);
  let sum = 0;
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([bound, count]) => {
      sum += count;
      return { bound, count: sum };
    });
}

/**
 * The upper bound in milliseconds of the bucket that contains a quantile, or the largest finite bound if the quantile
 * lies beyond it. Null without observations.
 */
export function quantileOf(buckets: readonly CounterValue[], quantile: number): number | null {
  const added = cumulativeBuckets(buckets);
  const total = added.at(-1)?.count ?? 0;
  if (total === 0) return null;
  const { bound } = added.find(({ count }) => count >= total * quantile) as Bucket;
  const finite = Number.isFinite(bound) ? bound : (added.at(-2)?.bound ?? 0);
  return finite * 1_000;
}
