import { type Moment, momentAfter, type Timing } from '@carillon/shared';
import type { Pool } from 'pg';
import { readCalendar, readCalendarUsers } from '../reading/calendars.js';
import { readSchedule } from '../reading/schedules.js';
import { Refused } from './change-schedule.js';
import { editSchedule } from './edit-schedule.js';
import type { LockedSchedule } from './locked-schedule.js';

export interface CalendarChange {
  projectId: number;
  name: string;
  dates: string[];
  actor: string;
}

export interface Retimed {
  retimed: number;
  /** What to arm. */
  dueAts: number[];
}

/** Says which dates a calendar has, and times every schedule anew that names it. */
export async function setCalendar(
  pool: Pool,
  { projectId, name, dates, actor }: CalendarChange,
): Promise<Retimed> {
  await pool.query(
    `with made as (
       insert into calendars (project_id, name, dates) values ($1, $2, $3)
       on conflict (project_id, name) do update set dates = excluded.dates, updated_at = clock_timestamp()
       returning name
     )
     insert into audit_log (project_id, actor, action, subject) select $1, $4, 'calendar.changed', name from made`,
    [projectId, name, dates, actor],
  );
  return retimeUsers(pool, { projectId, name });
}

/**
 * Times anew what goes by other dates than those of a calendar that changed lately: made while it changed, or left when
 * whoever changed it was lost.
 */
export async function retimeStale(pool: Pool): Promise<Retimed> {
  const { rows } = await pool.query<{ projectId: number; name: string }>(
    `select project_id as "projectId", name from calendars where updated_at > clock_timestamp() - interval '1 hour'`,
  );
  const all: Retimed = { retimed: 0, dueAts: [] };
  for (const calendar of rows) {
    const { retimed, dueAts } = await retimeUsers(pool, calendar);
    all.retimed += retimed;
    all.dueAts.push(...dueAts);
  }
  return all;
}

async function retimeUsers(
  pool: Pool,
  { projectId, name }: { projectId: number; name: string },
): Promise<Retimed> {
  const dueAts: number[] = [];
  let retimed = 0;
  for (const key of await readCalendarUsers(pool, { projectId, name, onlyStale: true })) {
    const request = { ref: { projectId, key }, actor: `calendar ${name}` };
    const result = await editSchedule(pool, request, async (schedule, tx) => {
      const view = await readSchedule(tx, projectId, key);
      const calendar = await readCalendar(tx, projectId, name);
      if (!view || !calendar) throw new Refused('its calendar is gone');
      const timing = {
        ...schedule.timing,
        calendars: { ...schedule.timing.calendars, [name]: calendar.dates },
      };
      const payload = view.payload === null ? null : JSON.stringify(view.payload);
      return { ...view, payload, timing, next: nextUnder(timing, schedule) };
    });
    if (result.kind !== 'changed') continue;
    retimed++;
    dueAts.push(...result.dueAts);
  }
  return { retimed, dueAts };
}

/** What comes next stays where it is, moved by hand or not, unless its day is excluded now or another comes before it. */
function nextUnder(timing: Timing, schedule: LockedSchedule): Moment | null {
  const { occurrenceAt, dueAt, nowAt } = schedule;
  const next = momentAfter({ ...schedule, timing }, Math.min(nowAt, (occurrenceAt ?? nowAt + 1) - 1));
  return next?.occurrenceAt === occurrenceAt && dueAt !== null ? { occurrenceAt, dueAt } : next;
}

export type CalendarRemoval = { kind: 'removed' } | { kind: 'not_found' } | { kind: 'in_use'; by: string[] };

/** Removes a calendar that no schedule names. */
export async function removeCalendar(
  pool: Pool,
  { projectId, name, actor }: Omit<CalendarChange, 'dates'>,
): Promise<CalendarRemoval> {
  const by = await readCalendarUsers(pool, { projectId, name, onlyStale: false });
  if (by.length > 0) return { kind: 'in_use', by };
  const { rowCount } = await pool.query(
    `with gone as (delete from calendars where project_id = $1 and name = $2 returning name)
     insert into audit_log (project_id, actor, action, subject) select $1, $3, 'calendar.removed', name from gone`,
    [projectId, name, actor],
  );
  return rowCount ? { kind: 'removed' } : { kind: 'not_found' };
}
