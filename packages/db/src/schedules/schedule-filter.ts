import { Where } from '../where.js';
import { ATTENTION_SOURCES, type AttentionKind, MAX_ATTENTION_COUNT } from './attention-sources.js';
import type { ScheduleStatus } from './schedule-columns.js';

export interface ScheduleFilter {
  status?: ScheduleStatus | undefined;
  tag?: string | undefined;
  target?: string | undefined;
  /** Text to search for in the id and the name. */
  q?: string | undefined;
  dueBefore?: string | undefined;
  dueAfter?: string | undefined;
  /** Only schedules that need attention for this reason. */
  attention?: AttentionKind | undefined;
}

export interface FilteredPage {
  projectId: number;
  filter: ScheduleFilter;
  limit: number;
  /** The last id of the previous page. */
  beforeId: number | null;
}

export const FROM_SCHEDULES = 'carillon.schedules s left join carillon.agenda a on a.schedule_id = s.id';

/**
 * A `from` list that begins with `matching`, the result of a search for a text or a tag (see `matchingOf`). The
 * statement adds only the other conditions (`where.others`). With all conditions, Postgres would search twice.
 */
export const FROM_MATCHES =
  'matching join carillon.schedules s using (id) left join carillon.agenda a on a.schedule_id = s.id';

export const isSearch = ({ q, tag }: ScheduleFilter) => (q ?? tag) !== undefined;

/**
 * True if a filter besides text and tag usually leaves few schedules: a rare status, a range of due times, or a reason
 * for attention. Any query plan is then fast. For a range of due times, the caller has to count the schedules.
 */
export function narrowsDown({ status, dueBefore, dueAfter, attention }: ScheduleFilter): boolean {
  const hasRareStatus = status !== undefined && status !== 'active' && status !== 'finished';
  return hasRareStatus || (dueBefore ?? dueAfter ?? attention) !== undefined;
}

/**
 * True if the filter has a range of due times and no other condition that narrows the list down. A text and a tag are
 * ignored here.
 */
export const narrowsDownByDueOnly = ({ dueBefore, dueAfter, ...others }: ScheduleFilter) =>
  (dueBefore ?? dueAfter) !== undefined && !narrowsDown(others);

/**
 * The `from` list of a statement that reads all matching schedules. If the filter has a text or a tag, Postgres
 * searches the index of that text or tag first, unless another filter leaves few schedules (`narrowsDown`).
 */
export const sourceOfAllMatches = (where: Where, filter: ScheduleFilter) =>
  isSearch(filter) && !narrowsDown(filter)
    ? { head: matchingOf(where), source: FROM_MATCHES, conditions: where.others }
    : { head: '', source: FROM_SCHEDULES, conditions: where.sql };

/**
 * The `from` list of a statement that reads only the ids and keys of schedules. A filter that has only a text or a tag
 * needs no join: the common table expression `matching` already holds the ids and keys of these schedules.
 */
export const sourceOfKeys = (where: Where, { q, tag, ...others }: ScheduleFilter) =>
  isSearch({ q, tag }) && Object.values(others).every((value) => value === undefined)
    ? { head: matchingOf(where), source: 'matching s', conditions: 'true' }
    : sourceOfAllMatches(where, { q, tag, ...others });

/**
 * SQL: the schedules that a search for a text or a tag finds. The list is materialized, so that the planner begins with
 * it.
 */
export const matchingOf = (where: Where) =>
  `with matching as materialized (
     select s.id, s.key from carillon.schedules s
     where s.project_id = :projectId and ${where.searched} and (:beforeId::bigint is null or s.id < :beforeId)
   )`;

export const whereOf = ({ projectId, filter, beforeId }: Omit<FilteredPage, 'limit'>): Where =>
  addScheduleFilter(
    new Where()
      .add('projectId', projectId, 's.project_id = :projectId')
      .add('beforeId', beforeId, 's.id < :beforeId'),
    filter,
  );

/**
 * Adds the conditions of a filter over the aliases `s` (schedules) and `a` (agenda). The project is the parameter
 * `:projectId`.
 */
export function addScheduleFilter(where: Where, filter: ScheduleFilter): Where {
  where.add('target', filter.target, 's.target_type = :target');
  if (filter.status === 'active') where.always(`s.status = 'active' and a.schedule_id is not null`);
  else if (filter.status === 'finished') where.always(`s.status = 'active' and a.schedule_id is null`);
  else if (filter.status)
    where.always(`s.id in (
      select schedule_id from carillon.stopped_schedules where project_id = :projectId and status = '${filter.status}')`);
  if (filter.dueBefore ?? filter.dueAfter) {
    const { sql, parameters } = dueWithin(filter);
    for (const [name, value] of Object.entries(parameters)) where.parameter(name, value);
    where.always(`s.id in (${sql})`);
  }
  if (filter.attention !== undefined) {
    where.parameter('now', null);
    where.always(`s.id in (
      select id from (${ATTENTION_SOURCES[filter.attention]} limit ${MAX_ATTENTION_COUNT}) as needs_attention)`);
  }
  if (filter.tag !== undefined)
    where.search(`s.tags @> array[${where.parameter('tag', filter.tag)}]::text[]`);
  if (filter.q !== undefined) where.search(matches(where, filter.q));
  return where;
}

/** The schedules whose next occurrence is due within the range of a filter. */
export const dueWithin = ({ dueBefore, dueAfter }: ScheduleFilter) => ({
  sql: `select schedule_id from carillon.agenda
      where project_id = :projectId and not is_held and due_at < :dueBefore::timestamptz and due_at > :dueAfter::timestamptz`,
  parameters: { dueBefore: dueBefore ?? 'infinity', dueAfter: dueAfter ?? '-infinity' },
});

/** This must be the exact expression of the index `schedules_search`, so that Postgres uses the index. */
const SEARCHED = `lower(case when s.key like 'sch\\_%' then '' else s.key || ' ' end || coalesce(s.name, ''))`;

function matches(where: Where, q: string): string {
  const text = q.toLowerCase().replace(/[\\%_]/g, '\\$&');
  // Fewer than three letters make no trigram, except at the start of a word. So a shorter text is searched only there.
  const patterns = text.length < 3 ? [`${text}%`, `% ${text}%`] : [`%${text}%`];
  const alternatives = patterns.map(
    (pattern, i) => `${SEARCHED} like ${where.parameter(`pattern${i}`, pattern)}`,
  );
  // The index of texts leaves out generated ids (`sch_…`), so a complete id is also looked up in the index of ids.
  alternatives.push(`(s.project_id = :projectId and s.key = ${where.parameter('q', q)})`);
  return `(${alternatives.join(' or ')})`;
}
