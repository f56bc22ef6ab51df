import type { Database } from '../database.js';
import type { Counter } from '../engine/workers.js';
import { statement } from '../statement.js';

export interface WorkerView {
  id: number;
  host: string;
  pid: number;
  status: 'alive' | 'lost' | 'stopped';
  inFlight: number;
  handlers: string[];
  clockOffsetMs: number;
  tzdata: string | null;
  startedAt: number;
  heartbeatAt: number;
  stoppedAt: number | null;
}

const STATUS = `case when stopped_at is not null then 'stopped'
                     when alive_until > clock_timestamp() then 'alive' else 'lost' end`;

const selectWorkers = statement<{ limit: number; beforeId: number | null }, WorkerView>(
  'list-workers',
  `select id, host, pid, ${STATUS} as status, in_flight as "inFlight", handlers, clock_offset_ms as "clockOffsetMs", tzdata, started_at as "startedAt",
          heartbeat_at as "heartbeatAt", stopped_at as "stoppedAt"
   from carillon.workers
   where heartbeat_at > clock_timestamp() - interval '1 day' and (:beforeId::bigint is null or id < :beforeId)
   order by id desc limit :limit`,
);

/** The workers that sent a heartbeat within the last day, newest first. */
export function listWorkers(
  db: Database,
  page: { limit: number; beforeId: number | null },
): Promise<WorkerView[]> {
  return selectWorkers(db, page);
}

export interface SystemFigures {
  now: number;
  workersAlive: number;
  workersLost: number;
  inFlight: number;
  dueSchedules: number;
  dueRuns: number;
  oldestDueAt: number | null;
  lastSweepAt: number | null;
}

const selectSystem = statement<object, SystemFigures>(
  'read-system',
  `with clock as materialized (select clock_timestamp()::timestamptz(3) as now),
   replica as (
     select ${STATUS} as status, in_flight from carillon.workers where heartbeat_at > clock_timestamp() - interval '1 day'
   ), due as (
     select count(*) as count, min(due_at) as oldest from carillon.agenda
     where not is_held and due_at <= (select now from clock)
   ), waiting as (
     select count(*) as count, min(next_attempt_at) as oldest from carillon.runs
     where next_attempt_at <= (select now from clock)
   )
   select clock.now,
          (select count(*) from replica where status = 'alive') as "workersAlive",
          (select count(*) from replica where status = 'lost') as "workersLost",
          (select coalesce(sum(in_flight), 0)::bigint from replica where status = 'alive') as "inFlight",
          due.count as "dueSchedules", waiting.count as "dueRuns", least(due.oldest, waiting.oldest) as "oldestDueAt",
          (select swept_at from carillon.installation) as "lastSweepAt"
   from clock, due, waiting`,
);

/** Reads the current figures of the engine: its workers, their runs in flight, and the work that is due. */
export async function readSystem(db: Database): Promise<SystemFigures> {
  const [row] = await selectSystem(db, {});
  return row as SystemFigures;
}

const selectMetrics = statement<object, Counter>(
  'read-metrics',
  'select name, labels, value from carillon.metrics order by name, labels',
);

/** The counters of all replicas, summed. */
export function readMetrics(db: Database): Promise<Counter[]> {
  return selectMetrics(db, {});
}
