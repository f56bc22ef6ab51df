import { setOf } from '@carillon/shared';
import { and, asc, desc, eq, gt, gte, lt, lte, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../database.js';
import { NOW } from '../instants.js';
import { auditLog } from '../schema/tenancy.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';
import { orm } from './orm.js';

export interface AuditEntry {
  projectId: number;
  /** The subject: the key of the schedule, the user, the project or another thing that was changed. */
  key: string | null;
  actor: string;
  action: string;
  detail?: unknown;
  /** Null or absent for Postgres's clock. */
  now?: number | null;
}

/**
 * Adds to the detail of an audit entry the set that the schedule belongs to, if there is one. A set is a group of
 * schedules that one file describes.
 */
export function managedByDetail(tags: readonly string[], detail?: object): object | undefined {
  const set = setOf(tags);
  return set === null ? detail : { managedBy: `set ${set}`, ...detail };
}

const insert = statement<Values, { id: number }>(
  'record-audit',
  `insert into carillon.audit_log (project_id, actor, action, subject, detail, at)
   values (:projectId, :actor, :action, :key, :detail, ${NOW}) returning id`,
);

/** Writes an audit entry in the transaction of the change that it describes. Returns the id of the entry. */
export async function recordAudit(
  tx: Transaction,
  { projectId, key, actor, action, detail, now }: AuditEntry,
): Promise<number> {
  const detailText = detail === undefined ? null : JSON.stringify(detail);
  const [entry] = await insert(tx, { projectId, key, actor, action, detail: detailText, now });
  return (entry as { id: number }).id;
}

const entries = batch<{ key: string; detail: string | null }>('entry', { key: 'text', detail: 'text' });

const insertMany = statement<Values>(
  'record-many-audits',
  `insert into carillon.audit_log (project_id, actor, action, subject, detail, at)
   select :projectId, :actor, :action, entry.key, entry.detail::json, ${NOW} from ${entries.source}`,
);

/** Writes an audit entry for each of many subjects that were changed in the same way. */
export async function recordManyAudits(
  tx: Transaction,
  change: {
    projectId: number;
    actor: string;
    action: string;
    nowAt: number;
    entries: readonly { key: string; detail?: unknown }[];
  },
): Promise<void> {
  if (change.entries.length === 0) return;
  const rows = change.entries.map(({ key, detail }) => ({
    key,
    detail: detail === undefined ? null : JSON.stringify(detail),
  }));
  const { projectId, actor, action, nowAt: now } = change;
  await insertMany(tx, { projectId, actor, action, now, ...entries.of(rows) });
}

export interface AuditView {
  id: number;
  at: number;
  actor: string;
  action: string;
  subject: string | null;
  detail: unknown;
}

const VIEW = {
  id: auditLog.id,
  at: auditLog.at,
  actor: auditLog.actor,
  action: auditLog.action,
  subject: auditLog.subject,
  detail: auditLog.detail,
};

export interface AuditFilter {
  action?: string | undefined;
  subject?: string | undefined;
  /** RFC 3339, as the client gave it. */
  from?: string | undefined;
  to?: string | undefined;
}

interface AuditPage {
  projectId: number;
  filter: AuditFilter;
  limit: number;
  /** The last entry of the previous page. */
  beforeId: number | null;
}

/** Lists the audit log of a project, newest first. */
export async function listAudit(
  db: Database,
  { projectId, filter, limit, beforeId }: AuditPage,
): Promise<AuditView[]> {
  const { action, subject, from, to } = filter;
  const conditions = [
    eq(auditLog.projectId, projectId),
    beforeId === null ? undefined : lt(auditLog.id, beforeId),
    action === undefined ? undefined : eq(auditLog.action, action),
    subject === undefined ? undefined : eq(auditLog.subject, subject),
    from === undefined ? undefined : gte(auditLog.at, sql`${from}::timestamptz`),
    to === undefined ? undefined : lte(auditLog.at, sql`${to}::timestamptz`),
  ];
  return orm(db)
    .select(VIEW)
    .from(auditLog)
    .where(and(...conditions))
    .orderBy(desc(auditLog.id))
    .limit(limit);
}

/** Reads the audit entries of a project with an id above `afterId`, oldest first, except those that have been read. */
export async function readAuditAfter(
  db: Database,
  {
    projectId,
    afterId,
    except = [],
    limit,
  }: { projectId: number; afterId: number; except?: readonly number[]; limit: number },
): Promise<AuditView[]> {
  const isUnread = sql`${auditLog.id} not in (select unnest(${arrayOf(except)}::bigint[]))`;
  return orm(db)
    .select(VIEW)
    .from(auditLog)
    .where(and(eq(auditLog.projectId, projectId), gt(auditLog.id, afterId), isUnread))
    .orderBy(asc(auditLog.id))
    .limit(limit);
}
