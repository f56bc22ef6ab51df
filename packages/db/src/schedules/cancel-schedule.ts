import { encodeRunId, stretchFrom } from '@carillon/shared';
import type { Database, Transaction } from '../database.js';
import { accountFor } from '../runs/account-for.js';
import { readInFlight } from '../runs/read-in-flight.js';
import { cancelWaitingRuns } from '../runs/stop-runs.js';
import { statement } from '../statement.js';
import { leaveAgenda } from './agenda.js';
import { ChangeRefused, type ChangeRequest, type ChangeResult, changeSchedule } from './change-schedule.js';
import type { LockedSchedule } from './locked-schedule.js';
import { CANCEL } from './schedule-transitions.js';

export interface CancelResult {
  /** Ids of the runs that were in flight when the schedule was cancelled. They are delivered to the end. */
  inFlight: string[];
  /** False if the schedule was cancelled before this call. */
  isNew: boolean;
}

const setCancelled = statement<{ id: number; now: number }>(
  'cancel-schedule',
  `update carillon.schedules
   set ${CANCEL}
   where id = :id and status <> 'cancelled'`,
);

const hasWaitingRuns = statement<{ id: number }, object>(
  'has-waiting-runs',
  'select from carillon.runs where schedule_id = :id and next_attempt_at is not null limit 1',
);

/** Cancels a schedule for good: its occurrences are no longer claimed, and its waiting runs are cancelled. */
export function cancelSchedule(db: Database, request: ChangeRequest): Promise<ChangeResult<CancelResult>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    const { id, status, nowAt } = schedule;
    const running = await readInFlight(tx, id);
    if (status === 'finished' && running.length === 0 && (await hasWaitingRuns(tx, { id })).length === 0)
      throw new ChangeRefused('it is finished: there is nothing left to cancel');
    const reason = `its schedule was cancelled by ${request.actor}`;
    await accountForOverdue(tx, schedule, reason);
    await leaveAgenda(tx, { scheduleIds: [id] });
    await setCancelled(tx, { id, now: nowAt });
    await cancelWaitingRuns(tx, { scheduleIds: [id], now: nowAt, reasonCode: 'schedule_cancelled', reason });
    const inFlight = running.map(encodeRunId);
    return {
      value: { inFlight, isNew: status !== 'cancelled' },
      audit: { action: 'schedule.cancelled', detail: { inFlight } },
    };
  });
}

/**
 * Records as skipped the past occurrences that no worker has claimed. This includes occurrences that are not due yet
 * because of jitter or a reschedule.
 */
async function accountForOverdue(tx: Transaction, schedule: LockedSchedule, reason: string): Promise<void> {
  const { occurrenceAt, timing, nowAt } = schedule;
  if (occurrenceAt === null || occurrenceAt > nowAt) return;
  const stretch = stretchFrom(timing, {
    fromAt: occurrenceAt,
    untilAt: nowAt,
    reasonCode: 'schedule_cancelled',
    reason,
  });
  await accountFor(tx, [{ schedule, stretch }], nowAt);
}
