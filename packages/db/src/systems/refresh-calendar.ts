import type { Pool } from 'pg';
import { type Database, inTransaction } from '../database.js';
import { NOW } from '../instants.js';
import { statement } from '../statement.js';
import { recordAudit } from '../tenancy/audit.js';

export interface CalendarSource {
  projectId: number;
  name: string;
  url: string;
  refreshSeconds: number;
  /** Codes of the weekdays that the calendar holds, besides the dates of the file; null keeps the current ones. */
  weekdays: string[] | null;
  actor: string;
}

/** SQL: the entries of a calendar that are dates, and those that are weekdays. Dates begin with a digit. */
const DATES = "select entry from unnest(c.dates) as entry where entry ~ '^[0-9]'";
const WEEKDAYS = "select entry from unnest(c.dates) as entry where entry !~ '^[0-9]'";

const upsertSource = statement<CalendarSource>(
  'set-calendar-source',
  `insert into carillon.calendars as c (project_id, name, dates, source_url, refresh_seconds, refresh_due_at)
   values (:projectId, :name, coalesce(:weekdays::text[], '{}'), :url, :refreshSeconds, clock_timestamp())
   on conflict (project_id, name) do update
   set source_url = excluded.source_url, refresh_seconds = excluded.refresh_seconds, refresh_due_at = excluded.refresh_due_at,
       refreshed_at = null, refresh_error = null, updated_at = clock_timestamp(), retimed_at = null,
       dates = case when :weekdays::text[] is null then c.dates
                    else array(${DATES} union select unnest(:weekdays::text[]) order by 1) end`,
);

/** Gives a calendar an .ics file as its source. A worker fetches the file the next time it looks for due calendars. */
export async function setCalendarSource(pool: Pool, source: CalendarSource): Promise<void> {
  const { projectId, name, url, actor } = source;
  await inTransaction(pool, async (tx) => {
    await upsertSource(tx, source);
    await recordAudit(tx, { projectId, key: name, actor, action: 'calendar.source_set', detail: { url } });
  });
}

/** A calendar whose file is to be fetched. */
export interface DueRefresh {
  projectId: number;
  name: string;
  url: string;
}

/**
 * Takes due calendars, and no other worker takes them for five minutes. The time of this statement is rounded to
 * milliseconds, like the column `refresh_due_at`. Otherwise a calendar that became due in the same millisecond could be
 * left out.
 */
const takeDue = statement<{ limit: number; now: number | null }, DueRefresh>(
  'take-due-refreshes',
  `update carillon.calendars c set refresh_due_at = ${NOW} + interval '5 minutes'
   from (
     select project_id, name from carillon.calendars where refresh_due_at <= ${NOW}
     order by refresh_due_at limit :limit for update skip locked
   ) as due
   where c.project_id = due.project_id and c.name = due.name
   returning c.project_id as "projectId", c.name, c.source_url as url`,
);

/** Takes up to `limit` calendars whose file is to be fetched now. */
export function takeDueRefreshes(
  db: Database,
  { limit, now }: { limit: number; now: number | null },
): Promise<DueRefresh[]> {
  return takeDue(db, { limit, now });
}

const IS_SOURCE = 'c.project_id = :projectId and c.name = :name and c.source_url = :url';

/** A file that could not be read is tried again after `refresh_seconds`, or after an hour if that is earlier. */
const recordFailure = statement<DueRefresh & { error: string }>(
  'record-refresh-failure',
  `update carillon.calendars c
   set refresh_error = :error, refresh_due_at = clock_timestamp() + least(refresh_seconds, 3600) * interval '1 second'
   where ${IS_SOURCE}`,
);

const recordSuccess = statement<DueRefresh & { dates: string[] }, { hasChanged: boolean }>(
  'record-refresh',
  `with read as (
     select array(select unnest(:dates::text[]) union ${WEEKDAYS} order by 1) as dates, c.dates as before
     from carillon.calendars c where ${IS_SOURCE} for update
   )
   update carillon.calendars c
   set refreshed_at = clock_timestamp(), refresh_error = null,
       refresh_due_at = clock_timestamp() + refresh_seconds * interval '1 second', dates = read.dates,
       updated_at = case when read.dates = read.before then updated_at else clock_timestamp() end,
       retimed_at = case when read.dates = read.before then retimed_at end
   from read where ${IS_SOURCE}
   returning read.dates <> read.before as "hasChanged"`,
);

/**
 * Writes the dates of a fetched file. If the file could not be read, records the error, and the calendar keeps its
 * dates. Returns true if the dates have changed. Does nothing if the source of the calendar was changed meanwhile.
 */
export async function recordRefresh(
  pool: Pool,
  refresh: DueRefresh,
  result: { dates: string[] } | { error: string },
): Promise<boolean> {
  if ('error' in result) {
    await recordFailure(pool, { ...refresh, error: result.error });
    return false;
  }
  const { projectId, name, url } = refresh;
  return inTransaction(pool, async (tx) => {
    const [row] = await recordSuccess(tx, { ...refresh, dates: result.dates });
    if (!row?.hasChanged) return false;
    const detail = { url, dates: result.dates.length };
    const actor = 'calendar refresh';
    await recordAudit(tx, { projectId, key: name, actor, action: 'calendar.changed', detail });
    return true;
  });
}
