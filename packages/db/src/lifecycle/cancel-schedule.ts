import { encodeRunId, type RunIdentity, type RunOrigin, stretchFrom } from '@carillon/shared';
import type { Database, Transaction } from '../database.js';
import { recordPassed } from '../queries/move-on.js';
import { fromMs, toMs } from '../sql-text.js';
import { type ChangeRequest, type ChangeResult, changeSchedule, Refused } from './change-schedule.js';
import type { LockedSchedule } from './locked-schedule.js';

export interface Cancelled {
  /** Runs that were already in flight: they go on to their end, and nothing starts after them. */
  inFlight: string[];
  /** Whether it was cancelled by this call, not before. */
  isNew: boolean;
}

/** Cancels for good: nothing is claimed any more, and the runs that wait are closed. */
export function cancelSchedule(db: Database, request: ChangeRequest): Promise<ChangeResult<Cancelled>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    const { id, status, nowAt } = schedule;
    if (status === 'finished') throw new Refused('it is finished: there is nothing left to cancel');
    const reason = `its schedule was cancelled by ${request.actor}`;
    await accountForOverdue(tx, schedule, reason);
    await tx.query(
      `update schedules set status = 'cancelled', version = version + 1, occurrence_at = null, next_run_at = null,
              paused_until = null, updated_at = ${fromMs('$2::bigint')}
       where id = $1 and status <> 'cancelled'`,
      [id, nowAt],
    );
    await tx.query(
      `update runs set status = 'cancelled', open = null, next_attempt_at = null, finished_at = ${fromMs('$2::bigint')},
              reason_code = 'schedule_cancelled', reason = $3
       where schedule_id = $1 and open and status in ('queued', 'retrying')`,
      [id, nowAt, reason],
    );
    const inFlight = (await readInFlight(tx, id)).map(encodeRunId);
    return {
      value: { inFlight, isNew: status !== 'cancelled' },
      audit: { action: 'schedule.cancelled', detail: { inFlight } },
    };
  });
}

/** What the rule has named and was not claimed yet never will be, also where it was put off: it says why. */
async function accountForOverdue(tx: Transaction, schedule: LockedSchedule, reason: string): Promise<void> {
  const { occurrenceAt, timing, nowAt } = schedule;
  if (occurrenceAt === null || occurrenceAt > nowAt) return;
  const why = { reasonCode: 'schedule_cancelled', reason } as const;
  const overdue = stretchFrom(timing, { fromAt: occurrenceAt, untilAt: nowAt, ...why });
  await recordPassed(tx, schedule, overdue, nowAt);
}

/** The runs of a schedule that a worker has in hand. */
export async function readInFlight(tx: Transaction, scheduleId: number): Promise<RunIdentity[]> {
  const { rows } = await tx.query<{ occurrence_at: number; origin: RunOrigin }>({
    name: 'read-in-flight',
    text: `select ${toMs('occurrence_at')} as occurrence_at, origin from runs_in_flight
           where schedule_id = $1 order by 1`,
    values: [scheduleId],
  });
  return rows.map((row) => ({ scheduleId, occurrenceAt: row.occurrence_at, origin: row.origin }));
}
