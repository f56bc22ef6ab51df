import type { Counter } from '@carillon/db';

const boundOf = (labels: string) => {
  const [, bound = ''] = /le="([^"]+)"/.exec(labels) ?? [];
  return bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
};

export interface Bucket {
  /** In seconds. */
  bound: number;
  count: number;
}

/** Workers count each observation in its own bucket only; here they are in order and add up. */
export function cumulated(buckets: readonly Counter[]): Bucket[] {
  const inOrder = buckets
    .map(({ labels, value }) => ({ bound: boundOf(labels), count: value }))
    .sort((a, b) => a.bound - b.bound);
  let sum = 0;
  for (const bucket of inOrder) {
    sum += bucket.count;
    bucket.count = sum;
  }
  return inOrder;
}

/** The upper bound, in milliseconds, of the bucket in which a quantile lies; null without observations. */
export function quantileOf(buckets: readonly Counter[], quantile: number): number | null {
  const added = cumulated(buckets);
  const total = added.at(-1)?.count ?? 0;
  if (total === 0) return null;
  const { bound } = added.find(({ count }) => count >= total * quantile) as Bucket;
  const finite = Number.isFinite(bound) ? bound : (added.at(-2)?.bound ?? 0);
  return finite * 1_000;
}
