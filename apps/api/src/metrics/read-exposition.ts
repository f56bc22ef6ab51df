import {
  type InstallationFigures,
  readEngineFacts,
  readInstallationFigures,
  readMetrics,
  readSystem,
  type SystemFigures,
} from '@carillon/db';
import type { EngineFacts } from '@carillon/shared';
import { exposition, type Gauge, poolGauges } from '@carillon/telemetry';
import type { ApiContext } from '../context.js';
import type { ForecastGauge } from './forecast-gauge.js';

type Source = Pick<ApiContext, 'pool' | 'counters' | 'health'>;

/**
 * The Prometheus text of the API: the counters summed over all replicas, the state of the engine, and the metrics of
 * this process.
 */
export async function readExposition(source: Source, forecast: ForecastGauge): Promise<string> {
  const { redis, isPostgresUp } = await source.health();
  const own = [
    ...poolGauges(source.pool as unknown as Parameters<typeof poolGauges>[0]),
    // An installation without Redis has no gauge `carillon_redis_up`.
    ...(redis === 'off' ? [] : [upGauge('redis', redis === 'up')]),
    upGauge('postgres', isPostgresUp),
  ];
  const engine = await readEngine(source, forecast).catch(() => null);
  // If the counters could not be read, they are left out: a zero would look like a counter that was reset.
  return exposition({ counters: engine?.counters ?? null, gauges: [...(engine?.gauges ?? []), ...own] });
}

const upGauge = (server: 'postgres' | 'redis', isUp: boolean): Gauge => ({
  name: `carillon_${server}_up`,
  help: server === 'redis' ? 'Whether Redis takes writes.' : 'Whether Postgres answers.',
  values: [{ value: isUp ? 1 : 0 }],
});

async function readEngine({ pool, counters }: Source, forecast: ForecastGauge) {
  await counters.flush();
  const [counted, figures, facts, installation, coming] = await Promise.all([
    readMetrics(pool),
    readSystem(pool),
    readEngineFacts(pool, null),
    readInstallationFigures(pool, null),
    forecast.read(),
  ]);
  return {
    counters: counted,
    gauges: [...systemGauges(figures), ...factGauges(facts), ...installationGauges(installation), coming],
  };
}

const gauge = (name: string, value: number, help: string): Gauge => ({ name, help, values: [{ value }] });

/** Returns the age of an instant in seconds; 0 if there is none. */
const ageAt = (now: number) => (at: number | null) => (at === null ? 0 : Math.max(0, (now - at) / 1_000));

function systemGauges(figures: SystemFigures): Gauge[] {
  const { dueSchedules, dueRuns, oldestDueAt, now, workersAlive, workersLost, inFlight, lastSweepAt } =
    figures;
  const age = ageAt(now);
  return [
    gauge('carillon_backlog', dueSchedules + dueRuns, 'Schedules and runs that are due and not claimed yet.'),
    gauge(
      'carillon_backlog_age_seconds',
      age(oldestDueAt),
      'Time since the oldest entry of the backlog was due.',
    ),
    gauge('carillon_in_flight', inFlight, 'Runs that workers are processing.'),
    gauge('carillon_workers_alive', workersAlive, 'Worker replicas with a recent heartbeat.'),
    gauge(
      'carillon_workers_lost',
      workersLost,
      'Worker replicas of the last day that ended without signing off.',
    ),
    gauge('carillon_sweep_age_seconds', age(lastSweepAt), 'Time since the last sweep of Postgres.'),
  ];
}

function factGauges({ now, oldestDeliverableAt, dueWithoutHandler }: EngineFacts): Gauge[] {
  return [
    gauge(
      'carillon_oldest_due_seconds',
      ageAt(now)(oldestDeliverableAt),
      'Time since the oldest due run was due that a live worker could deliver. It grows if workers are stuck.',
    ),
    gauge(
      'carillon_due_without_handler',
      dueWithoutHandler,
      'Due runs whose handler no live worker has, among the oldest 10,000.',
    ),
  ];
}

function installationGauges(figures: InstallationFigures): Gauge[] {
  return [
    {
      name: 'carillon_clock_offset_seconds',
      help: "How far the clock of each live worker is ahead of Postgres's.",
      values: figures.clockOffsets.map(({ workerId, offsetMs }) => ({
        labels: { worker: String(workerId) },
        value: offsetMs / 1_000,
      })),
    },
    gauge(
      'carillon_partitions_ready',
      figures.partitionsReady,
      'Months in a row that have their partitions, from the current one on. Normally 3.',
    ),
    gauge(
      'carillon_longest_transaction_seconds',
      figures.longestTransactionMs / 1_000,
      'Age of the oldest open transaction in the database.',
    ),
  ];
}
