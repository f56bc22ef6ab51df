import type { Pool } from 'pg';
import { nowOr } from '../sql-text.js';

/** The projects that have anything due. Walks the distinct projects of the index, a probe for each. */
export async function readDueProjects(pool: Pool, now: number | null): Promise<number[]> {
  const { rows } = await pool.query<{ project_id: number }>({
    name: 'read-due-projects',
    text: `with recursive project as (
             (select project_id from schedules where status = 'active' order by project_id limit 1)
             union all
             select (select s.project_id from schedules s
                     where s.status = 'active' and s.project_id > project.project_id order by s.project_id limit 1)
             from project where project.project_id is not null
           )
           select project_id from project
           where exists (select from schedules s where s.status = 'active' and s.project_id = project.project_id
                         and s.next_run_at <= ${nowOr('$1')})`,
    values: [now],
  });
  return rows.map((row) => row.project_id);
}
