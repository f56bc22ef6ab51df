import { keepsFailing } from '@carillon/shared';
import type { Database, Transaction } from '../database.js';
import { holdWaitingRuns } from '../runs/stop-runs.js';
import { statement, type Values } from '../statement.js';
import { ChangeRefused, type ChangeRequest, type ChangeResult, changeSchedule } from './change-schedule.js';
import type { LockedSchedule } from './locked-schedule.js';
import { canTake, HOLD_AGENDA, PAUSE } from './schedule-transitions.js';

export interface Pause {
  note: string | null;
  untilAt: number | null;
}

/**
 * Pauses a schedule: no worker claims its occurrences, and its waiting runs are held until the schedule is resumed.
 * Runs in flight are still delivered.
 */
export function pauseSchedule(
  db: Database,
  request: ChangeRequest,
  pause: Pause,
): Promise<ChangeResult<void>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    if (!canTake('pause', schedule.status))
      throw new ChangeRefused(`it is ${schedule.status}; only an active schedule can be paused`);
    await pauseLocked(tx, schedule, { ...pause, actor: request.actor });
    return {
      value: undefined,
      dueAts: pause.untilAt === null ? [] : [pause.untilAt],
      audit: { action: 'schedule.paused', detail: pause },
    };
  });
}

const setPaused = statement<Values>(
  'pause-schedule',
  `with paused as (
     update carillon.schedules
     set ${PAUSE}
     where id = :id
     returning id, version
   )
   ${HOLD_AGENDA}`,
);

export async function pauseLocked(
  tx: Transaction,
  { id, nowAt }: LockedSchedule,
  pause: Pause & { actor: string },
): Promise<void> {
  await setPaused(tx, { id, now: nowAt, ...pause });
  await holdWaitingRuns(tx, { scheduleIds: [id] });
}

const ENGINE = 'carillon';

const readLatestStatuses = statement<{ scheduleId: number; limit: number }, { status: string }>(
  'read-latest-statuses',
  `select status from carillon.runs where schedule_id = :scheduleId and status in ('succeeded', 'failed')
   order by occurrence_at desc limit :limit`,
);

/** Pauses a schedule if its latest `limit` runs all failed; returns `refused` if they did not. */
export function pauseFailing(
  db: Database,
  { scheduleId, limit }: { scheduleId: number; limit: number },
): Promise<ChangeResult<void>> {
  return changeSchedule(db, { ref: { id: scheduleId }, actor: ENGINE }, async (tx, schedule) => {
    const latest = await readLatestStatuses(tx, { scheduleId, limit });
    if (schedule.status !== 'active' || !keepsFailing(latest, limit))
      throw new ChangeRefused('it is not failing');
    const note = limit === 1 ? 'its latest run failed' : `its latest ${limit} runs failed`;
    await pauseLocked(tx, schedule, { note, untilAt: null, actor: ENGINE });
    return { value: undefined, audit: { action: 'schedule.paused', detail: { note } } };
  });
}

/** Pauses a schedule whose receiver answered 410 Gone. */
export function pauseGone(db: Database, scheduleId: number): Promise<ChangeResult<void>> {
  return changeSchedule(db, { ref: { id: scheduleId }, actor: ENGINE }, async (tx, schedule) => {
    if (schedule.status !== 'active') throw new ChangeRefused(`it is ${schedule.status}`);
    const note = 'the receiver answered 410 Gone';
    await pauseLocked(tx, schedule, { note, untilAt: null, actor: ENGINE });
    return { value: undefined, audit: { action: 'schedule.paused', detail: { note } } };
  });
}
