import { randomUUID } from 'node:crypto';
import type { Target } from '@carillon/shared';
import { type Database, inTransaction } from '../database.js';
import { recordAudit } from '../lifecycle/change-schedule.js';
import { Where } from '../reading/where.js';

export interface TaskView {
  id: number;
  key: string;
  title: string;
  dueAt: Date;
  target: Target | null;
  reminderSentAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `id, key, title, due_at as "dueAt", target, reminder_sent_at as "reminderSentAt",
  created_at as "createdAt", updated_at as "updatedAt"`;

export interface TaskDraft {
  title: string;
  /** Milliseconds. */
  dueAt: number;
  target: Target | null;
}

/** What is left out stays. */
export interface TaskEdit {
  title?: string | undefined;
  dueAt?: number | undefined;
  target?: Target | null | undefined;
}

interface Asked {
  projectId: number;
  actor: string;
}

export async function createTask(db: Database, asked: Asked, draft: TaskDraft): Promise<TaskView> {
  const key = `tsk_${randomUUID().replaceAll('-', '')}`;
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<TaskView>(
      `insert into tasks (project_id, key, title, due_at, target) values ($1, $2, $3, $4, $5) returning ${COLUMNS}`,
      [
        asked.projectId,
        key,
        draft.title,
        new Date(draft.dueAt),
        draft.target && JSON.stringify(draft.target),
      ],
    );
    await recordAudit(tx, { ...asked, key, action: 'task.created' });
    return rows[0] as TaskView;
  });
}

export async function readTask(db: Database, projectId: number, key: string): Promise<TaskView | null> {
  const { rows } = await db.query<TaskView>(
    `select ${COLUMNS} from tasks where project_id = $1 and key = $2`,
    [projectId, key],
  );
  return rows[0] ?? null;
}

/** Newest first. */
export async function listTasks(
  db: Database,
  { projectId, limit, beforeId }: { projectId: number; limit: number; beforeId: number | null },
): Promise<TaskView[]> {
  const where = new Where(projectId).always('project_id = $1').add(beforeId, (id) => `id < ${id}`);
  const { rows } = await db.query<TaskView>(
    `select ${COLUMNS} from tasks where ${where.sql} order by id desc limit ${where.place(limit)}`,
    where.values,
  );
  return rows;
}

/** Null without such a task. */
export async function editTask(
  db: Database,
  { key, ...asked }: Asked & { key: string },
  patch: TaskEdit,
): Promise<TaskView | null> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<TaskView>(
      `update tasks
       set title = coalesce($3, title), due_at = coalesce($4, due_at), updated_at = clock_timestamp(),
           target = case when $5 then $6::json else target end
       where project_id = $1 and key = $2 returning ${COLUMNS}`,
      [
        asked.projectId,
        key,
        patch.title ?? null,
        patch.dueAt === undefined ? null : new Date(patch.dueAt),
        patch.target !== undefined,
        patch.target ? JSON.stringify(patch.target) : null,
      ],
    );
    const [task] = rows;
    if (task)
      await recordAudit(tx, { ...asked, key, action: 'task.edited', detail: { fields: Object.keys(patch) } });
    return task ?? null;
  });
}

/** Answers whether there was one. A reminder that is on its way arrives all the same. */
export async function deleteTask(db: Database, { key, ...asked }: Asked & { key: string }): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(`delete from tasks where project_id = $1 and key = $2`, [
      asked.projectId,
      key,
    ]);
    if (rowCount === 1) await recordAudit(tx, { ...asked, key, action: 'task.deleted' });
    return rowCount === 1;
  });
}
