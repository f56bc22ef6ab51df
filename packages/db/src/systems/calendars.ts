import type { Calendars } from '@carillon/shared';
import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import type { Database } from '../database.js';
import { SCHEDULE_STATUS } from '../schedules/schedule-columns.js';
import { calendars } from '../schema/systems.js';
import { statement } from '../statement.js';
import { orm } from '../tenancy/orm.js';

export interface CalendarView {
  name: string;
  /** Dates, ranges of dates, and codes of weekdays; `readCalendarEntries` tells them apart. */
  dates: string[];
  updatedAt: number;
  /** The .ics file that the dates come from; null if a client gave them. */
  sourceUrl: string | null;
  refreshSeconds: number | null;
  refreshedAt: number | null;
  refreshError: string | null;
}

const VIEW = {
  name: calendars.name,
  dates: calendars.dates,
  updatedAt: calendars.updatedAt,
  sourceUrl: calendars.sourceUrl,
  refreshSeconds: calendars.refreshSeconds,
  refreshedAt: calendars.refreshedAt,
  refreshError: calendars.refreshError,
};

/** Reads the named calendars of a project. Names without a calendar are missing from the result. */
export async function readCalendars(
  db: Database,
  projectId: number,
  names: readonly string[],
): Promise<Calendars> {
  if (names.length === 0) return new Map();
  const rows = await orm(db)
    .select(VIEW)
    .from(calendars)
    .where(and(eq(calendars.projectId, projectId), inArray(calendars.name, [...names])));
  return new Map(rows.map(({ name, dates }) => [name, dates]));
}

/** Lists the calendars of a project, ordered by name. */
export async function listCalendars(
  db: Database,
  { projectId, limit, afterName }: { projectId: number; limit: number; afterName: string | null },
): Promise<CalendarView[]> {
  const isAfter = afterName === null ? undefined : gt(calendars.name, afterName);
  return orm(db)
    .select(VIEW)
    .from(calendars)
    .where(and(eq(calendars.projectId, projectId), isAfter))
    .orderBy(asc(calendars.name))
    .limit(limit);
}

export async function readCalendar(
  db: Database,
  projectId: number,
  name: string,
): Promise<CalendarView | null> {
  const [calendar] = await orm(db)
    .select(VIEW)
    .from(calendars)
    .where(and(eq(calendars.projectId, projectId), eq(calendars.name, name)));
  return calendar ?? null;
}

interface CalendarUse {
  projectId: number;
  name: string;
  /** True to leave out schedules whose copy of the dates equals the calendar. */
  onlyStale: boolean;
  /** Maximum number of schedules, in random order; null for all of them, in the order of their creation. */
  limit: number | null;
}

/**
 * The condition with `like` must equal the predicate of the index `schedules_calendars`, so that Postgres uses the
 * index.
 */
const selectUsers = statement<CalendarUse, { key: string }>(
  'read-calendar-users',
  `select s.key from carillon.schedules s left join carillon.agenda a on a.schedule_id = s.id
   where s.project_id = :projectId and s.timing like '%"calendars":%'
     and s.timing::jsonb -> 'calendars' -> :name::text is not null and ${SCHEDULE_STATUS} in ('active', 'paused')
     and not (:onlyStale and s.timing::jsonb -> 'calendars' -> :name::text = (
       select to_jsonb(dates) from carillon.calendars where project_id = :projectId and name = :name))
   order by case when :limit::int is null then s.id else random() end limit :limit::int`,
);

const countStale = statement<{ projectId: number; name: string }, { count: number }>(
  'count-stale-calendar-users',
  `select count(*) as count from carillon.schedules s left join carillon.agenda a on a.schedule_id = s.id
   where s.project_id = :projectId and s.timing like '%"calendars":%'
     and s.timing::jsonb -> 'calendars' -> :name::text <> (
       select to_jsonb(dates) from carillon.calendars where project_id = :projectId and name = :name)
     and ${SCHEDULE_STATUS} in ('active', 'paused')`,
);

/** Counts the active and paused schedules whose copy of a calendar differs from the calendar. */
export async function countStaleUsers(
  db: Database,
  calendar: { projectId: number; name: string },
): Promise<number> {
  const [row] = await countStale(db, calendar);
  return row?.count ?? 0;
}

/** Reads the keys of the active and paused schedules that use a calendar. */
export async function readCalendarUsers(db: Database, use: CalendarUse): Promise<string[]> {
  const rows = await selectUsers(db, use);
  return rows.map(({ key }) => key);
}
