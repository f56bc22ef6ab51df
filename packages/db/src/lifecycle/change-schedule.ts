import { type Database, inTransaction, type Transaction } from '../database.js';
import { nowOr, toMs } from '../sql-text.js';
import { type LockedSchedule, lockSchedule, type ScheduleRef } from './locked-schedule.js';

/** Who asks for a change, and of which schedule. */
export interface ChangeRequest {
  ref: ScheduleRef;
  /** Shown in the audit trail and in the reasons given to people. */
  actor: string;
  /** The version that the client has seen; null where it does not care. */
  ifMatch?: number | null;
  now?: number | null;
}

export type ChangeResult<T> =
  | { kind: 'changed'; value: T; dueAts: number[] }
  | { kind: 'not_found' }
  | { kind: 'stale'; version: number }
  /** The schedule is in a state in which this can't be done. */
  | { kind: 'refused'; reason: string };

export interface Change<T> {
  value: T;
  /** Instants to arm once the change is committed. */
  dueAts?: number[];
  audit: { action: string; detail?: unknown };
}

export class Refused extends Error {}

/** Makes one change to one schedule under its row lock, and writes it to the audit trail in the same transaction. */
export async function changeSchedule<T>(
  db: Database,
  { ref, actor, ifMatch = null, now = null }: ChangeRequest,
  change: (tx: Transaction, schedule: LockedSchedule) => Promise<Change<T>>,
): Promise<ChangeResult<T>> {
  try {
    return await inTransaction(db, async (tx) => {
      const schedule = await lockSchedule(tx, ref, now);
      if (!schedule) return { kind: 'not_found' };
      if (ifMatch !== null && ifMatch !== schedule.version)
        return { kind: 'stale', version: schedule.version };
      const { value, dueAts = [], audit } = await change(tx, schedule);
      await recordAudit(tx, { ...schedule, actor, ...audit, now });
      // A bell that rang while the row was locked passed it over: whatever the change was, look again.
      const dueAt = await readDueAt(tx, schedule.id);
      return { kind: 'changed', value, dueAts: dueAt === null ? dueAts : [...dueAts, dueAt] };
    });
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', reason: error.message };
    throw error;
  }
}

async function readDueAt(tx: Transaction, id: number): Promise<number | null> {
  const { rows } = await tx.query<{ due_at: number | null }>({
    name: 'read-due-at',
    text: `select ${toMs('next_run_at')} as due_at from schedules where id = $1 and status = 'active'`,
    values: [id],
  });
  return rows[0]?.due_at ?? null;
}

export async function recordAudit(
  tx: Transaction,
  entry: {
    projectId: number;
    key: string;
    actor: string;
    action: string;
    detail?: unknown;
    now?: number | null;
  },
): Promise<void> {
  await tx.query({
    name: 'record-audit',
    text: `insert into audit_log (project_id, actor, action, subject, detail, at)
           values ($1, $2, $3, $4, $5, ${nowOr('$6')})`,
    values: [
      entry.projectId,
      entry.actor,
      entry.action,
      entry.key,
      entry.detail === undefined ? null : JSON.stringify(entry.detail),
      entry.now ?? null,
    ],
  });
}
