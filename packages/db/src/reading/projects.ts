import type { ProjectLimits, Target } from '@carillon/shared';
import type { Database } from '../database.js';

export interface ProjectView {
  id: number;
  key: string;
  name: string;
  defaultTarget: Target | null;
  limits: ProjectLimits;
  createdAt: Date;
}

export interface ProjectDraft {
  key: string;
  name: string;
  defaultTarget: Target | null;
  limits: ProjectLimits;
}

/** What is left out stays. */
export type ProjectPatch = { [K in keyof Omit<ProjectDraft, 'key'>]?: ProjectDraft[K] | undefined };

const COLUMNS = `id, key, name, default_target as "defaultTarget", limits, created_at as "createdAt"`;

/** Null where the key is taken. */
export async function createProject(
  db: Database,
  { draft, actor }: { draft: ProjectDraft; actor: string },
): Promise<ProjectView | null> {
  const { rows } = await db.query<ProjectView>(
    `with made as (
       insert into projects (key, name, default_target, limits) values ($1, $2, $3, $4)
       on conflict (key) do nothing returning *
     ), audited as (
       insert into audit_log (project_id, actor, action, subject) select id, $5, 'project.created', key from made
     )
     select ${COLUMNS} from made`,
    [draft.key, draft.name, jsonOrNull(draft.defaultTarget), JSON.stringify(draft.limits), actor],
  );
  return rows[0] ?? null;
}

/** Puts what is given in place of what holds; null without such a project. */
export async function editProject(
  db: Database,
  { key, patch, actor }: { key: string; patch: ProjectPatch; actor: string },
): Promise<ProjectView | null> {
  const { rows } = await db.query<ProjectView>(
    `with edited as (
       update projects
       set name = coalesce($2, name),
           default_target = case when $3 then $4::json else default_target end,
           limits = coalesce($5::json, limits)
       where key = $1 returning *
     ), audited as (
       insert into audit_log (project_id, actor, action, subject) select id, $6, 'project.edited', key from edited
     )
     select ${COLUMNS} from edited`,
    [
      key,
      patch.name ?? null,
      patch.defaultTarget !== undefined,
      jsonOrNull(patch.defaultTarget ?? null),
      jsonOrNull(patch.limits ?? null),
      actor,
    ],
  );
  return rows[0] ?? null;
}

export async function readProject(db: Database, key: string): Promise<ProjectView | null> {
  const { rows } = await db.query<ProjectView>(`select ${COLUMNS} from projects where key = $1`, [key]);
  return rows[0] ?? null;
}

/** By their key. `onlyId` for whoever may see no other. */
export async function listProjects(
  db: Database,
  { onlyId, limit, afterKey }: { onlyId: number | null; limit: number; afterKey: string | null },
): Promise<ProjectView[]> {
  const { rows } = await db.query<ProjectView>(
    `select ${COLUMNS} from projects
     where ($1::bigint is null or id = $1) and ($2::text is null or key > $2) order by key limit $3`,
    [onlyId, afterKey, limit],
  );
  return rows;
}

const jsonOrNull = (value: unknown) => (value === null ? null : JSON.stringify(value));
