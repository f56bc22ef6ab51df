import type { Counter, SystemFigures } from '@carillon/db';
import { cumulated } from './histogram.js';

/** What people see beside a metric. One that is not named here is still shown. */
const HELP: Record<string, string> = {
  jobs_queued_total: 'Schedules inserted.',
  jobs_cancelled_total: 'Schedules cancelled.',
  jobs_due_total: 'Runs claimed for delivery.',
  carillon_attempts_total: 'Attempts at delivering, by outcome.',
  carillon_bells_armed_total: 'Bells added to Redis.',
  carillon_bells_rung_total: 'Bells that rang.',
  carillon_claim_seconds: 'How long a claim took.',
  carillon_delivery_seconds: 'How long an attempt took.',
  carillon_drift_total: 'What the sweep found that should not have been there, by kind.',
  carillon_lateness_seconds: 'From when a run was due to its claim.',
  carillon_lost_claims_total: 'Rows that somebody else had claimed first.',
  carillon_refused_writes_total: 'Writes of an old epoch, refused.',
  carillon_reminders_contended_total: 'Reminders that another worker had in hand already.',
  carillon_reminders_retried_total: 'Reminders that needed more than one attempt.',
  carillon_reminders_total: 'Reminders that have ended, by outcome.',
  carillon_retries_total: 'Attempts that will be made again.',
};

/** Counters that are there from the beginning, at zero: what is absent can't be alerted on. */
const ALWAYS = [
  'jobs_queued_total',
  'jobs_cancelled_total',
  'jobs_due_total',
  'carillon_reminders_contended_total',
  'carillon_reminders_retried_total',
  'carillon_retries_total',
  'carillon_lost_claims_total',
];

/** The text that Prometheus reads: the counters of all replicas, and how the engine stands. */
export function exposition(counters: readonly Counter[], figures: SystemFigures): string {
  const missing = ALWAYS.filter((name) => !counters.some((counter) => counter.name === name));
  const all = [...counters, ...missing.map((name) => ({ name, labels: '', value: 0 }))];
  const histograms = new Set(
    all.filter(({ name }) => name.endsWith('_bucket')).map(({ name }) => name.slice(0, -'_bucket'.length)),
  );
  const isOfHistogram = ({ name }: Counter) => histograms.has(name.replace(/_(bucket|sum|count)$/, ''));
  const plain = all.filter((counter) => !isOfHistogram(counter));
  const names = [...new Set(plain.map(({ name }) => name))].sort();
  const parts = [
    ...names.map((name) =>
      family(name, 'counter', plain.filter((counter) => counter.name === name).map(line)),
    ),
    ...[...histograms].sort().map((name) => histogram(name, all)),
    ...gauges(figures),
  ];
  return `${parts.join('\n')}\n`;
}

const line = ({ name, labels, value }: Counter) => `${name}${labels ? `{${labels}}` : ''} ${value}`;

function family(name: string, type: string, lines: readonly string[], help = HELP[name]): string {
  return [...(help ? [`# HELP ${name} ${help}`] : []), `# TYPE ${name} ${type}`, ...lines].join('\n');
}

function histogram(name: string, all: readonly Counter[]): string {
  const value = (suffix: string) => all.find((counter) => counter.name === `${name}_${suffix}`)?.value ?? 0;
  const buckets = cumulated(all.filter((counter) => counter.name === `${name}_bucket`));
  const finite = buckets.filter(({ bound }) => Number.isFinite(bound));
  return family(name, 'histogram', [
    ...finite.map(({ bound, count }) => `${name}_bucket{le="${bound}"} ${count}`),
    `${name}_bucket{le="+Inf"} ${value('count')}`,
    `${name}_sum ${value('sum')}`,
    `${name}_count ${value('count')}`,
  ]);
}

function gauges({
  dueSchedules,
  dueRuns,
  oldestDueAt,
  now,
  workersAlive,
  inFlight,
  lastSweepAt,
}: SystemFigures): string[] {
  const seconds = (at: Date | null) =>
    at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1_000);
  const gauge = (name: string, value: number, help: string) =>
    family(name, 'gauge', [`${name} ${value}`], help);
  return [
    gauge('carillon_backlog', dueSchedules + dueRuns, 'Due and not claimed yet.'),
    gauge(
      'carillon_backlog_age_seconds',
      seconds(oldestDueAt),
      'How long the oldest of the backlog has been due.',
    ),
    gauge('carillon_in_flight', inFlight, 'Runs that workers have in hand.'),
    gauge('carillon_workers_alive', workersAlive, 'Worker replicas with a heartbeat.'),
    gauge('carillon_sweep_age_seconds', seconds(lastSweepAt), 'Since Postgres was last swept.'),
  ];
}
