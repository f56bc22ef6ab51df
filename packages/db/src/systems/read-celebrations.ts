import { encodeRunId, type RunIdentity, storeTiming } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { instant } from '../instants.js';
import { readInFlight } from '../runs/read-in-flight.js';
import { definitionOf } from '../schedules/definition.js';
import type { LockedSchedule } from '../schedules/locked-schedule.js';
import { statement } from '../statement.js';

export interface Celebrations {
  /** Ids of the runs that are being processed: in flight, waiting for another attempt, or due and not claimed yet. */
  processing: string[];
  /** The latest occurrence that counts as celebrated (see `selectLatest`), and the timing that named it. */
  latest: Celebration | null;
}

/** One occurrence of a yearly event of a user, such as a birthday. */
interface Celebration {
  occurrenceAt: number;
  /** The stored form of the timing. */
  timing: string;
}

/**
 * Reads which occurrences of a yearly event are being delivered, and which one was celebrated last. The caller holds
 * the lock of the event's schedule.
 */
export async function readCelebrations(tx: Transaction, schedule: LockedSchedule): Promise<Celebrations> {
  const { id, lastRunAt } = schedule;
  const waiting = await selectWaiting(tx, { id });
  const running = await readInFlight(tx, id);
  const due = dueRunOf(schedule);
  const onTheirWay = [...waiting, ...running, ...(due ? [due] : [])];
  const processing = [...new Set(onTheirWay.map(encodeRunId))];
  const timing = storeTiming(schedule.timing);
  if (due) return { processing, latest: { occurrenceAt: due.occurrenceAt, timing } };
  const [latest] = await selectLatest(tx, { id, lastRunAt, timing });
  return { processing, latest: latest ?? null };
}

/** The run that is due and not claimed yet. An edit does not withdraw this run, so it will be delivered. */
function dueRunOf({
  id: scheduleId,
  status,
  occurrenceAt,
  dueAt,
  nowAt,
}: LockedSchedule): RunIdentity | null {
  const isDue = status === 'active' && occurrenceAt !== null && dueAt !== null && dueAt <= nowAt;
  return isDue ? { scheduleId, occurrenceAt, origin: 'rule' } : null;
}

const selectWaiting = statement<{ id: number }, RunIdentity>(
  'read-waiting-celebrations',
  `select schedule_id as "scheduleId", occurrence_at as "occurrenceAt", origin from carillon.runs
   where schedule_id = :id and next_attempt_at is not null order by occurrence_at`,
);

/**
 * The latest occurrence that counts as celebrated. An occurrence does not count if its run was cancelled, or was
 * skipped by the engine. It counts if a person has skipped it. If retention has deleted the latest run, `lastRunAt` of
 * the schedule is used instead.
 */
const selectLatest = statement<{ id: number; lastRunAt: number | null; timing: string }, Celebration>(
  'read-latest-celebration',
  `with last as (select ${instant(':lastRunAt')} as occurrence_at)
   select r.occurrence_at as "occurrenceAt", definition.timing
   from carillon.runs r ${definitionOf('r')}
   where r.schedule_id = :id and r.origin = 'rule'
     and (r.status not in ('skipped', 'cancelled') or r.reason_code = 'skipped_by_request')
   union all
   select last.occurrence_at, :timing::text from last
   where last.occurrence_at is not null and not exists (
     select from carillon.runs r
     where r.schedule_id = :id and r.occurrence_at = last.occurrence_at and r.origin = 'rule'
   )
   order by 1 desc limit 1`,
);
