export { cachedFor } from './cached-for.js';
export { BUCKETS_MS, COUNTERS, HISTOGRAMS } from './catalogue.js';
export { type CounterValue, exposition, type Gauge } from './exposition.js';
export { readHealthFacts } from './health-facts.js';
export { quantileOf } from './histogram.js';
export { type PoolUse, poolGauges } from './pool-gauges.js';
export { processMetrics } from './process-metrics.js';
export { openTracing, type TraceSpan, type Tracing } from './tracing.js';
export { within } from './within.js';
