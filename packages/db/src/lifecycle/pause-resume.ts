import { type Moment, momentAfter, type Stretch, stretchFrom } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { isTransientError } from '../is-away.js';
import { recordPassed } from '../queries/move-on.js';
import { pauseBroken } from '../queries/pause-broken.js';
import { fromMs, nowOr } from '../sql-text.js';
import {
  type ChangeRequest,
  type ChangeResult,
  changeSchedule,
  Refused,
  recordAudit,
} from './change-schedule.js';
import { type LockedSchedule, lockSchedule } from './locked-schedule.js';
import { promoteLocked } from './promote-queued.js';

export interface Pause {
  note: string | null;
  untilAt: number | null;
}

/** Pauses: nothing is claimed any more, and runs that wait are held. Answers nothing: what is in flight goes on. */
export function pauseSchedule(
  db: Database,
  request: ChangeRequest,
  pause: Pause,
): Promise<ChangeResult<void>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    if (schedule.status !== 'active' && schedule.status !== 'paused') {
      throw new Refused(`it is ${schedule.status}; only an active schedule can be paused`);
    }
    await pauseLocked(tx, schedule, { ...pause, actor: request.actor });
    return {
      value: undefined,
      dueAts: pause.untilAt === null ? [] : [pause.untilAt],
      audit: { action: 'schedule.paused', detail: pause },
    };
  });
}

export async function pauseLocked(
  tx: Transaction,
  { id, nowAt }: LockedSchedule,
  pause: Pause & { actor: string },
): Promise<void> {
  await tx.query(
    `update schedules
     set status = 'paused', version = version + 1, paused_at = coalesce(paused_at, ${fromMs('$2::bigint')}),
         paused_until = ${fromMs('$3::bigint')}, paused_by = $4, pause_note = $5, updated_at = ${fromMs('$2::bigint')}
     where id = $1`,
    [id, nowAt, pause.untilAt, pause.actor, pause.note],
  );
  await tx.query(
    `update runs set next_attempt_at = null where schedule_id = $1 and open and status in ('queued', 'retrying')`,
    [id],
  );
}

export function resumeSchedule(db: Database, request: ChangeRequest): Promise<ChangeResult<void>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    if (schedule.status !== 'paused')
      throw new Refused(`it is ${schedule.status}; only a paused schedule can be resumed`);
    return {
      value: undefined,
      dueAts: await resumeLocked(tx, schedule, schedule.nowAt),
      audit: { action: 'schedule.resumed' },
    };
  });
}

/** Resumes the schedules whose pause has run its time, as many as fit in a batch; answers what to arm. */
export async function resumeEnded(pool: Pool, now: number | null): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `select id from schedules where paused_until <= ${nowOr('$1')} and status = 'paused' order by id limit 1000`,
    [now],
  );
  const dueAts: number[] = [];
  for (const { id } of rows) {
    try {
      dueAts.push(...(await inTransaction(pool, (tx) => resumeIfEnded(tx, id, now))));
    } catch (error) {
      if (isTransientError(error)) throw error;
      // One that can't be resumed must not hold up those behind it: it stays paused, and says why.
      await pauseBroken(pool, { id, note: `it could not be resumed: ${(error as Error).message}`, now });
    }
  }
  return dueAts;
}

async function resumeIfEnded(tx: Transaction, id: number, now: number | null): Promise<number[]> {
  const schedule = await lockSchedule(tx, { id }, now);
  // Looked at again under the lock: somebody may have resumed it, or put the end off.
  if (schedule?.status !== 'paused' || schedule.pausedUntil === null || schedule.pausedUntil > schedule.nowAt)
    return [];
  const dueAts = await resumeLocked(tx, schedule, schedule.pausedUntil);
  await recordAudit(tx, { ...schedule, actor: 'carillon', action: 'schedule.resumed', now });
  return dueAts;
}

/** Takes a paused schedule up again as of an instant; answers what to arm. */
async function resumeLocked(tx: Transaction, schedule: LockedSchedule, asOfAt: number): Promise<number[]> {
  const { next, passed } = afterPause(schedule, asOfAt);
  if (passed) await recordPassed(tx, schedule, passed, schedule.nowAt);
  await tx.query(
    `update schedules
     set status = (case when $4::bigint is null then 'finished' else 'active' end)::schedule_status, version = version + 1,
         occurrence_at = ${fromMs('$3::bigint')}, next_run_at = ${fromMs('$4::bigint')},
         paused_at = null, paused_until = null, paused_by = null, pause_note = null, updated_at = ${fromMs('$2::bigint')}
     where id = $1`,
    [schedule.id, schedule.nowAt, next?.occurrenceAt ?? null, next?.dueAt ?? null],
  );
  await tx.query(
    `update runs set next_attempt_at = ${fromMs('$2::bigint')} where schedule_id = $1 and open and status = 'retrying'`,
    [schedule.id, schedule.nowAt],
  );
  await promoteLocked(tx, schedule);
  return next ? [next.dueAt, schedule.nowAt] : [schedule.nowAt];
}

/**
 * What fell into the pause did not run, and says so; only the policy `all` makes up for it. The schedule goes on with
 * the first occurrence after the pause.
 */
function afterPause(
  schedule: LockedSchedule,
  asOfAt: number,
): { next: Moment | null; passed: Stretch | null } {
  const { occurrenceAt, dueAt, plan } = schedule;
  if (occurrenceAt === null || dueAt === null) return { next: null, passed: null };
  if (plan.misfire.policy === 'all') return { next: { occurrenceAt, dueAt }, passed: null };
  const passed = passedInPause(schedule, asOfAt);
  if (!passed) return { next: { occurrenceAt, dueAt }, passed };
  return { next: momentAfter(schedule, Math.max(asOfAt, occurrenceAt)), passed };
}

/** The occurrences that fell due until an instant while the schedule was paused. */
export function passedInPause(schedule: LockedSchedule, untilAt: number): Stretch | null {
  const { occurrenceAt, dueAt, timing, pausedAt, pausedBy, pauseNote } = schedule;
  if (occurrenceAt === null || dueAt === null || dueAt > untilAt) return null;
  const since = pausedAt === null ? '' : ` at ${new Date(pausedAt).toISOString()}`;
  const reason = `paused by ${pausedBy ?? 'somebody'}${since}${pauseNote ? `, note: ${pauseNote}` : ''}`;
  return stretchFrom(timing, { fromAt: occurrenceAt, untilAt, reasonCode: 'paused', reason });
}
