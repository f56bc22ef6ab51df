import { boolean, doublePrecision, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.js';

/** Counters of all replicas, summed as they report: a replica that goes takes nothing along. */
export const metrics = pgTable(
  'metrics',
  {
    name: text('name').notNull(),
    labels: text('labels').notNull().default(''),
    value: doublePrecision('value').notNull(),
  },
  (t) => [primaryKey({ columns: [t.name, t.labels] })],
);

/** A single row: when Postgres was last swept, so that a worker notices that nobody sweeps. */
export const sweeps = pgTable('sweeps', {
  singleton: boolean('singleton').primaryKey().default(true),
  lastAt: instant('last_at').notNull(),
});
