import {
  afterPause as continueAfterPause,
  type DueOccurrence,
  passedInPause as findPassed,
  type PausedSchedule,
  type Stretch,
} from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { isTransientError } from '../errors.js';
import { instant, NOW } from '../instants.js';
import { accountFor } from '../runs/account-for.js';
import { release } from '../runs/run-transitions.js';
import { arrayOf, statement } from '../statement.js';
import { recordAudit } from '../tenancy/audit.js';
import { leaveAgenda, writeAgenda } from './agenda.js';
import { ChangeRefused, type ChangeRequest, type ChangeResult, changeSchedule } from './change-schedule.js';
import { type LockedSchedule, lockSchedule } from './locked-schedule.js';
import { pauseBroken } from './pause-broken.js';
import { isCancelRequested, promoteLocked } from './promote-queued.js';
import { canTake, RESUME } from './schedule-transitions.js';

export function resumeSchedule(db: Database, request: ChangeRequest): Promise<ChangeResult<void>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    const refusal = resumeRefusal(schedule);
    if (refusal !== null) throw new ChangeRefused(refusal);
    return {
      value: undefined,
      dueAts: await resumeLocked(tx, schedule, schedule.nowAt),
      audit: { action: 'schedule.resumed' },
    };
  });
}

export const resumeRefusal = ({ status }: LockedSchedule): string | null =>
  canTake('resume', status) ? null : `it is ${status}; only a paused schedule can be resumed`;

const selectEnded = statement<{ now: number | null }, { id: number }>(
  'read-ended-pauses',
  `select schedule_id as id from carillon.stopped_schedules where paused_until <= ${NOW} order by schedule_id limit 1000`,
);

/**
 * Resumes schedules whose pause has reached its end, at most 1,000 per call. Returns due times; the caller arms a bell
 * (a wake-up job in Redis) for each.
 */
export async function resumeEnded(pool: Pool, now: number | null): Promise<number[]> {
  const dueAts: number[] = [];
  for (const { id } of await selectEnded(pool, { now })) {
    try {
      dueAts.push(...(await inTransaction(pool, (tx) => resumeIfEnded(tx, id, now))));
    } catch (error) {
      if (isTransientError(error)) throw error;
      // A schedule that can't be resumed must not keep the others from being resumed. It stays paused, and its note
      // says why.
      await pauseBroken(pool, { id, note: `it could not be resumed: ${(error as Error).message}`, now });
    }
  }
  return dueAts;
}

const findCancelRequest = statement<{ id: number }, object>(
  'find-cancel-request',
  `select where ${isCancelRequested(':id')}`,
);

async function resumeIfEnded(tx: Transaction, id: number, now: number | null): Promise<number[]> {
  const schedule = await lockSchedule(tx, { id }, now);
  // The pause is checked again under the lock: a person may have resumed the schedule or extended the pause.
  if (schedule?.status !== 'paused' || schedule.pausedUntil === null || schedule.pausedUntil > schedule.nowAt)
    return [];
  // After a cancel by SQL, the schedule stays paused until a worker carries the cancel out.
  if ((await findCancelRequest(tx, { id })).length > 0) return [];
  const dueAts = await resumeLocked(tx, schedule, schedule.pausedUntil);
  await recordAudit(tx, { ...schedule, actor: 'carillon', action: 'schedule.resumed', now });
  return dueAts;
}

const setActive = statement<{ id: number; now: number }>(
  'resume-schedule',
  `update carillon.schedules
   set ${RESUME}
   where id = :id`,
);

export const releaseRetries = statement<{ ids: string; now: number }>(
  'release-retries',
  `update carillon.runs r set ${release(instant(':now'))}
   where r.schedule_id = any(:ids::bigint[]) and r.next_attempt_at is not null and r.status = 'retrying'`,
);

/**
 * Resumes a paused schedule whose pause ended at `asOfAt`, which may be past. Returns due times; the caller arms a bell
 * (a wake-up job in Redis) for each.
 */
async function resumeLocked(tx: Transaction, schedule: LockedSchedule, asOfAt: number): Promise<number[]> {
  const { id, nowAt } = schedule;
  const { next, passed } = afterPause(schedule, asOfAt);
  if (passed) await accountFor(tx, [{ schedule, stretch: passed }], nowAt);
  await setActive(tx, { id, now: nowAt });
  if (next) {
    await writeAgenda(tx, {
      ...schedule,
      scheduleId: id,
      version: schedule.version + 1,
      next,
      isHeld: false,
    });
  } else await leaveAgenda(tx, { scheduleIds: [id] });
  await releaseRetries(tx, { ids: arrayOf([id]), now: nowAt });
  await promoteLocked(tx, [schedule]);
  return next ? [next.dueAt, nowAt] : [nowAt];
}

/** Decides where a schedule continues after its pause, and which occurrences fell due during the pause. */
export function afterPause(
  schedule: LockedSchedule,
  asOfAt: number,
): { next: DueOccurrence | null; passed: Stretch | null } {
  const due = dueOf(schedule);
  if (!due) return { next: null, passed: null };
  return continueAfterPause(due, { untilAt: asOfAt, reason: reasonOfPause(schedule) });
}

/** The occurrences that fell due while the schedule was paused, up to `untilAt`; null if there were none. */
export function passedInPause(schedule: LockedSchedule, untilAt: number): Stretch | null {
  const due = dueOf(schedule);
  return due && findPassed(due, { untilAt, reason: reasonOfPause(schedule) });
}

function dueOf({ occurrenceAt, dueAt, ...schedule }: LockedSchedule): PausedSchedule | null {
  return occurrenceAt === null || dueAt === null ? null : { ...schedule, occurrenceAt, dueAt };
}

function reasonOfPause({ pausedAt, pausedBy, pauseNote }: LockedSchedule): string {
  const since = pausedAt === null ? '' : ` at ${new Date(pausedAt).toISOString()}`;
  return `paused by ${pausedBy ?? 'an unknown actor'}${since}${pauseNote ? `, note: ${pauseNote}` : ''}`;
}
