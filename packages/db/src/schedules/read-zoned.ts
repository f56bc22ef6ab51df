import { readTiming, type Timing } from '@carillon/shared';
import type { Database } from '../database.js';
import { statement } from '../statement.js';

/** A schedule whose occurrences depend on the clock of a time zone. */
export interface ZonedSchedule {
  id: number;
  key: string;
  name: string | null;
  timing: Timing;
}

/** SQL: true if a stored timing depends on a time zone. A stored timing does not name its time zone if that is UTC. */
export const IS_ZONED = `(s.timing like '%"timezone":%' or s.timing like '%TZID%')`;

const select = statement<
  { projectId: number; beforeId: number | null; limit: number },
  Omit<ZonedSchedule, 'timing'> & { timing: string }
>(
  'list-zoned-schedules',
  `select s.id, s.key, s.name, s.timing from carillon.schedules s join carillon.agenda a on a.schedule_id = s.id
   where s.project_id = :projectId and (:beforeId::bigint is null or s.id < :beforeId) and ${IS_ZONED}
   order by s.id desc limit :limit`,
);

/** The schedules of a project that have a next occurrence and a time zone other than UTC, newest first. */
export async function listZonedSchedules(
  db: Database,
  page: { projectId: number; beforeId: number | null; limit: number },
): Promise<ZonedSchedule[]> {
  return (await select(db, page)).map((row) => ({ ...row, timing: readTiming(row.timing) }));
}
