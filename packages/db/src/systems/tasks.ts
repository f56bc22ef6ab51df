import { randomUUID } from 'node:crypto';
import type { Target } from '@carillon/shared';
import { and, desc, eq, lt } from 'drizzle-orm';
import { type Database, inTransaction } from '../database.js';
import { NOW } from '../schema/columns.js';
import { tasks } from '../schema/systems.js';
import { recordAudit } from '../tenancy/audit.js';
import { orm } from '../tenancy/orm.js';

export interface TaskView {
  id: number;
  key: string;
  title: string;
  dueAt: number;
  /** Null uses the project's default target. */
  target: Target | null;
  reminderSentAt: number | null;
  createdAt: number;
  updatedAt: number;
}

const VIEW = {
  id: tasks.id,
  key: tasks.key,
  title: tasks.title,
  dueAt: tasks.dueAt,
  target: tasks.target,
  reminderSentAt: tasks.reminderSentAt,
  createdAt: tasks.createdAt,
  updatedAt: tasks.updatedAt,
};

export interface TaskDraft {
  title: string;
  dueAt: number;
  target: Target | null;
}

/** Fields that are left out keep their value. */
export interface TaskEdit {
  title?: string | undefined;
  dueAt?: number | undefined;
  target?: Target | null | undefined;
}

interface Requester {
  projectId: number;
  actor: string;
}

const isTask = (projectId: number, key: string) => and(eq(tasks.projectId, projectId), eq(tasks.key, key));

export function createTask(db: Database, requester: Requester, draft: TaskDraft): Promise<TaskView> {
  const { projectId } = requester;
  const { title, dueAt, target } = draft;
  const key = `tsk_${randomUUID().replaceAll('-', '')}`;
  return inTransaction(db, async (tx) => {
    const [task] = await orm(tx)
      .insert(tasks)
      .values({ projectId, key, title, dueAt, target })
      .returning(VIEW);
    await recordAudit(tx, { ...requester, key, action: 'task.created' });
    return task as TaskView;
  });
}

export async function readTask(db: Database, projectId: number, key: string): Promise<TaskView | null> {
  const [task] = await orm(db).select(VIEW).from(tasks).where(isTask(projectId, key));
  return (task as TaskView | undefined) ?? null;
}

/** Lists tasks, newest first. */
export async function listTasks(
  db: Database,
  { projectId, limit, beforeId }: { projectId: number; limit: number; beforeId: number | null },
): Promise<TaskView[]> {
  const isBefore = beforeId === null ? undefined : lt(tasks.id, beforeId);
  const rows = await orm(db)
    .select(VIEW)
    .from(tasks)
    .where(and(eq(tasks.projectId, projectId), isBefore))
    .orderBy(desc(tasks.id))
    .limit(limit);
  return rows as TaskView[];
}

/** Edits a task. Null if there is no such task. */
export function editTask(
  db: Database,
  { key, ...requester }: Requester & { key: string },
  patch: TaskEdit,
): Promise<TaskView | null> {
  const { title, dueAt, target } = patch;
  return inTransaction(db, async (tx) => {
    const [task] = await orm(tx)
      .update(tasks)
      .set({ title, dueAt, target, updatedAt: NOW })
      .where(isTask(requester.projectId, key))
      .returning(VIEW);
    if (!task) return null;
    const detail = { fields: Object.keys(patch) };
    await recordAudit(tx, { ...requester, key, action: 'task.edited', detail });
    return task as TaskView;
  });
}

/** Deletes a task. Returns false if there is no such task. A reminder that was created before is still delivered. */
export function deleteTask(
  db: Database,
  { key, ...requester }: Requester & { key: string },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const deleted = await orm(tx)
      .delete(tasks)
      .where(isTask(requester.projectId, key))
      .returning({ id: tasks.id });
    if (deleted.length === 0) return false;
    await recordAudit(tx, { ...requester, key, action: 'task.deleted' });
    return true;
  });
}
