import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { COUNTERS, HISTOGRAMS } from './catalogue.js';
import { cumulativeBuckets } from './histogram.js';
import { processMetrics } from './process-metrics.js';

/** The value of a counter. Labels are Prometheus text: `kind="overdue"`. */
export interface CounterValue {
  name: string;
  labels: string;
  value: number;
}

export interface Gauge {
  name: string;
  help: string;
  values: readonly { labels?: Record<string, string>; value: number }[];
}

interface Exposed {
  /** Null if the counters can't be read now. Counters and histograms are then left out. */
  counters: readonly CounterValue[] | null;
  gauges: readonly Gauge[];
  /** Labels that every counter and gauge of this process has. */
  labels?: Record<string, string>;
}

/**
 * The Prometheus text of a process: its counters and gauges, and the metrics of Node itself. A counter that has counted
 * nothing is written as 0, because an alert on an absent metric never fires.
 */
export async function exposition({ counters, gauges, labels = {} }: Exposed): Promise<string> {
  const sums = AggregatorRegistry.aggregate([
    [
      ...(counters ? counterMetrics(counters, labels) : []),
      ...gauges.map((gauge) => gaugeMetric(gauge, labels)),
    ],
  ]);
  return `${await sums.metrics()}\n${await processMetrics().metrics()}`;
}

function counterMetrics(counters: readonly CounterValue[], labels: Labels) {
  const plain = counters.filter(({ name }) => !(familyOf(name) in HISTOGRAMS));
  // A worker of another version may count metrics that this version does not know.
  const names = new Set([...Object.keys(COUNTERS), ...plain.map(({ name }) => name)]);
  return [
    ...[...names].sort().map((name) => counterMetric(name, plain, labels)),
    ...Object.entries(HISTOGRAMS).map(([name, help]) => histogramMetric(name, { help, counters, labels })),
  ];
}

const familyOf = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

type Labels = Record<string, string>;
type Sample = MetricValue<string> & { metricName?: string };

/** A metric in the form in which prom-client aggregates the metrics of several processes. */
const metric = (
  type: 'counter' | 'gauge' | 'histogram' | 'untyped',
  { name, help, values }: { name: string; help: string; values: Sample[] },
) => ({ name, help, type, values, aggregator: 'sum' }) as unknown as MetricObjectWithValues<Sample>;

function counterMetric(name: string, counters: readonly CounterValue[], labels: Labels) {
  const entry = COUNTERS[name];
  const values = new Map<string, number>();
  for (const initial of entry?.labels ?? (entry ? [''] : [])) values.set(initial, 0);
  for (const counter of counters) if (counter.name === name) values.set(counter.labels, counter.value);
  return metric(name.endsWith('_total') ? 'counter' : 'untyped', {
    name,
    help: entry?.help ?? 'Counted by a worker of another version.',
    values: [...values].map(([text, value]) => ({ value, labels: { ...labels, ...readLabels(text) } })),
  });
}

const readLabels = (text: string) =>
  Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));

function histogramMetric(
  name: string,
  { help, counters, labels }: { help: string; counters: readonly CounterValue[]; labels: Labels },
) {
  const total = (suffix: string) =>
    counters.find((counter) => counter.name === `${name}_${suffix}`)?.value ?? 0;
  const buckets = cumulativeBuckets(counters.filter((counter) => counter.name === `${name}_bucket`));
  const finite = buckets.filter(({ bound }) => Number.isFinite(bound));
  const bucket = (le: number | string, value: number) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le },
    value,
  });
  const values = [
    ...finite.map(({ bound, count }) => bucket(bound, count)),
    bucket('+Inf', total('count')),
    { metricName: `${name}_sum`, labels, value: total('sum') },
    { metricName: `${name}_count`, labels, value: total('count') },
  ];
  return metric('histogram', { name, help, values });
}

const gaugeMetric = ({ name, help, values }: Gauge, labels: Labels) =>
  metric('gauge', {
    name,
    help,
    values: values.map(({ value, labels: own = {} }) => ({ value, labels: { ...labels, ...own } })),
  });
