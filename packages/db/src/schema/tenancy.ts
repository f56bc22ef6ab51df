import { sql } from 'drizzle-orm';
import {
  bigserial,
  boolean,
  check,
  index,
  integer,
  json,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { bytea, carillon, id, instant, NOW } from './columns.js';

/** Tenants. Each project has its own schedules, keys, limits and audit log. */
export const projects = carillon.table('projects', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  key: text('key').notNull().unique(),
  name: text('name').notNull(),
  defaultTarget: json('default_target'),
  limits: json('limits').notNull().default({}),
  /**
   * How long each kind of history is kept, as ISO 8601 durations. For a kind that is absent, the default of the
   * installation applies.
   */
  retention: json('retention').notNull().default({}),
  /** Retention has removed runs, gaps and definitions from before this instant; null if it has removed none. */
  historyFrom: instant('history_from'),
  createdAt: instant('created_at').notNull().default(NOW),
});

/** API keys. Only the SHA-256 of a key is stored. The prefix lets people tell their keys apart. */
export const apiKeys = carillon.table(
  'api_keys',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    name: text('name').notNull(),
    prefix: text('prefix').notNull(),
    hash: bytea('hash').notNull(),
    scopes: text('scopes').array().notNull(),
    /**
     * True for the key that the variable CARILLON_ADMIN_KEY holds. If the variable gets another value, this key is
     * revoked.
     */
    isFromEnvironment: boolean('is_from_environment').notNull().default(false),
    createdAt: instant('created_at').notNull().default(NOW),
    expiresAt: instant('expires_at'),
    lastUsedAt: instant('last_used_at'),
    revokedAt: instant('revoked_at'),
  },
  (t) => [uniqueIndex('api_keys_hash').on(t.hash), index('api_keys_project').on(t.projectId)],
);

/**
 * Sessions of the dashboard in browsers. The cookie holds a random token, and only its SHA-256 is stored. A session is
 * valid only as long as the API key with which it began, so revoking the key ends the session.
 */
export const sessions = carillon.table(
  'sessions',
  {
    hash: bytea('hash').primaryKey(),
    projectId: id('project_id').notNull(),
    keyId: id('key_id').notNull(),
    createdAt: instant('created_at').notNull().default(NOW),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [index('sessions_key').on(t.keyId, t.createdAt), index('sessions_expires').on(t.expiresAt)],
);

/** iCal feeds. Each feed has a random token that gives access to this feed only; the SHA-256 of the token is stored. */
export const feeds = carillon.table(
  'feeds',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    name: text('name').notNull(),
    hash: bytea('hash').notNull(),
    /** The feed shows this schedule, the schedules with this tag, or, if both are null, all of the project. */
    scheduleKey: text('schedule_key'),
    tag: text('tag'),
    createdAt: instant('created_at').notNull().default(NOW),
    lastUsedAt: instant('last_used_at'),
  },
  (t) => [
    uniqueIndex('feeds_hash').on(t.hash),
    index('feeds_project').on(t.projectId, t.id),
    check('feeds_scope', sql`schedule_key is null or tag is null`),
  ],
);

/**
 * The audit log, which can only grow: SQL triggers refuse to change a row and to truncate the table. Only retention may
 * delete entries, and only those older than the retention of their project.
 */
export const auditLog = carillon.table(
  'audit_log',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    at: instant('at').notNull().default(NOW),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    subject: text('subject'),
    detail: json('detail'),
  },
  (t) => [
    index('audit_log_project').on(t.projectId, t.id),
    index('audit_log_subject').on(t.projectId, t.subject, t.id),
    index('audit_log_action').on(t.projectId, t.action, t.id),
  ],
);

/**
 * The answers to requests that carried an `Idempotency-Key`. An answer is written in the transaction of the change that
 * was requested, so a crash leaves both or neither.
 */
export const idempotencyKeys = carillon.table(
  'idempotency_keys',
  {
    projectId: id('project_id').notNull(),
    key: text('key').notNull(),
    /** Hash of method, path and body. If a request has the same key but another hash, it is refused. */
    requestHash: text('request_hash').notNull(),
    answer: json('answer'),
    createdAt: instant('created_at').notNull().default(NOW),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.key] }), index('idempotency_keys_age').on(t.createdAt)],
);

/**
 * Secrets by which webhook deliveries are signed: a secret of one schedule, or of its project if `schedule_id` is null.
 * They are not part of a definition, because a retry is signed with the secrets that are valid now. A secret that was
 * replaced stays valid until `expires_at`.
 */
export const webhookSecrets = carillon.table(
  'webhook_secrets',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    scheduleId: id('schedule_id'),
    /** Encrypted by `SecretBox`. */
    sealed: bytea('sealed').notNull(),
    createdAt: instant('created_at').notNull().default(NOW),
    expiresAt: instant('expires_at'),
  },
  (t) => [
    index('webhook_secrets_schedule').on(t.scheduleId).where(sql`schedule_id is not null`),
    index('webhook_secrets_project').on(t.projectId).where(sql`schedule_id is null`),
  ],
);

/**
 * Receipts (messages about ended runs) that are still to be sent. A receipt is written in the statement that ends its
 * run. It is deleted once the receiver has accepted it, or after the last failed try.
 */
export const receipts = carillon.table(
  'receipts',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    scheduleId: id('schedule_id').notNull(),
    url: text('url').notNull(),
    body: text('body').notNull(),
    tries: integer('tries').notNull().default(0),
    nextTryAt: instant('next_try_at').notNull(),
  },
  (t) => [
    index('receipts_next_try').on(t.nextTryAt),
    index('receipts_next_try_of_project').on(t.projectId, t.nextTryAt),
  ],
);
