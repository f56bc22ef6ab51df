import type { ScheduleView } from '@carillon/db';
import { parseExactly, type Schedule } from '@carillon/shared';
import { presentDefinition } from './definition.js';
import { iso } from './iso.js';

/** A schedule as the API shows it. */
export function presentSchedule(schedule: ScheduleView): Schedule {
  const { status, payloadText } = schedule;
  return {
    id: schedule.key,
    ...presentDefinition(schedule),
    payload: payloadText === null ? null : parseExactly(payloadText),
    status,
    version: schedule.version,
    nextRunAt: iso(status === 'active' ? schedule.nextRunAt : null),
    lastRunAt: iso(schedule.lastRunAt),
    lastEnqueuedAt: iso(schedule.lastClaimedAt),
    runsTotal: schedule.runsTotal,
    pause:
      status !== 'paused'
        ? null
        : {
            at: iso(schedule.pausedAt),
            until: iso(schedule.pausedUntil),
            by: schedule.pausedBy,
            note: schedule.pauseNote,
          },
    createdAt: iso(schedule.createdAt),
    updatedAt: iso(schedule.updatedAt),
  };
}
