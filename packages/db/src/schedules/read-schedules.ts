import { readPlan, readTiming } from '@carillon/shared';
import type { Database } from '../database.js';
import { instant } from '../instants.js';
import { query, statement } from '../statement.js';
import type { Where } from '../where.js';
import type { StoredDefinition } from './read-versions.js';
import {
  LAST_CLAIMED_AT,
  LAST_RUN_AT,
  RUNS_TOTAL,
  SCHEDULE_STATUS,
  type ScheduleStatus,
} from './schedule-columns.js';
import {
  dueWithin,
  type FilteredPage,
  FROM_SCHEDULES,
  isSearch,
  matchingOf,
  narrowsDown,
  narrowsDownByDueOnly,
  whereOf,
} from './schedule-filter.js';

/** A schedule with its current definition. */
export interface ScheduleView extends StoredDefinition {
  id: number;
  key: string;
  status: ScheduleStatus;
  nextRunAt: number | null;
  occurrenceAt: number | null;
  lastRunAt: number | null;
  lastClaimedAt: number | null;
  runsTotal: number;
  pausedAt: number | null;
  pausedUntil: number | null;
  pausedBy: string | null;
  pauseNote: string | null;
  declaredHash: string | null;
  createdAt: number;
  updatedAt: number;
}

interface Row extends Omit<ScheduleView, 'timing' | 'plan'> {
  timing: string;
  plan: string;
}

interface SizedRow extends Row {
  size: number;
  bytesUpTo: number;
}

export interface SchedulePage {
  schedules: ScheduleView[];
  isCut: boolean;
}

const COLUMNS = `
  s.id, s.key, ${SCHEDULE_STATUS} as status, s.version, s.name, s.tags, s.rule, s.timing, s.plan, s.payload::text as "payloadText",
  a.due_at as "nextRunAt", a.occurrence_at as "occurrenceAt", ${LAST_RUN_AT} as "lastRunAt",
  ${LAST_CLAIMED_AT} as "lastClaimedAt", ${RUNS_TOTAL} as "runsTotal", s.paused_at as "pausedAt",
  s.paused_until as "pausedUntil", s.paused_by as "pausedBy", s.pause_note as "pauseNote",
  s.declared_hash as "declaredHash", s.created_at as "createdAt", s.updated_at as "updatedAt"`;

const selectByKey = statement<{ projectId: number; key: string }, Row>(
  'read-schedule',
  `select ${COLUMNS} from ${FROM_SCHEDULES} where s.project_id = :projectId and s.key = :key`,
);

export async function readSchedule(
  db: Database,
  projectId: number,
  key: string,
): Promise<ScheduleView | null> {
  const [row] = await selectByKey(db, { projectId, key });
  return row ? toView(row) : null;
}

/**
 * Lists schedules, newest first. Each page begins after the last id of the previous page. Ids never change, so no
 * change in between makes a page skip or repeat a schedule.
 */
export async function listSchedules(db: Database, page: FilteredPage): Promise<ScheduleView[]> {
  return (await listSchedulePage(db, page)).schedules;
}

/**
 * Lists schedules, newest first, and says whether the page was cut short because it had reached its limit of bytes.
 *
 * The planner of Postgres can't estimate how often a text or a tag occurs, so this code decides how to search. It first
 * searches the newest schedules in order, where a common text or tag fills the page. If the page is not full, the text
 * or tag is rare, and its own index finds the few matches. If another filter leaves few schedules, only those are
 * searched, which is faster than both.
 */
export async function listSchedulePage(db: Database, page: FilteredPage): Promise<SchedulePage> {
  const { filter } = page;
  if (!isSearch(filter)) return select(db, page, () => FROM_SCHEDULES);
  const isWideRange = narrowsDownByDueOnly(filter) && !(await areFewDue(db, page));
  if (narrowsDown(filter) && !isWideRange) return select(db, page, () => FROM_SCHEDULES);
  const newestMatches = await select(db, page, fromNewest);
  return isFull(newestMatches, page) ? newestMatches : select(db, page, () => MATCHES_IN_ORDER, true);
}

/**
 * SQL: the ids that a search has found (`matching`), each with its schedule and agenda row. The ids are sorted first, and
 * the lateral queries look up one schedule after the other, so that the statement ends when the page is full. Without
 * the sort, Postgres would look up the schedules of all matches and sort them afterwards. With plain joins, the planner
 * would read whole tables instead.
 */
const MATCHES_IN_ORDER = `(select id from matching order by id desc) as matching
  cross join lateral (select * from carillon.schedules where id = matching.id limit 1) as s
  left join lateral (select * from carillon.agenda where schedule_id = matching.id limit 1) as a on true`;

/**
 * A search for a text or a tag may also have a range of due times. If fewer schedules than this are due in that range,
 * the search reads all of them and does not use the index of the text or tag.
 */
const MAX_DUE_TO_READ_ALL = 2_000;

async function areFewDue(db: Database, { projectId, filter }: FilteredPage): Promise<boolean> {
  const { sql, parameters } = dueWithin(filter);
  const [row] = await query<{ count: number }>(
    db,
    `select count(*) as count from (${sql} limit ${MAX_DUE_TO_READ_ALL}) as due`,
    { projectId, ...parameters },
  );
  return (row?.count ?? 0) < MAX_DUE_TO_READ_ALL;
}

const isFull = ({ schedules, isCut }: SchedulePage, { limit }: { limit: number }) =>
  isCut || schedules.length >= limit;

/**
 * A search first reads only this many schedules: the newest, or those that are due soonest. That takes about 20 ms. If
 * their matches do not fill the page, the search reads all matches, which can be slow. When this constant was 10,000, a
 * search for a common text and a rare status did not fill its page, and then read all 250,000 schedules with that text.
 */
const SCHEDULES_READ_FIRST = 20_000;

type Source = (where: Where, page: FilteredPage) => string;

const fromNewest: Source = (where, { beforeId }) => `(
    select * from carillon.schedules
    where project_id = :projectId and id < ${where.parameter('newestBefore', beforeId ?? Number.MAX_SAFE_INTEGER)}
    order by id desc limit ${SCHEDULES_READ_FIRST}
  ) as s left join carillon.agenda a on a.schedule_id = s.id`;

/**
 * A page may hold a thousand schedules with payloads of 256 KiB each, which would exhaust the memory. So a page ends
 * early, after the schedule with which it reaches this size.
 */
const MAX_PAGE_BYTES = 4 * 1_024 * 1_024;

const NEWEST_FIRST = { inner: 's.id desc', outer: 'id desc' };
const NEWEST_MATCH_FIRST = { inner: 'matching.id desc', outer: 'id desc' };
const SOONEST_FIRST = { inner: 'a.due_at, a.schedule_id', outer: '"nextRunAt", id' };

async function select(
  db: Database,
  page: FilteredPage,
  source: Source,
  isByMatches = false,
): Promise<SchedulePage> {
  const where = whereOf(page);
  const order = isByMatches ? NEWEST_MATCH_FIRST : NEWEST_FIRST;
  return selectPage(db, { where, source: source(where, page), limit: page.limit, order, isByMatches });
}

/** The last schedule of a page that is ordered by due time. */
export interface NextCursor {
  dueAt: number;
  id: number;
}

/** The schedules that have a next occurrence and are not paused, in the order in which they are due. */
export async function listNextSchedules(
  db: Database,
  { after, ...page }: Omit<FilteredPage, 'beforeId'> & { after: NextCursor | null },
): Promise<SchedulePage> {
  const where = whereOf({ ...page, beforeId: null }).always('a.project_id = :projectId and not a.is_held');
  const position = after
    ? `(due_at, schedule_id) > (${instant(where.parameter('afterDueAt', after.dueAt))}, ${where.parameter('afterId', after.id)}::bigint)`
    : 'true';
  const read = (source: string, isByMatches = false) =>
    selectPage(db, { where, source, limit: page.limit, order: SOONEST_FIRST, isByMatches });
  const soonest = `(
    select * from carillon.agenda where project_id = :projectId and not is_held and ${position}
    order by due_at, schedule_id limit ${SCHEDULES_READ_FIRST}
  ) as a join carillon.schedules s on s.id = a.schedule_id`;
  const soonestSchedules = await read(soonest);
  if (isFull(soonestSchedules, page)) return soonestSchedules;
  // The page is not full, so few of the soonest schedules match. The second statement looks at all schedules: by the
  // index of the text or tag, or by reading the whole agenda.
  const all = isSearch(page.filter)
    ? 'matching join carillon.schedules s using (id)'
    : 'carillon.schedules s';
  return read(
    `${all} join (select * from carillon.agenda where ${position}) as a on a.schedule_id = s.id`,
    isSearch(page.filter),
  );
}

async function selectPage(
  db: Database,
  {
    where,
    source,
    limit,
    order,
    isByMatches,
  }: {
    where: Where;
    source: string;
    limit: number;
    order: typeof NEWEST_FIRST;
    isByMatches: boolean;
  },
): Promise<SchedulePage> {
  const text = `${isByMatches ? matchingOf(where) : ''}
    select * from (
      select *, sum(size) over (order by ${order.outer}) as "bytesUpTo" from (
        select *, octet_length(plan) + octet_length(timing) + coalesce(octet_length("payloadText"), 0) as size from (
          select ${COLUMNS} from ${source} where ${isByMatches ? where.others : where.sql} order by ${order.inner} limit :limit
        ) as page
      ) as sized
    ) as summed
    where "bytesUpTo" - size < ${MAX_PAGE_BYTES} order by ${order.outer}`;
  const rows = await query<SizedRow>(db, text, { ...where.parameters, limit });
  const schedules = rows.map(({ size: _size, bytesUpTo: _bytesUpTo, ...row }) => toView(row));
  return { schedules, isCut: (rows.at(-1)?.bytesUpTo ?? 0) >= MAX_PAGE_BYTES };
}

/**
 * The active and paused schedules that match a filter, newest first. Payloads are left out, because they do not affect
 * when a schedule fires.
 */
export async function listDefinitions(db: Database, page: FilteredPage): Promise<ScheduleView[]> {
  const where = whereOf(page);
  const columns = COLUMNS.replace('s.payload::text as "payloadText"', 'null as "payloadText"');
  const text = `select ${columns} from ${FROM_SCHEDULES}
    where ${where.sql} and ${SCHEDULE_STATUS} in ('active', 'paused') order by s.id desc limit :limit`;
  return (await query<Row>(db, text, { ...where.parameters, limit: page.limit })).map(toView);
}

const toView = (row: Row): ScheduleView => ({
  ...row,
  timing: readTiming(row.timing),
  plan: readPlan(row.plan),
});
