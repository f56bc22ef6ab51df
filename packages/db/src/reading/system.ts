import type { Database } from '../database.js';
import type { Counter } from '../queries/workers.js';
import { numberArray, textArray } from '../sql-text.js';

export interface WorkerView {
  id: number;
  host: string;
  pid: number;
  status: 'alive' | 'lost' | 'stopped';
  inFlight: number;
  startedAt: Date;
  heartbeatAt: Date;
  stoppedAt: Date | null;
}

/** Three heartbeats of the default interval. */
const STATUS = `case when stopped_at is not null then 'stopped'
                     when heartbeat_at > clock_timestamp() - interval '15 seconds' then 'alive' else 'lost' end`;

/** The replicas of the last day, newest first. */
export async function listWorkers(
  db: Database,
  { limit, beforeId }: { limit: number; beforeId: number | null },
): Promise<WorkerView[]> {
  const { rows } = await db.query<WorkerView>(
    `select id, host, pid, ${STATUS} as status, in_flight as "inFlight", started_at as "startedAt",
            heartbeat_at as "heartbeatAt", stopped_at as "stoppedAt"
     from workers
     where heartbeat_at > clock_timestamp() - interval '1 day' and ($1::bigint is null or id < $1)
     order by id desc limit $2`,
    [beforeId, limit],
  );
  return rows;
}

export interface SystemFigures {
  now: Date;
  workersAlive: number;
  workersLost: number;
  inFlight: number;
  dueSchedules: number;
  dueRuns: number;
  oldestDueAt: Date | null;
  lastSweepAt: Date | null;
}

/** How the engine stands now. */
export async function readSystem(db: Database): Promise<SystemFigures> {
  const { rows } = await db.query<SystemFigures>({
    name: 'read-system',
    text: `with clock as (select clock_timestamp() as now),
           replica as (
             select ${STATUS} as status, in_flight from workers where heartbeat_at > clock_timestamp() - interval '1 day'
           ),
           due as (
             select count(*) as count, min(next_run_at) as oldest from schedules
             where status = 'active' and next_run_at <= (select now from clock)
           ),
           waiting as (
             select count(*) as count, min(next_attempt_at) as oldest from runs
             where next_attempt_at <= (select now from clock)
           )
           select clock.now::timestamptz(3) as now,
                  (select count(*) from replica where status = 'alive') as "workersAlive",
                  (select count(*) from replica where status = 'lost') as "workersLost",
                  (select coalesce(sum(in_flight), 0)::bigint from replica where status = 'alive') as "inFlight",
                  due.count as "dueSchedules", waiting.count as "dueRuns", least(due.oldest, waiting.oldest) as "oldestDueAt",
                  (select last_at from sweeps) as "lastSweepAt"
           from clock, due, waiting`,
  });
  return rows[0] as SystemFigures;
}

/** The counters of all replicas, summed. */
export async function readMetrics(db: Database): Promise<Counter[]> {
  const { rows } = await db.query<Counter>('select name, labels, value from metrics order by name, labels');
  return rows;
}

/** Adds what the counters of a replica have grown by. */
export async function addMetrics(db: Database, grown: readonly Counter[]): Promise<void> {
  await db.query({
    name: 'add-metrics',
    text: `insert into metrics (name, labels, value)
           select * from unnest($1::text[], $2::text[], $3::float8[]) as grown(name, labels, value) order by name, labels
           on conflict (name, labels) do update set value = metrics.value + excluded.value`,
    values: [
      textArray(grown.map(({ name }) => name)),
      textArray(grown.map(({ labels }) => labels)),
      numberArray(grown.map(({ value }) => value)),
    ],
  });
}
