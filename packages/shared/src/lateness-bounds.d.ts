/** Upper bounds of the buckets in which durations are counted, by the statistics and by the metrics alike. */
export declare const LATENESS_BOUNDS_MS: readonly [1, 2, 5, 10, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000, 300000, 600000, 3600000];
