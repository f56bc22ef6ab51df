import { type Plan, readPlan, readTiming, type Timing } from '@carillon/shared';
import type { Database } from '../database.js';
import type { ScheduleStatus } from '../lifecycle/locked-schedule.js';
import { Where } from './where.js';

/** A schedule with the definition that holds, as it is shown. */
export interface ScheduleView {
  id: number;
  key: string;
  status: ScheduleStatus;
  version: number;
  name: string | null;
  tags: string[];
  rule: unknown;
  timing: Timing;
  plan: Plan;
  payload: unknown;
  nextRunAt: Date | null;
  occurrenceAt: Date | null;
  lastRunAt: Date | null;
  lastEnqueuedAt: Date | null;
  runsTotal: number;
  pausedAt: Date | null;
  pausedUntil: Date | null;
  pausedBy: string | null;
  pauseNote: string | null;
  createdAt: Date;
  updatedAt: Date;
}

interface Row extends Omit<ScheduleView, 'timing' | 'plan'> {
  timing: string;
  plan: string;
}

const COLUMNS = `
  s.id, s.key, s.status, s.version, s.name, s.tags, s.rule, s.timing, s.plan, s.payload,
  s.next_run_at as "nextRunAt", s.occurrence_at as "occurrenceAt", s.last_run_at as "lastRunAt",
  s.last_enqueued_at as "lastEnqueuedAt", s.runs_total as "runsTotal", s.paused_at as "pausedAt",
  s.paused_until as "pausedUntil", s.paused_by as "pausedBy", s.pause_note as "pauseNote",
  s.created_at as "createdAt", s.updated_at as "updatedAt"`;

export async function readSchedule(
  db: Database,
  projectId: number,
  key: string,
): Promise<ScheduleView | null> {
  const { rows } = await db.query<Row>({
    name: 'read-schedule',
    text: `select ${COLUMNS} from every_schedule s where s.project_id = $1 and s.key = $2`,
    values: [projectId, key],
  });
  return rows[0] ? toView(rows[0]) : null;
}

export interface ScheduleFilter {
  status?: ScheduleStatus | undefined;
  tag?: string | undefined;
  target?: string | undefined;
  /** In the id or the name. */
  q?: string | undefined;
  dueBefore?: string | undefined;
  dueAfter?: string | undefined;
}

interface Page {
  projectId: number;
  filter: ScheduleFilter;
  limit: number;
  /** The last of the page before. */
  beforeId: number | null;
}

/**
 * Newest first. Ids never change, so a page begins where the one before ended, whatever happened in between. The walk goes
 * along `schedule_versions`, which no fire touches and which therefore can afford the indexes.
 */
export async function listSchedules(db: Database, page: Page): Promise<ScheduleView[]> {
  if (page.filter.q === undefined || narrowsDown(page.filter)) return select(db, page, FROM);
  // How often a text occurs is beyond the planner's guess, so it is not left to choose: what is common is found among the
  // newest, in order; what is not is few, and is found by its trigrams.
  const found = await select(db, page, FROM_NEWEST);
  return found.length < page.limit ? select(db, page, FROM_FOUND) : found;
}

/** Whether a filter leaves so little that it does not matter how a text is looked for in it. */
function narrowsDown({ tag, status, dueBefore, dueAfter }: ScheduleFilter): boolean {
  return (
    tag !== undefined ||
    (status !== undefined && status !== 'active') ||
    (dueBefore ?? dueAfter) !== undefined
  );
}

/** Reads some 30 ms at most. */
const NEWEST = 20_000;

type From = (where: Where, page: Omit<Page, 'limit'>) => string;

const FROM: From = () => 'from every_schedule s';
const FROM_NEWEST: From = (where, { filter, beforeId }) => `
  from (select s.schedule_id as id
        from (select * from schedule_versions
              where project_id = $1 and superseded_at is null and schedule_id < ${where.place(beforeId ?? Number.MAX_SAFE_INTEGER)}
              order by schedule_id desc limit ${NEWEST}) as s
        where ${searched(where, filter.q ?? '')}) as found
  join every_schedule s using (id)`;
const FROM_FOUND: From = (where, { filter }) => `
  from (with found as materialized (
          select s.schedule_id as id from schedule_versions s
          where s.project_id = $1 and s.superseded_at is null and ${searched(where, filter.q ?? '')})
        select id from found) as found
  join every_schedule s using (id)`;

async function select(db: Database, page: Page, from: From): Promise<ScheduleView[]> {
  const where = matching(page);
  const source = from(where, page);
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} ${source} where ${where.sql} order by s.id desc limit ${where.place(page.limit)}`,
    where.values,
  );
  return rows.map(toView);
}

/** The keys of what matches, to be acted upon. */
export async function findScheduleKeys(db: Database, page: Page): Promise<{ id: number; key: string }[]> {
  const where = matching(page);
  const limit = where.place(page.limit);
  const { rows } = await db.query<{ id: number; key: string }>(
    `select s.id, s.key from every_schedule s where ${where.sql} order by s.id desc limit ${limit}`,
    where.values,
  );
  return rows;
}

export async function countSchedules(db: Database, page: Omit<Page, 'limit'>): Promise<number> {
  const where = matching(page);
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from every_schedule s where ${where.sql}`,
    where.values,
  );
  return rows[0]?.count ?? 0;
}

/** The expression of the index `schedule_versions_search`, to the letter. */
const SEARCHED = `lower(case when s.key like 'sch\\_%' then '' else s.key || ' ' end || coalesce(s.name, ''))`;

function matching({ projectId, filter, beforeId }: Omit<Page, 'limit'>): Where {
  const where = new Where(projectId)
    .always('s.project_id = $1')
    .add(beforeId, (id) => `s.id < ${id}`)
    .add(filter.tag, (tag) => `s.tags @> array[${tag}]::text[]`)
    .add(filter.target, (target) => `s.target_type = ${target}`);
  if (filter.status === 'finished') where.always(`s.status = 'finished'`);
  // Spelled out, not a parameter, and asked of the rows themselves: only so can the planner tell that a partial index applies.
  else if (filter.status) where.always(amongRows(`status = '${filter.status}'`));
  const { dueBefore = 'infinity', dueAfter = '-infinity' } = filter;
  if (filter.dueBefore ?? filter.dueAfter) {
    const [before, after] = [dueBefore, dueAfter].map((at) => `${where.place(at)}::timestamptz`);
    where.always(amongRows(`status = 'active' and next_run_at < ${before} and next_run_at > ${after}`));
  }
  if (filter.q !== undefined) where.always(searched(where, filter.q));
  return where;
}

const amongRows = (condition: string) =>
  `s.id in (select id from schedules where project_id = $1 and ${condition})`;

function searched(where: Where, q: string): string {
  const text = q.toLowerCase().replace(/[\\%_]/g, '\\$&');
  // Fewer than three letters make no trigram, except where a word begins.
  const patterns = text.length < 3 ? [`${text}%`, `% ${text}%`] : [`%${text}%`];
  const places = patterns.map((pattern) => `${SEARCHED} like ${where.place(pattern)}`);
  // The whole id, which may be one that we made, is found by its own index.
  const isIt = `(s.project_id = $1 and s.key = ${where.place(q)})`;
  return `(${places.join(' or ')} or ${isIt})`;
}

const toView = (row: Row): ScheduleView => ({
  ...row,
  timing: readTiming(row.timing),
  plan: readPlan(row.plan),
});
