import { sql } from 'drizzle-orm';
import { bigserial, check, index, json, text } from 'drizzle-orm/pg-core';
import { carillon, id, instant, NOW } from './columns.js';

/**
 * Roles of Postgres that may call the SQL functions `schedule`, `cancel` and `trigger` (which adds a manual run). Each
 * role calls them for one project. Calls by other roles are refused.
 */
export const sqlRoles = carillon.table('sql_roles', {
  role: text('role').primaryKey(),
  projectId: id('project_id').notNull(),
  createdAt: instant('created_at').notNull().default(NOW),
});

/**
 * Calls of the SQL functions `schedule`, `cancel` and `trigger` that no worker has carried out yet. A row is written in
 * the transaction of the caller, and deleted in the transaction that carries the call out. If a call is refused, the
 * audit log keeps the refusal.
 */
export const sqlRequests = carillon.table(
  'sql_requests',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    action: text('action').notNull(),
    /** The id of the schedule, as clients see it. */
    key: text('key').notNull(),
    /** The schedule in the format of the API, without its id; null for `cancel` and `trigger`. */
    body: json('body'),
    actor: text('actor').notNull(),
    requestedAt: instant('requested_at').notNull().default(NOW),
  },
  (t) => [
    index('sql_requests_project').on(t.projectId, t.id),
    // Requests for one schedule are carried out in the order of their calls.
    index('sql_requests_key').on(t.projectId, t.key, t.id),
    check('sql_requests_action', sql`action in ('schedule', 'cancel', 'trigger')`),
    check('sql_requests_body', sql`(action = 'schedule') = (body is not null)`),
  ],
);
