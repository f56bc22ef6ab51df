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

const FROM =
  'from schedules s join schedule_versions v on v.schedule_id = s.id and v.version = s.definition_version';

const SELECT_SCHEDULES = `
  select s.id, s.key, s.status, s.version, v.name, v.tags, v.rule, v.timing, v.plan, v.payload,
         s.next_run_at as "nextRunAt", s.occurrence_at as "occurrenceAt", s.last_run_at as "lastRunAt",
         s.last_enqueued_at as "lastEnqueuedAt", s.runs_total as "runsTotal", s.paused_at as "pausedAt",
         s.paused_until as "pausedUntil", s.paused_by as "pausedBy", s.pause_note as "pauseNote",
         s.created_at as "createdAt", s.updated_at as "updatedAt"
  ${FROM}`;

export async function readSchedule(
  db: Database,
  projectId: number,
  key: string,
): Promise<ScheduleView | null> {
  const { rows } = await db.query<Row>({
    name: 'read-schedule',
    text: `${SELECT_SCHEDULES} where s.project_id = $1 and s.key = $2`,
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
  const where = matching(page);
  const limit = where.place(page.limit);
  const { rows } = await db.query<Row>(
    `${SELECT_SCHEDULES} where ${where.sql} order by v.schedule_id desc limit ${limit}`,
    where.values,
  );
  return rows.map(toView);
}

/** The keys of what matches, to be acted upon. */
export async function findScheduleKeys(db: Database, page: Page): Promise<{ id: number; key: string }[]> {
  const where = matching(page);
  const limit = where.place(page.limit);
  const { rows } = await db.query<{ id: number; key: string }>(
    `select s.id, s.key ${FROM} where ${where.sql} order by v.schedule_id desc limit ${limit}`,
    where.values,
  );
  return rows;
}

export async function countSchedules(db: Database, page: Omit<Page, 'limit'>): Promise<number> {
  const where = matching(page);
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count ${FROM} where ${where.sql}`,
    where.values,
  );
  return rows[0]?.count ?? 0;
}

/** The expression of the index `schedule_versions_search`, to the letter. */
const SEARCHED = `lower(case when v.key like 'sch\\_%' then '' else v.key || ' ' end || coalesce(v.name, ''))`;

function matching({ projectId, filter, beforeId }: Omit<Page, 'limit'>): Where {
  const where = new Where(projectId)
    .always('v.project_id = $1 and v.superseded_at is null')
    .add(beforeId, (id) => `v.schedule_id < ${id}`)
    .add(filter.tag, (tag) => `v.tags @> array[${tag}]::text[]`)
    .add(filter.target, (target) => `v.target_type = ${target}`);
  if (filter.status) {
    // Spelled out, not a parameter: only so can the planner tell that a partial index applies.
    where.always(`s.project_id = $1 and s.status = '${filter.status}'`);
  }
  if (filter.dueBefore ?? filter.dueAfter) {
    where.always(`s.project_id = $1 and s.status = 'active'`);
    where.add(filter.dueBefore, (at) => `s.next_run_at < ${at}::timestamptz`);
    where.add(filter.dueAfter, (at) => `s.next_run_at > ${at}::timestamptz`);
  }
  if (filter.q !== undefined) {
    const text = filter.q.toLowerCase().replace(/[\\%_]/g, '\\$&');
    // Fewer than three letters make no trigram, except where a word begins.
    const patterns = text.length < 3 ? [`${text}%`, `% ${text}%`] : [`%${text}%`];
    const places = patterns.map((pattern) => `${SEARCHED} like ${where.place(pattern)}`);
    where.always(`(${places.join(' or ')} or v.key = ${where.place(filter.q)})`);
  }
  return where;
}

const toView = (row: Row): ScheduleView => ({
  ...row,
  timing: readTiming(row.timing),
  plan: readPlan(row.plan),
});
