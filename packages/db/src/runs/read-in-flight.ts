import type { RunIdentity } from '@carillon/shared';
import type { Database } from '../database.js';
import { statement } from '../statement.js';
import { IN_FLIGHT } from './run-transitions.js';

const select = statement<{ scheduleId: number }, RunIdentity>(
  'read-in-flight',
  `select r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin from ${IN_FLIGHT}
   where r.schedule_id = :scheduleId order by r.occurrence_at`,
);

/** The runs of a schedule that are in flight: claimed by a worker and not yet closed. */
export function readInFlight(db: Database, scheduleId: number): Promise<RunIdentity[]> {
  return select(db, { scheduleId });
}
