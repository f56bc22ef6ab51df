import type { Database } from '../database.js';
import { milliseconds, NOW } from '../instants.js';
import {
  INSTALLATION_STATE,
  type InstallationRow,
  type InstallationState,
  toInstallationState,
} from '../restore/installation-state.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';
import { type Claimant, readGeneration } from './fencing.js';

export interface NewWorker {
  host: string;
  pid: number;
  token: string;
  /** The handlers that the code of the worker defines. */
  handlers: readonly string[];
  /** The version of the worker's time zone data. */
  tzdata: string;
  heartbeatIntervalMs: number;
}

/** A worker counts as lost after this many intervals without a heartbeat. */
const MISSED_HEARTBEATS = 3;
const ALIVE_UNTIL = `clock_timestamp() + ${milliseconds(`${MISSED_HEARTBEATS} * :heartbeatIntervalMs::float8`)}`;

/**
 * SQL: the sweep interval of a worker, which is also the time between two of its heartbeats. A heartbeat sets
 * `alive_until` to `MISSED_HEARTBEATS` such intervals after `heartbeat_at`.
 */
export const SWEEP_INTERVAL = `(alive_until - heartbeat_at) / ${MISSED_HEARTBEATS}`;

const insert = statement<NewWorker, { id: number }>(
  'register-worker',
  `insert into carillon.workers (host, pid, token, handlers, tzdata, alive_until)
   values (:host, :pid, :token, :handlers, :tzdata, ${ALIVE_UNTIL}) returning id`,
);

/** Registers a worker process, which keeps its id and its token until it ends. */
export async function registerWorker(db: Database, worker: NewWorker): Promise<Claimant> {
  const generation = await readGeneration(db);
  const [row] = await insert(db, worker);
  return { workerId: (row as { id: number }).id, token: worker.token, generation, handlers: worker.handlers };
}

const selectLiveHandlers = statement<object, { handlers: string[] | null }>(
  'read-live-handlers',
  `select case when count(*) > 0 then array(
     select distinct unnest(w.handlers) from carillon.workers w where w.stopped_at is null and w.alive_until > clock_timestamp()
   ) end as handlers
   from carillon.workers where stopped_at is null and alive_until > clock_timestamp()`,
);

/** The handlers that any live worker has; null if no worker is alive. */
export async function readLiveHandlers(db: Database): Promise<ReadonlySet<string> | null> {
  const [row] = await selectLiveHandlers(db, {});
  return row?.handlers ? new Set(row.handlers) : null;
}

export interface Counter {
  name: string;
  labels: string;
  value: number;
}

const counters = batch<Counter>('counter', { name: 'text', labels: 'text', value: 'float8' });

const ADD_COUNTERS = `
  insert into carillon.metrics as m (name, labels, value)
  select name, labels, value from ${counters.source} order by name, labels
  on conflict (name, labels) do update set value = m.value + excluded.value`;

/** Counters whose growth is also stored per minute, for the figures of the last minute, hour and day. */
const BY_MINUTE = [
  'carillon_lateness_seconds_bucket',
  'carillon_backlog_wait_seconds_bucket',
  'carillon_queue_wait_seconds_bucket',
  'carillon_deferral_wait_seconds_bucket',
  'carillon_attempts_total',
  'carillon_deferred_total',
  'carillon_drift_total',
  'carillon_runs_failed_total',
];

const ADD_MINUTES = `
  insert into carillon.metric_minutes as m (minute, name, labels, value)
  select date_bin('1 minute', ${NOW}, 'epoch'), name, labels, value from ${counters.source}
  where name in (${BY_MINUTE.map((name) => `'${name}'`).join(', ')}) order by name, labels
  on conflict (minute, name, labels) do update set value = m.value + excluded.value`;

export interface Heartbeat {
  /** The time by Postgres's clock. */
  nowAt: number;
  lastSweepAt: number | null;
  /** How many heartbeats of this worker Postgres has counted; null if it does not know the worker. */
  beats: number | null;
  installation: InstallationState;
}

const reportAlive = statement<Values, Omit<Heartbeat, 'installation'> & InstallationRow>(
  'heartbeat',
  `with alive as (
     update carillon.workers
     set heartbeat_at = clock_timestamp(), alive_until = ${ALIVE_UNTIL}, in_flight = :inFlight, clock_offset_ms = :clockOffsetMs,
         open_circuits = :openCircuits::text[], beats = beats + 1
     where id = :workerId and token = :token
     returning beats
   ), counted as (${ADD_COUNTERS}
   ), counted_by_minute as (${ADD_MINUTES})
   select clock_timestamp()::timestamptz(3) as "nowAt", swept_at as "lastSweepAt", (select beats from alive) as beats,
          ${INSTALLATION_STATE}
   from carillon.installation`,
);

/** Reports that a worker is alive, how many runs it has in flight, and how much its counters have grown. */
export async function sendHeartbeat(
  db: Database,
  {
    grown,
    ...worker
  }: {
    workerId: number;
    token: string;
    inFlight: number;
    heartbeatIntervalMs: number;
    clockOffsetMs: number;
    openCircuits: readonly string[];
    grown: readonly Counter[];
  },
): Promise<Heartbeat> {
  const openCircuits = arrayOf(worker.openCircuits);
  const [heartbeat] = await reportAlive(db, { ...worker, openCircuits, now: null, ...counters.of(grown) });
  const { nowAt, lastSweepAt, beats, ...row } = heartbeat as NonNullable<typeof heartbeat>;
  return { nowAt, lastSweepAt, beats, installation: toInstallationState(row) };
}

const addAll = statement<Values>('add-metrics', `with counted_by_minute as (${ADD_MINUTES}) ${ADD_COUNTERS}`);

/** Adds the growth of an API process's counters to the stored totals. */
export async function addMetrics(
  db: Database,
  grown: readonly Counter[],
  now: number | null = null,
): Promise<void> {
  await addAll(db, { now, ...counters.of(grown) });
}

export const signOff = statement<{ workerId: number; token: string }>(
  'sign-off',
  `update carillon.workers set stopped_at = clock_timestamp(), in_flight = 0, open_circuits = '{}'
   where id = :workerId and token = :token`,
);

const selectClock = statement<object, { nowAt: number }>(
  'read-clock',
  `select clock_timestamp()::timestamptz(3) as "nowAt"`,
);

export async function readClock(db: Database): Promise<{ nowAt: number }> {
  const [row] = await selectClock(db, {});
  return row as { nowAt: number };
}

/** A worker that sent no heartbeat for this long is deleted. */
export const FORGOTTEN_AFTER_DAYS = 7;
