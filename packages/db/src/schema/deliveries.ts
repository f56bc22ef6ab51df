import { sql } from 'drizzle-orm';
import { bigserial, index, pgTable, smallint, text } from 'drizzle-orm/pg-core';
import { bytea, id, instant } from './columns.js';

/**
 * What deliveries are signed with: a schedule's own, or its project's where `schedule_id` is null. Not part of a
 * definition, because a retry is signed with what is valid now. A secret that was replaced stays valid until `expires_at`.
 */
export const webhookSecrets = pgTable(
  'webhook_secrets',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    scheduleId: id('schedule_id'),
    /** Encrypted: see `SecretBox`. */
    sealed: bytea('sealed').notNull(),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
    expiresAt: instant('expires_at'),
  },
  (t) => [
    index('webhook_secrets_schedule').on(t.scheduleId).where(sql`schedule_id is not null`),
    index('webhook_secrets_project').on(t.projectId).where(sql`schedule_id is null`),
  ],
);

/** Receipts that are still to be sent: written with the end of their run, gone once the receiver has taken them. */
export const receipts = pgTable(
  'receipts',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    scheduleId: id('schedule_id').notNull(),
    url: text('url').notNull(),
    body: text('body').notNull(),
    tries: smallint('tries').notNull().default(0),
    nextTryAt: instant('next_try_at').notNull(),
  },
  (t) => [index('receipts_next_try').on(t.nextTryAt)],
);
