import type { ProjectLimits, ProjectRetention, Target } from '@carillon/shared';
import { and, asc, eq, gt } from 'drizzle-orm';
import { type Database, inTransaction } from '../database.js';
import { projects } from '../schema/tenancy.js';
import { statement } from '../statement.js';
import { recordAudit } from './audit.js';
import { orm } from './orm.js';
import { replaceSecret, type SealNewSecret } from './secrets.js';

export interface ProjectView {
  id: number;
  key: string;
  name: string;
  defaultTarget: Target | null;
  limits: ProjectLimits;
  retention: ProjectRetention;
  createdAt: number;
}

export interface ProjectDraft {
  key: string;
  name: string;
  defaultTarget: Target | null;
  limits: ProjectLimits;
  retention?: ProjectRetention;
}

/** Fields that are left out keep their value. */
export type ProjectPatch = { [K in keyof Omit<ProjectDraft, 'key'>]?: ProjectDraft[K] | undefined };

interface NewProject {
  draft: ProjectDraft;
  actor: string;
  /** Null if this process has no encryption key; the project then gets no secret. */
  seal: SealNewSecret | null;
  /** The default target with its headers encrypted for this project. If this throws, the project is not created. */
  sealTarget: (projectId: number) => Target | null;
}

/**
 * Creates a project, with a secret to sign its deliveries if `seal` is given. Null if there is a project with this key
 * already.
 */
export function createProject(
  db: Database,
  { draft, actor, seal, sealTarget }: NewProject,
): Promise<ProjectView | null> {
  const { key, name, limits, retention } = draft;
  return inTransaction(db, async (tx) => {
    const [project] = await orm(tx)
      .insert(projects)
      .values({ key, name, limits, retention })
      .onConflictDoNothing({ target: projects.key })
      .returning();
    if (!project) return null;
    // Encrypted values are bound to the project, so its id must be known first.
    const defaultTarget = sealTarget(project.id);
    if (defaultTarget)
      await orm(tx).update(projects).set({ defaultTarget }).where(eq(projects.id, project.id));
    if (seal) await replaceSecret(tx, { projectId: project.id, scheduleId: null }, seal(project.id));
    await recordAudit(tx, { projectId: project.id, key, actor, action: 'project.created' });
    return { ...project, defaultTarget } as ProjectView;
  });
}

/** Edits a project. Null if there is no such project. */
export function editProject(
  db: Database,
  { key, patch, actor }: { key: string; patch: ProjectPatch; actor: string },
): Promise<ProjectView | null> {
  const { name, defaultTarget, limits, retention } = patch;
  return inTransaction(db, async (tx) => {
    const [project] = await orm(tx)
      .update(projects)
      // The key stays the same. It is here because an update must set something, and a patch may be empty.
      .set({ key, name, defaultTarget, limits, retention })
      .where(eq(projects.key, key))
      .returning();
    if (!project) return null;
    await recordAudit(tx, { projectId: project.id, key, actor, action: 'project.edited' });
    return project as ProjectView;
  });
}

export async function readProject(db: Database, key: string): Promise<ProjectView | null> {
  const [project] = await orm(db).select().from(projects).where(eq(projects.key, key));
  return (project as ProjectView | undefined) ?? null;
}

/** Lists projects, ordered by key. `onlyId` is for a caller that may see no other project. */
export async function listProjects(
  db: Database,
  { onlyId, limit, afterKey }: { onlyId: number | null; limit: number; afterKey: string | null },
): Promise<ProjectView[]> {
  const isVisible = onlyId === null ? undefined : eq(projects.id, onlyId);
  const isAfter = afterKey === null ? undefined : gt(projects.key, afterKey);
  const rows = await orm(db)
    .select()
    .from(projects)
    .where(and(isVisible, isAfter))
    .orderBy(asc(projects.key))
    .limit(limit);
  return rows as ProjectView[];
}

export interface DefaultProject {
  id: number;
  defaultTarget: Target | null;
  limits: ProjectLimits;
}

const selectDefault = statement<object, DefaultProject>(
  'read-default-project',
  `select id, default_target as "defaultTarget", limits from carillon.projects where key = 'default'`,
);

/**
 * Reads the project that every installation has. The first admin key belongs to it, and so do schedules that are
 * requested through a BullMQ queue.
 */
export async function readDefaultProject(db: Database): Promise<DefaultProject> {
  const [project] = await selectDefault(db, {});
  if (!project) throw new Error('the default project is missing; the migrations create it');
  return project;
}
