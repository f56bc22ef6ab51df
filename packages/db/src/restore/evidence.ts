import { DAY_MS } from '@carillon/shared';
import type { Database } from '../database.js';
import { FORGOTTEN_AFTER_DAYS } from '../engine/workers.js';
import { instant, NOW } from '../instants.js';
import { PURGED_ACTION } from '../schedules/purge-schedule.js';
import { statement } from '../statement.js';

/**
 * A heartbeat of a worker that Postgres has committed. It is remembered outside Postgres: in the memory of a process,
 * and in Redis. If Postgres no longer has the heartbeat, it has lost transactions.
 */
export interface Evidence {
  installationId: string;
  generation: number;
  workerId: number;
  token: string;
  beats: number;
  /** When the heartbeat was sent, by Postgres's clock. */
  at: number;
}

/**
 * A row that Postgres has committed after the heartbeat that a process remembers (`Evidence`). The process remembers
 * the row too, in its memory. It is a run that a claim has inserted, or an entry of the audit log. Retention keeps the
 * rows of both tables for at least a day. A purge of the schedule may delete the run sooner, but first writes an entry
 * to the audit log.
 */
export type RememberedRow = (
  | { kind: 'run'; projectId: number; scheduleKey: string; scheduleId: number; occurrenceAt: number }
  | { kind: 'audit'; id: number }
) & {
  generation: number;
  /**
   * When the row was written, by Postgres's clock. After a loss of transactions, Postgres may write another row under
   * the same key. The time tells the two rows apart.
   */
  at: number;
};

/**
 * Whether Postgres still has what a process remembers. `lost`: it lacks the heartbeat. `row_lost`: it has the heartbeat
 * but lacks the remembered row. `superseded`: since the heartbeat, an operator has decided how to go on after a restore
 * or failover, so the heartbeat proves nothing any more. `unknown`: the heartbeat is so old that retention may have
 * deleted the row of its worker.
 */
export type EvidenceVerdict = 'intact' | 'lost' | 'row_lost' | 'superseded' | 'unknown';

interface Known {
  generation: number;
  beats: number | null;
  nowAt: number;
  /** True if Postgres has the remembered row; null if the process remembers none. */
  hasRow: boolean | null;
}

interface Question {
  workerId: number;
  token: string;
  projectId: number | null;
  scheduleKey: string | null;
  scheduleId: number | null;
  occurrenceAt: number | null;
  auditId: number | null;
  rowAt: number | null;
  now: number | null;
}

/**
 * A missing run counts as present if the audit log has an entry that its schedule was purged after the claim. If
 * Postgres had lost the claim, it would have lost this later entry too. It is not enough that the schedule is missing,
 * because Postgres may have lost the creation of the schedule as well.
 */
const selectKnown = statement<Question, Known>(
  'read-evidence',
  `select i.generation, w.beats, ${NOW} as "nowAt",
          case when :scheduleId::bigint is not null then exists (
            select from carillon.runs r where r.schedule_id = :scheduleId::bigint and r.origin = 'rule'
              and r.occurrence_at = ${instant(':occurrenceAt')} and r.recorded_at = ${instant(':rowAt')}
          ) or exists (
            select from carillon.audit_log a where a.project_id = :projectId::bigint and a.subject = :scheduleKey::text
              and a.action = '${PURGED_ACTION}' and a.at >= ${instant(':rowAt')})
          when :auditId::bigint is not null then exists (
            select from carillon.audit_log a where a.id = :auditId::bigint and a.at = ${instant(':rowAt')})
          end as "hasRow"
   from carillon.installation i left join carillon.workers w on w.id = :workerId and w.token = :token`,
);

/** A remembered row that is older than this is not compared any more, because retention deletes old rows. */
const MAX_ROW_AGE_MS = 3_600_000;

/**
 * Says whether Postgres still has a heartbeat that the process remembers, and a row if the process remembers one.
 * Heartbeats are compared by their number and not by their time, because the clock of Postgres may have been set back.
 */
export async function judgeEvidence(
  db: Database,
  evidence: Evidence,
  row: RememberedRow | null = null,
): Promise<EvidenceVerdict> {
  const { workerId, token, at } = evidence;
  const [known] = await selectKnown(db, { workerId, token, ...questionOf(row), now: null });
  if (!known) return 'lost';
  const { generation, beats, nowAt, hasRow } = known;
  if (generation > evidence.generation) return 'superseded';
  if (generation < evidence.generation) return 'lost';
  if (beats === null) return nowAt - at > FORGOTTEN_AFTER_DAYS * DAY_MS ? 'unknown' : 'lost';
  if (beats < evidence.beats) return 'lost';
  const isRowComparable = row !== null && row.generation === generation && nowAt - row.at < MAX_ROW_AGE_MS;
  return isRowComparable && hasRow === false ? 'row_lost' : 'intact';
}

function questionOf(row: RememberedRow | null): Omit<Question, 'workerId' | 'token' | 'now'> {
  const none = {
    projectId: null,
    scheduleKey: null,
    scheduleId: null,
    occurrenceAt: null,
    auditId: null,
    rowAt: null,
  };
  if (row === null) return none;
  const { at: rowAt } = row;
  if (row.kind === 'audit') return { ...none, auditId: row.id, rowAt };
  const { projectId, scheduleKey, scheduleId, occurrenceAt } = row;
  return { ...none, projectId, scheduleKey, scheduleId, occurrenceAt, rowAt };
}

const selectLatest = statement<object, Evidence>(
  'read-latest-evidence',
  `select i.id as "installationId", i.generation, w.id as "workerId", w.token, w.beats, w.heartbeat_at as at
   from carillon.installation i, lateral (
     select id, token, beats, heartbeat_at from carillon.workers order by heartbeat_at desc limit 1
   ) as w`,
);

/** The latest heartbeat of any worker; null if there was none. */
export async function readLatestEvidence(db: Database): Promise<Evidence | null> {
  const [evidence] = await selectLatest(db, {});
  return evidence ?? null;
}

const selectLatestChange = statement<object, { id: number; at: number; generation: number }>(
  'read-latest-change',
  `select a.id, a.at, i.generation
   from carillon.installation i, lateral (select id, at from carillon.audit_log order by id desc limit 1) as a`,
);

/** The latest entry of the audit log, which every change by the API writes; null if there is none. */
export async function readLatestChange(db: Database): Promise<RememberedRow | null> {
  const [change] = await selectLatestChange(db, {});
  return change ? { kind: 'audit', ...change } : null;
}
