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
  occurrenceAt: number | null;
  updatedAt: number;
}

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
  enqueuedAt: number;
  attempt: number;
  replays: number;
}

export interface AttemptFact {
  scheduleId: number;
  occurrenceAt: number;
  origin: RunOrigin;
  number: number;
  epoch: number;
  claimedAt: number;
  finishedAt: number | null;
  outcome: string | null;
  httpStatus: number | null;
}

export interface GapFact {
  scheduleId: number;
  projectId: number;
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

/** Everything that Postgres and the receiver know of what happened since a scenario began. */
export interface Facts {
  nowAt: number;
  schedules: ScheduleFact[];
  definitions: Map<number, DefinitionFact[]>;
  runs: Map<number, RunFact[]>;
  attempts: Map<number, AttemptFact[]>;
  gaps: Map<number, GapFact[]>;
  audit: AuditFact[];
  deliveries: readonly Delivery[];
}

const ms = (column: string, name: string) =>
  `round(date_part('epoch', ${column}) * 1000)::bigint as "${name}"`;
const IDENTITY = `schedule_id as "scheduleId", ${ms('occurrence_at', 'occurrenceAt')}, origin`;

export async function readFacts(
  { pool, receiver }: Pick<Installation, 'pool'> & { receiver: { log: readonly Delivery[] } },
  { sinceId, sinceAuditId, now = null }: { sinceId: number; sinceAuditId: number; now?: number | null },
): Promise<Facts> {
  const read = async <T>(text: string, value = sinceId): Promise<T[]> =>
    (await pool.query(text, [value])).rows as T[];
  const schedules = await read<ScheduleFact>(
    `select s.id, s.project_id as "projectId", p.key as project, s.key, s.status,
            s.definition_version as "definitionVersion", ${ms('s.occurrence_at', 'occurrenceAt')},
            ${ms('s.updated_at', 'updatedAt')}
     from every_schedule s left join projects p on p.id = s.project_id where s.id > $1 order by s.id`,
  );
  const definitions = await read<Omit<DefinitionFact, 'timing' | 'plan'> & { timing: string; plan: string }>(
    `select schedule_id as "scheduleId", version, timing, plan, ${ms('created_at', 'fromAt')},
            ${ms('superseded_at', 'untilAt')}
     from schedule_versions where schedule_id > $1 order by schedule_id, version`,
  );
  const runs = await read<RunFact>(
    `select ${IDENTITY}, project_id as "projectId", version, status, ${ms('due_at', 'dueAt')},
            ${ms('enqueued_at', 'enqueuedAt')}, attempt, replays
     from every_run where schedule_id > $1 order by schedule_id, occurrence_at`,
  );
  const attempts = await read<AttemptFact>(
    `select ${IDENTITY}, number, epoch, ${ms('claimed_at', 'claimedAt')}, ${ms('finished_at', 'finishedAt')}, outcome,
            http_status as "httpStatus"
     from run_attempts where schedule_id > $1 order by schedule_id, occurrence_at, origin, number`,
  );
  const gaps = await read<GapFact>(
    `select schedule_id as "scheduleId", project_id as "projectId", ${ms('from_at', 'fromAt')}, ${ms('to_at', 'toAt')}, count
     from gaps where schedule_id > $1`,
  );
  const audit = await read<AuditFact>(
    `select project_id as "projectId", subject as key, ${ms('at', 'at')}, action, detail
     from audit_log where id > $1 and subject is not null order by id`,
    sinceAuditId,
  );
  const [clock] = await read<{ nowAt: number }>(`select ${ms('clock_timestamp()', 'nowAt')} where $1 >= 0`);
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
}

export function groupBy<T, K>(rows: readonly T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const found = groups.get(key);
    if (found) found.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

export const iso = (at: number) => new Date(at).toISOString();
export const isOpen = ({ status }: RunFact) => ['queued', 'running', 'retrying'].includes(status);
