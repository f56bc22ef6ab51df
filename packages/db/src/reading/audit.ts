import type { Database } from '../database.js';
import { Where } from './where.js';

export interface AuditView {
  id: number;
  at: Date;
  actor: string;
  action: string;
  subject: string | null;
  detail: unknown;
}

export interface AuditFilter {
  action?: string | undefined;
  subject?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Newest first. */
export async function listAudit(
  db: Database,
  {
    projectId,
    filter,
    limit,
    beforeId,
  }: { projectId: number; filter: AuditFilter; limit: number; beforeId: number | null },
): Promise<AuditView[]> {
  const where = new Where(projectId)
    .always('project_id = $1')
    .add(beforeId, (id) => `id < ${id}`)
    .add(filter.action, (action) => `action = ${action}`)
    .add(filter.subject, (subject) => `subject = ${subject}`)
    .add(filter.from, (at) => `at >= ${at}::timestamptz`)
    .add(filter.to, (at) => `at <= ${at}::timestamptz`);
  const { rows } = await db.query<AuditView>(
    `select id, at, actor, action, subject, detail from audit_log
     where ${where.sql} order by id desc limit ${where.place(limit)}`,
    where.values,
  );
  return rows;
}
