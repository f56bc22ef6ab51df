import { type Plan, readPlan, readTiming, type Timing } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { bringBack } from '../queries/bring-back.js';
import { nowOr, toMs } from '../sql-text.js';

export type ScheduleStatus = 'active' | 'paused' | 'finished' | 'cancelled';

/** A schedule whose row is ours until the transaction ends: nothing fires, edits or cancels it meanwhile. */
export interface LockedSchedule {
  id: number;
  projectId: number;
  key: string;
  status: ScheduleStatus;
  version: number;
  definitionVersion: number;
  counted: boolean;
  occurrenceAt: number | null;
  dueAt: number | null;
  runsTotal: number;
  pausedAt: number | null;
  pausedUntil: number | null;
  pausedBy: string | null;
  pauseNote: string | null;
  timing: Timing;
  plan: Plan;
  /** When the lock was had, by Postgres's clock. */
  nowAt: number;
}

export type ScheduleRef = { projectId: number; key: string } | { id: number };

const LOCK = (where: string) => `
  select s.id, s.project_id, s.key, s.status, s.version, s.definition_version, s.counted,
         ${toMs('s.occurrence_at')} as occurrence_at, ${toMs('s.next_run_at')} as due_at, s.runs_total,
         ${toMs('s.paused_at')} as paused_at, ${toMs('s.paused_until')} as paused_until, s.paused_by, s.pause_note
  from schedules s where ${where} for update`;

const LOCK_BY_KEY = LOCK('s.project_id = $1 and s.key = $2');
const LOCK_BY_ID = LOCK('s.id = $1');

export async function lockSchedule(
  tx: Transaction,
  ref: ScheduleRef,
  now: number | null,
): Promise<LockedSchedule | null> {
  const row = (await lockRow(tx, ref)) ?? (await lockGone(tx, ref));
  if (!row) return null;
  // Read after the lock was had: the definition, and the time, are those that hold now.
  const { rows: definitions } = await tx.query<{ timing: string; plan: string; now_at: number }>({
    name: 'read-definition',
    text: `select timing, plan, ${toMs(nowOr('$3'))} as now_at from schedule_versions where schedule_id = $1 and version = $2`,
    values: [row.id, row.definition_version, now],
  });
  const [definition] = definitions as [(typeof definitions)[number]];
  return {
    id: row.id as number,
    projectId: row.project_id as number,
    key: row.key as string,
    status: row.status as ScheduleStatus,
    version: row.version as number,
    definitionVersion: row.definition_version as number,
    counted: row.counted as boolean,
    occurrenceAt: row.occurrence_at as number | null,
    dueAt: row.due_at as number | null,
    runsTotal: row.runs_total as number,
    pausedAt: row.paused_at as number | null,
    pausedUntil: row.paused_until as number | null,
    pausedBy: row.paused_by as string | null,
    pauseNote: row.pause_note as string | null,
    timing: readTiming(definition.timing),
    plan: readPlan(definition.plan),
    nowAt: definition.now_at,
  };
}

async function lockRow(tx: Transaction, ref: ScheduleRef): Promise<Record<string, unknown> | null> {
  const { rows } = await tx.query<Record<string, unknown>>(
    'id' in ref
      ? { name: 'lock-schedule-by-id', text: LOCK_BY_ID, values: [ref.id] }
      : { name: 'lock-schedule', text: LOCK_BY_KEY, values: [ref.projectId, ref.key] },
  );
  return rows[0] ?? null;
}

/** What has fired and left no row needs one again to be locked and changed. */
async function lockGone(tx: Transaction, ref: ScheduleRef): Promise<Record<string, unknown> | null> {
  await bringBack(
    tx,
    'id' in ref
      ? { where: 'e.id = $1', values: [ref.id] }
      : { where: 'e.project_id = $1 and e.key = $2', values: [ref.projectId, ref.key] },
  );
  return lockRow(tx, ref);
}
