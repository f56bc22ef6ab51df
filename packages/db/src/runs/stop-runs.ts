import { instant } from '../instants.js';
import { statement } from '../statement.js';
import { cancel, HOLD } from './run-transitions.js';

/** The transition `hold`: a pause keeps the waiting runs of these schedules from starting. */
export const holdWaitingRuns = statement<{ scheduleIds: readonly number[] }>(
  'hold-waiting-runs',
  `update carillon.runs r set ${HOLD} where r.schedule_id = any(:scheduleIds) and r.next_attempt_at is not null`,
);

/** The transition `cancel` for the waiting runs of these schedules. Runs in flight are not affected. */
export const cancelWaitingRuns = statement<{
  scheduleIds: readonly number[];
  now: number;
  reasonCode: string;
  reason: string;
}>(
  'cancel-waiting-runs',
  `update carillon.runs r set ${cancel({ at: instant(':now'), reasonCode: ':reasonCode', reason: ':reason' })}
   where r.schedule_id = any(:scheduleIds) and r.next_attempt_at is not null`,
);

/** The transition `cancel` for all open runs of these schedules, in flight or waiting. */
export async function cancelOpenRuns(
  tx: Parameters<typeof cancelWaitingRuns>[0],
  change: { scheduleIds: readonly number[]; now: number; reasonCode: string; reason: string },
): Promise<void> {
  await cancelWaitingRuns(tx, change);
  await cancelRunningRuns(tx, change);
}

const cancelRunningRuns = statement<{
  scheduleIds: readonly number[];
  now: number;
  reasonCode: string;
  reason: string;
}>(
  'cancel-running-runs',
  `update carillon.runs r set ${cancel({ at: instant(':now'), reasonCode: ':reasonCode', reason: ':reason' })}
   where r.epoch in (select epoch from carillon.leases) and r.schedule_id = any(:scheduleIds) and r.status = 'running'`,
);
