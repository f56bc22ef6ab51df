import type { Target } from '@carillon/shared';
import type { Database } from '../database.js';

/** The project that is there from the beginning: that of the first admin, and of what comes in by queue. */
export async function readDefaultProject(
  db: Database,
): Promise<{ id: number; defaultTarget: Target | null }> {
  const { rows } = await db.query<{ id: number; defaultTarget: Target | null }>({
    name: 'read-default-project',
    text: `select id, default_target as "defaultTarget" from projects where key = 'default'`,
  });
  const [project] = rows;
  if (!project) throw new Error('there is no default project');
  return project;
}
