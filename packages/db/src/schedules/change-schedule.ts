import { type Database, inTransaction, type Transaction } from '../database.js';
import { statement } from '../statement.js';
import { managedByDetail, recordAudit } from '../tenancy/audit.js';
import { type LockedSchedule, lockSchedule, type ScheduleRef } from './locked-schedule.js';

/** The schedule to change and the actor who asks for it. */
export interface ChangeRequest {
  ref: ScheduleRef;
  /** Shown in the audit log, and in the reasons of runs that the change skips or cancels. */
  actor: string;
  /** The version that the client has seen; null to change any version. */
  ifMatch?: number | null;
  now?: number | null;
}

export type ChangeResult<T> =
  | { kind: 'changed'; value: T; dueAts: number[] }
  | { kind: 'not_found' }
  | { kind: 'stale'; version: number }
  /** The schedule is in a state in which the change is not possible. */
  | { kind: 'refused'; reason: string };

export interface Change<T> {
  value: T;
  /** Due times. The caller arms a bell (a wake-up job in Redis) for each once the change is committed. */
  dueAts?: number[];
  audit: { action: string; detail?: object | undefined };
}

/**
 * Thrown by the `change` function if the change is not possible. The transaction is rolled back, and the result is
 * `refused` with the message as reason.
 */
export class ChangeRefused extends Error {}

/** Makes one change to one schedule under its lock, and writes it to the audit log in the same transaction. */
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
      const detail = managedByDetail(schedule.tags, audit.detail);
      await recordAudit(tx, { ...schedule, actor, action: audit.action, detail, now });
      // While the row was locked, a claim may have skipped it, so the caller of every change arms the bell (the wake-up
      // job in Redis) of the schedule again.
      const [next] = await readDueAt(tx, { id: schedule.id });
      return { kind: 'changed', value, dueAts: next ? [...dueAts, next.dueAt] : dueAts };
    });
  } catch (error) {
    if (error instanceof ChangeRefused) return { kind: 'refused', reason: error.message };
    throw error;
  }
}

const readDueAt = statement<{ id: number }, { dueAt: number }>(
  'read-due-at',
  `select due_at as "dueAt" from carillon.agenda where schedule_id = :id and not is_held`,
);
