import { sql } from 'drizzle-orm';
import { index, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.js';

/**
 * What was answered to a request that came with an `Idempotency-Key`. Written in the transaction of what the request did:
 * either both are there or neither, whatever crashes in between.
 */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    projectId: id('project_id').notNull(),
    key: text('key').notNull(),
    /** Of the method, the path and the body: the same key with another request is a mistake. */
    requestHash: text('request_hash').notNull(),
    answer: json('answer'),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.key] }), index('idempotency_keys_age').on(t.createdAt)],
);
