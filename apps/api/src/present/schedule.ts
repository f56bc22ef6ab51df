import type { ScheduleView } from '@carillon/db';
import type { Schedule } from '@carillon/shared';
import { presentDefinition } from './definition.js';

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** A schedule as the API shows it. */
export function presentSchedule(schedule: ScheduleView): Schedule {
  const { status } = schedule;
  return {
    id: schedule.key,
    ...presentDefinition(schedule),
    status,
    version: schedule.version,
    nextRunAt: iso(status === 'active' ? schedule.nextRunAt : null),
    lastRunAt: iso(schedule.lastRunAt),
    lastEnqueuedAt: iso(schedule.lastEnqueuedAt),
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
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
  };
}
