import type { Database } from '../database.js';
import { NOW } from '../instants.js';
import { arrayOf, statement } from '../statement.js';

/** A project that has work to do, and its weight among the others. */
export interface ProjectShare {
  id: number;
  weight: number;
}

/**
 * SQL for the projects with at least one row of work, in random order and at most a thousand: with more projects than a
 * batch has rows, each project must come first sometimes. Costs one index probe for each project.
 */
const projectsWith = (isWaiting: string) => `
  select p.id, greatest(1, coalesce((p.limits ->> 'weight')::int, 1)) as weight
  from carillon.projects p, lateral (${isWaiting} limit 1) as due
  order by random() limit 1000`;

const select = {
  due: statement<{ now: number | null }, ProjectShare>(
    'read-due-projects',
    projectsWith(
      `select from carillon.agenda a where not a.is_held and a.project_id = p.id and a.due_at <= ${NOW}`,
    ),
  ),
  waiting: statement<{ now: number | null }, ProjectShare>(
    'read-waiting-projects',
    projectsWith(`select from carillon.runs r where r.project_id = p.id and r.next_attempt_at <= ${NOW}`),
  ),
  receipts: statement<{ now: number | null }, ProjectShare>(
    'read-receipt-projects',
    projectsWith(`select from carillon.receipts r where r.project_id = p.id and r.next_try_at <= ${NOW}`),
  ),
};

/** Reads the projects that have due schedules, waiting runs or receipts that may go now. */
export function readProjectsWith(
  kind: keyof typeof select,
  db: Database,
  now: number | null,
): Promise<ProjectShare[]> {
  return select[kind](db, { now });
}

/** SQL of the shares as a table: `share.project_id`, and `share.most` rows for it. */
export const SHARES = 'unnest(:shareIds::bigint[], :shareSizes::int[]) as share(project_id, most)';

export interface ShareParameters {
  shareIds: string;
  shareSizes: string;
}

/** Divides a batch by weight. Every project gets at least one row; the statement cuts what is over the limit. */
export function divide(limit: number, projects: readonly ProjectShare[]): ShareParameters {
  const total = projects.reduce((sum, { weight }) => sum + weight, 0);
  const sizes = projects.map(({ weight }) => Math.max(1, Math.floor((limit * weight) / total)));
  return { shareIds: arrayOf(projects.map(({ id }) => id)), shareSizes: arrayOf(sizes) };
}
