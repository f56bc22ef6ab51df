import type { Calendars } from '@carillon/shared';
import type { Database } from '../database.js';

export interface CalendarView {
  name: string;
  dates: string[];
  updatedAt: Date;
}

const SELECT_CALENDARS = `select name, dates, updated_at as "updatedAt" from calendars where project_id = $1`;

/** Those of a project among the named ones; asks nothing where none is named. */
export async function readCalendars(
  db: Database,
  projectId: number,
  names: readonly string[],
): Promise<Calendars> {
  if (names.length === 0) return new Map();
  const { rows } = await db.query<CalendarView>(`${SELECT_CALENDARS} and name = any($2)`, [projectId, names]);
  return new Map(rows.map(({ name, dates }) => [name, dates]));
}

export async function listCalendars(db: Database, projectId: number): Promise<CalendarView[]> {
  const { rows } = await db.query<CalendarView>(`${SELECT_CALENDARS} order by name`, [projectId]);
  return rows;
}

export async function readCalendar(
  db: Database,
  projectId: number,
  name: string,
): Promise<CalendarView | null> {
  const { rows } = await db.query<CalendarView>(`${SELECT_CALENDARS} and name = $2`, [projectId, name]);
  return rows[0] ?? null;
}

/** The schedules whose definition names a calendar; only those that go by other dates than it has now, if so asked. */
export async function readCalendarUsers(
  db: Database,
  { projectId, name, onlyStale }: { projectId: number; name: string; onlyStale: boolean },
): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>(
    `select v.key from schedule_versions v join schedules s on s.id = v.schedule_id
     where v.project_id = $1 and v.superseded_at is null and v.timing like '%"calendars":%'
       and v.timing::jsonb -> 'calendars' -> $2 is not null and s.status in ('active', 'paused')
       and not ($3 and v.timing::jsonb -> 'calendars' -> $2
                       = (select to_jsonb(dates) from calendars where project_id = $1 and name = $2))
     order by v.schedule_id`,
    [projectId, name, onlyStale],
  );
  return rows.map((row) => row.key);
}
