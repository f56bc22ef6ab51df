import type { Database } from '../database.js';
import { query, type Values } from '../statement.js';
import { type FilteredPage, sourceOfAllMatches, sourceOfKeys, whereOf } from './schedule-filter.js';

/** Reads the ids and keys of the schedules that match a filter, for a bulk action. */
export function findScheduleKeys(db: Database, page: FilteredPage): Promise<{ id: number; key: string }[]> {
  const where = whereOf(page);
  const { head, source, conditions } = sourceOfKeys(where, page.filter);
  const text = `${head} select s.id, s.key from ${source} where ${conditions} order by s.id desc limit :limit`;
  return query(db, text, { ...where.parameters, limit: page.limit });
}

/** Counts the schedules that match a filter, but only up to a limit, because counting a million takes seconds. */
export async function countSchedules(db: Database, page: FilteredPage): Promise<number> {
  const where = whereOf(page);
  const { head, source, conditions } = sourceOfKeys(where, page.filter);
  const [row] = await query<{ count: number }>(
    db,
    `${head} select count(*) as count from (select from ${source} where ${conditions} limit :limit) as counted`,
    { ...where.parameters, limit: page.limit },
  );
  return row?.count ?? 0;
}

/**
 * SQL that reads the agenda entries and rules of the schedules that match a filter, for a statement that counts their
 * fires.
 */
export function agendaOfMatching(page: Omit<FilteredPage, 'limit'>): {
  head: string;
  source: string;
  parameters: Values;
} {
  const where = whereOf(page);
  const { head, source, conditions } = sourceOfAllMatches(where, page.filter);
  return {
    head,
    source: `select a.*, s.timing, s.plan from ${source} where ${conditions} and a.project_id = :projectId and not a.is_held`,
    parameters: where.parameters,
  };
}
