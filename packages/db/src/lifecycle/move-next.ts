import { type Moment, momentAfter } from '@carillon/shared';
import type { Database } from '../database.js';
import { recordPassed } from '../queries/move-on.js';
import { fromMs } from '../sql-text.js';
import { type ChangeRequest, type ChangeResult, changeSchedule, Refused } from './change-schedule.js';
import type { LockedSchedule } from './locked-schedule.js';

/** Moves the next occurrence, and only that one, to another time. Which occurrence it is stays the same. */
export function rescheduleNext(
  db: Database,
  request: ChangeRequest,
  at: number,
): Promise<ChangeResult<Moment>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    const { occurrenceAt } = nextOf(schedule, 'rescheduled');
    await tx.query(
      `update schedules set next_run_at = ${fromMs('$2::bigint')}, updated_at = ${fromMs('$3::bigint')} where id = $1`,
      [schedule.id, at, schedule.nowAt],
    );
    return {
      value: { occurrenceAt, dueAt: at },
      audit: { action: 'schedule.rescheduled', detail: { occurrenceAt: iso(occurrenceAt), to: iso(at) } },
    };
  });
}

/** Leaves the next occurrence out; it is accounted for as a skipped run. A paused schedule stays so, if it was the last: resuming finishes it. */
export function skipNext(db: Database, request: ChangeRequest): Promise<ChangeResult<Moment>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    const skipped = nextOf(schedule, 'skipped');
    const { occurrenceAt } = skipped;
    const next = momentAfter(schedule, occurrenceAt);
    const reason = `skipped by ${request.actor}`;
    await recordPassed(
      tx,
      schedule,
      { fromAt: occurrenceAt, toAt: occurrenceAt, count: 1, reasonCode: 'skipped_by_request', reason },
      schedule.nowAt,
    );
    await tx.query(
      `update schedules
       set status = (case when $3::bigint is null and status = 'active' then 'finished' else status::text end)::schedule_status,
           occurrence_at = ${fromMs('$2::bigint')}, next_run_at = ${fromMs('$3::bigint')}, updated_at = ${fromMs('$4::bigint')}
       where id = $1`,
      [schedule.id, next?.occurrenceAt ?? null, next?.dueAt ?? null, schedule.nowAt],
    );
    return {
      value: skipped,
      audit: { action: 'schedule.next_skipped', detail: { occurrenceAt: iso(occurrenceAt) } },
    };
  });
}

function nextOf({ status, occurrenceAt, dueAt }: LockedSchedule, what: string): Moment {
  if (occurrenceAt === null || dueAt === null || (status !== 'active' && status !== 'paused')) {
    throw new Refused(`it is ${status} and has no next occurrence that could be ${what}`);
  }
  return { occurrenceAt, dueAt };
}

const iso = (at: number) => new Date(at).toISOString();
