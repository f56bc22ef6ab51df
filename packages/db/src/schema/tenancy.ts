import { sql } from 'drizzle-orm';
import { bigserial, index, json, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytea, id, instant } from './columns.js';

export const projects = pgTable('projects', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  key: text('key').notNull().unique(),
  name: text('name').notNull(),
  defaultTarget: json('default_target'),
  limits: json('limits').notNull().default({}),
  createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
});

/** Only the SHA-256 of a key is kept; the prefix is there for people to tell their keys apart. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    name: text('name').notNull(),
    prefix: text('prefix').notNull(),
    hash: bytea('hash').notNull(),
    scopes: text('scopes').array().notNull(),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    expiresAt: instant('expires_at'),
    lastUsedAt: instant('last_used_at'),
    revokedAt: instant('revoked_at'),
  },
  (t) => [uniqueIndex('api_keys_hash').on(t.hash), index('api_keys_project').on(t.projectId)],
);

/** Append-only: a trigger refuses to change or delete a row. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    at: instant('at').notNull().default(sql`clock_timestamp()`),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    subject: text('subject'),
    detail: json('detail'),
  },
  (t) => [
    index('audit_log_project').on(t.projectId, t.id),
    index('audit_log_subject').on(t.projectId, t.subject, t.id),
  ],
);
