import type { RunIdentity } from '@carillon/shared';
import type { Database } from '../database.js';
import { arrayOf, statement } from '../statement.js';
import type { RunStatus } from './run-transitions.js';

/** The status of one of the latest runs of a schedule. */
export interface RecentRun extends RunIdentity {
  status: RunStatus;
  reasonCode: string | null;
}

/** Maximum number of runs that are read for each schedule. */
const RECENT_RUNS_PER_SCHEDULE = 30;

/**
 * For each schedule, the sub-select reads the latest entries of the primary key in each partition. Otherwise the
 * planner might read and sort every run of these schedules.
 */
const select = statement<{ projectId: number; scheduleIds: string }, RecentRun>(
  'read-recent-runs',
  `select r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin, r.status, r.reason_code as "reasonCode"
   from unnest(:scheduleIds::bigint[]) as listed(id)
   cross join lateral (
     select schedule_id, occurrence_at, origin, status, reason_code from carillon.runs
     where schedule_id = listed.id and project_id = :projectId
     order by schedule_id desc, occurrence_at desc limit ${RECENT_RUNS_PER_SCHEDULE}
   ) as r`,
);

/** The latest runs of each of these schedules, newest first. */
export async function readRecentRuns(
  db: Database,
  { projectId, scheduleIds }: { projectId: number; scheduleIds: readonly number[] },
): Promise<Map<number, RecentRun[]>> {
  const bySchedule = new Map<number, RecentRun[]>(scheduleIds.map((id) => [id, []]));
  if (scheduleIds.length === 0) return bySchedule;
  for (const run of await select(db, { projectId, scheduleIds: arrayOf(scheduleIds) }))
    bySchedule.get(run.scheduleId)?.push(run);
  return bySchedule;
}
