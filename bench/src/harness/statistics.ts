/** A quantile of values in any order. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values as number[]).sort();
  const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  return sorted[at] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

/**
 * The difference between the largest and the smallest figure of the rounds, as a share of their median. A ratio of two
 * figures is no more precise than this.
 */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}
