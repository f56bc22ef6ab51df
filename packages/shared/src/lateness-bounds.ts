/**
 * Upper bounds of the histogram buckets for lateness and other durations, the same in the statistics and in the
 * metrics.
 */
export const LATENESS_BOUNDS_MS = [
  1, 2, 5, 10, 20, 30, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 3_600_000,
] as const;
