import { collectDefaultMetrics, Registry } from 'prom-client';

/** Gauges of prom-client whose names end in `_total`, which Prometheus reserves for counters. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

let registry: Registry | null = null;

/** CPU, memory, event loop and garbage collection of this process. Collected from the first call on. */
export function processMetrics(): Registry {
  if (registry) return registry;
  registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return registry;
}
