import { type Plan, type RunOrigin, readPlan, readTiming, type Timing } from '@carillon/shared';
import type { Installation } from '../harness/installation.js';
import type { Delivery } from '../harness/receiver.js';

export interface ScheduleFact {
  id: number;
  projectId: number;
  project: string;
  key: string;
  status: 'active' | 'paused' | 'finished' | 'cancelled';
  definitionVersion: number;
  /** The next occurrence of the schedule, from its agenda row; null if it has none. */
  occurrenceAt: number | null;
  runsTotal: number;
  updatedAt: number;
}

/** A definition and the time during which it was in effect. `untilAt` is null for the current one. */
export interface DefinitionFact {
  scheduleId: number;
  version: number;
  timing: Timing;
  plan: Plan;
  fromAt: number;
  untilAt: number | null;
}

export interface RunFact {
  scheduleId: number;
  occurrenceAt: number;
  origin: RunOrigin;
  projectId: number;
  version: number;
  status: string;
  dueAt: number;
  /** The time from the due time to the start of the delivery, as the worker has recorded it. */
  latenessMs: number | null;
  recordedAt: number;
  attempt: number;
  replays: number;
}

export interface AttemptFact {
  scheduleId: number;
  occurrenceAt: number;
  origin: RunOrigin;
  number: number;
  epoch: number;
  /**
   * The random token of the worker process that claimed the attempt. Together with the epoch (the number of the lease)
   * it identifies one claim.
   */
  token: string | null;
  claimedAt: number;
  finishedAt: number | null;
  outcome: string | null;
  httpStatus: number | null;
}

export interface GapFact {
  scheduleId: number;
  projectId: number;
  version: number;
  fromAt: number;
  toAt: number;
  count: number;
}

export interface AuditFact {
  projectId: number;
  key: string;
  at: number;
  action: string;
  detail: { version?: number; inFlight?: string[]; untilAt?: number | null } | null;
}

/** Everything that Postgres and the receiver have recorded since the scenario began. */
export interface Facts {
  nowAt: number;
  schedules: ScheduleFact[];
  /** The definitions of each schedule, oldest first. */
  definitions: Map<number, DefinitionFact[]>;
  runs: Map<number, RunFact[]>;
  attempts: Map<number, AttemptFact[]>;
  gaps: Map<number, GapFact[]>;
  audit: AuditFact[];
  deliveries: readonly Delivery[];
}

const IDENTITY = `schedule_id as "scheduleId", occurrence_at as "occurrenceAt", origin`;

const SCHEDULES = `
  select s.id, s.project_id as "projectId", p.key as project, s.key,
         case when s.status = 'active' and a.schedule_id is null then 'finished' else s.status::text end as status,
         s.definition_version as "definitionVersion", a.occurrence_at as "occurrenceAt",
         coalesce(a.runs_total, s.runs_total, 1) as "runsTotal", s.updated_at as "updatedAt"
  from carillon.schedules s
  left join carillon.agenda a on a.schedule_id = s.id
  left join carillon.projects p on p.id = s.project_id
  where s.id > $1 order by s.id`;

const DEFINITIONS = `
  select schedule_id as "scheduleId", version, timing, plan, defined_at as "fromAt", superseded_at as "untilAt"
  from carillon.schedule_versions where schedule_id > $1
  union all
  select id, definition_version, timing, plan, defined_at, null from carillon.schedules where id > $1
  order by 1, 2`;

const RUNS = `
  select ${IDENTITY}, project_id as "projectId", version, status, due_at as "dueAt", lateness_ms as "latenessMs",
         recorded_at as "recordedAt", attempt, replays
  from carillon.runs where schedule_id > $1 order by schedule_id, occurrence_at`;

const ATTEMPTS = `
  select ${IDENTITY}, number, epoch, w.token, claimed_at as "claimedAt", finished_at as "finishedAt", outcome,
         http_status as "httpStatus"
  from carillon.run_attempts a left join carillon.workers w on w.id = a.worker_id
  where schedule_id > $1 order by schedule_id, occurrence_at, origin, number`;

const GAPS = `
  select schedule_id as "scheduleId", project_id as "projectId", version, from_at as "fromAt", to_at as "toAt", count
  from carillon.gaps where schedule_id > $1`;

const AUDIT = `
  select project_id as "projectId", subject as key, at, action, detail
  from carillon.audit_log where id > $1 and subject is not null order by id`;

type StoredDefinition = Omit<DefinitionFact, 'timing' | 'plan'> & { timing: string; plan: string };

/** Reads all tables in one snapshot, so that their rows are consistent although workers change them meanwhile. */
export async function readFacts(
  { pool, receiver }: Pick<Installation, 'pool'> & { receiver: { log: readonly Delivery[] } },
  { sinceId, sinceAuditId, now = null }: { sinceId: number; sinceAuditId: number; now?: number | null },
): Promise<Facts> {
  const client = await pool.connect();
  const read = async <T>(text: string, value = sinceId): Promise<T[]> =>
    (await client.query(text, [value])).rows as T[];
  try {
    await client.query('begin isolation level repeatable read, read only');
    const [clock] = await read<{ nowAt: number }>('select clock_timestamp() as "nowAt" where $1 >= 0');
    const schedules = await read<ScheduleFact>(SCHEDULES);
    const definitions = await read<StoredDefinition>(DEFINITIONS);
    const runs = await read<RunFact>(RUNS);
    const attempts = await read<AttemptFact>(ATTEMPTS);
    const gaps = await read<GapFact>(GAPS);
    const audit = await read<AuditFact>(AUDIT, sinceAuditId);
    return {
      nowAt: now ?? (clock as { nowAt: number }).nowAt,
      schedules,
      definitions: groupBy(
        definitions.map((row) => ({ ...row, timing: readTiming(row.timing), plan: readPlan(row.plan) })),
        ({ scheduleId }) => scheduleId,
      ),
      runs: groupBy(runs, ({ scheduleId }) => scheduleId),
      attempts: groupBy(attempts, ({ scheduleId }) => scheduleId),
      gaps: groupBy(gaps, ({ scheduleId }) => scheduleId),
      audit,
      deliveries: receiver.log,
    };
  } finally {
    await client.query('rollback');
    client.release();
  }
}

export function groupBy<T, K>(rows: readonly T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

export const iso = (at: number) => new Date(at).toISOString();
export const isOpen = ({ status }: RunFact) => ['queued', 'running', 'retrying'].includes(status);
