import type { Pool } from 'pg';
import { nowOr } from '../sql-text.js';

/** The projects that have anything due: a probe of the index for each that there is. */
export async function readDueProjects(pool: Pool, now: number | null): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>({
    name: 'read-due-projects',
    text: `select p.id
           from projects p, lateral (
             select from schedules s
             where s.status = 'active' and s.project_id = p.id and s.next_run_at <= ${nowOr('$1')} limit 1
           ) as due`,
    values: [now],
  });
  return rows.map((row) => row.id);
}
