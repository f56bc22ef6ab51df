import type { Pool } from 'pg';
import { inFireTransaction } from '../database.js';
import { NOW } from '../instants.js';
import { arrayOf, statement } from '../statement.js';

/** A project that has work to do, and the weight of its share of a batch. */
export interface ProjectShare {
  id: number;
  weight: number;
}

/**
 * SQL for the projects with at least one row of work, at most 1,000 of them. The order is random, so that each project
 * gets its turn if there are more projects than rows in a batch. The query costs one index probe per project.
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

/** Reads the projects that have work of a kind: due schedules, waiting runs or receipts to send. */
export function readProjectsWith(
  kind: keyof typeof select,
  pool: Pool,
  now: number | null,
): Promise<ProjectShare[]> {
  return inFireTransaction(pool, (tx) => select[kind](tx, { now }));
}

/** SQL for a table of the shares: `share.project_id`, and `share.most`, the maximum number of rows for this project. */
export const SHARES = 'unnest(:shareIds::bigint[], :shareSizes::int[]) as share(project_id, most)';

export interface ShareParameters {
  shareIds: string;
  shareSizes: string;
}

/** Divides a batch by weight. Every project gets at least one row; the `limit` of the statement cuts the surplus. */
export function divideBatch(limit: number, projects: readonly ProjectShare[]): ShareParameters {
  const total = projects.reduce((sum, { weight }) => sum + weight, 0);
  const sizes = projects.map(({ weight }) => Math.max(1, Math.floor((limit * weight) / total)));
  return { shareIds: arrayOf(projects.map(({ id }) => id)), shareSizes: arrayOf(sizes) };
}
