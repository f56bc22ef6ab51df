import type { ProjectLimits, Target } from '@carillon/shared';
import type { Database } from '../database.js';

export interface DefaultProject {
  id: number;
  defaultTarget: Target | null;
  limits: ProjectLimits;
}

/** The project that is there from the beginning: that of the first admin, and of what comes in by queue. */
export async function readDefaultProject(db: Database): Promise<DefaultProject> {
  const { rows } = await db.query<DefaultProject>({
    name: 'read-default-project',
    text: `select id, default_target as "defaultTarget", limits from projects where key = 'default'`,
  });
  const [project] = rows;
  if (!project) throw new Error('there is no default project');
  return project;
}
