import { sql } from 'drizzle-orm';
import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.js';

/** Named dates on which nothing fires. The timing of a schedule that names one carries its dates along. */
export const calendars = pgTable(
  'calendars',
  {
    projectId: id('project_id').notNull(),
    name: text('name').notNull(),
    dates: text('dates').array().notNull(),
    updatedAt: instant('updated_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.name] })],
);
