import { sql } from 'drizzle-orm';
import {
  bigserial,
  date,
  index,
  json,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { id, instant } from './columns.js';

const made = () => instant('created_at').notNull().default(sql`clock_timestamp()`);
const changed = () => instant('updated_at').notNull().default(sql`clock_timestamp()`);

/** People whose days are celebrated. What is celebrated when lies in `user_events`. */
export const users = pgTable(
  'users',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    key: text('key').notNull(),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    dateOfBirth: date('date_of_birth').notNull(),
    timezone: text('timezone').notNull(),
    /** Null for the project's own. */
    target: json('target'),
    createdAt: made(),
    updatedAt: changed(),
  },
  (t) => [uniqueIndex('users_key').on(t.projectId, t.key), index('users_project').on(t.projectId, t.id)],
);

/** A yearly event of a user, its birthday among them, and the schedule that brings it about. */
export const userEvents = pgTable(
  'user_events',
  {
    userId: id('user_id').notNull(),
    name: text('name').notNull(),
    projectId: id('project_id').notNull(),
    date: date('date').notNull(),
    localTime: text('local_time').notNull(),
    leapDay: text('leap_day').notNull(),
    /** Null for the usual one. */
    message: text('message'),
    scheduleKey: text('schedule_key').notNull(),
    createdAt: made(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.name] })],
);

/**
 * What has happened to a user and others have to follow up on: written in the transaction of the change, handled after it
 * by whichever worker locks the row, tried again until it is.
 */
export const domainEvents = pgTable(
  'domain_events',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    type: text('type').notNull(),
    /** The id of the user. */
    subject: text('subject').notNull(),
    /** Old and new values. */
    detail: json('detail').notNull(),
    createdAt: made(),
    tries: smallint('tries').notNull().default(0),
    /** Null once it is handled. */
    nextTryAt: instant('next_try_at').default(sql`clock_timestamp()`),
    lastError: text('last_error'),
    handledAt: instant('handled_at'),
    report: json('report'),
  },
  (t) => [
    index('domain_events_next_try').on(t.nextTryAt).where(sql`next_try_at is not null`),
    index('domain_events_handled').on(t.handledAt).where(sql`handled_at is not null`),
  ],
);

export const tasks = pgTable(
  'tasks',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    key: text('key').notNull(),
    title: text('title').notNull(),
    dueAt: instant('due_at').notNull(),
    /** Null for the project's own. */
    target: json('target'),
    reminderSentAt: instant('reminder_sent_at'),
    createdAt: made(),
    updatedAt: changed(),
  },
  (t) => [
    uniqueIndex('tasks_key').on(t.projectId, t.key),
    index('tasks_project').on(t.projectId, t.id),
    index('tasks_due').on(t.dueAt),
    index('tasks_reminder_sent').on(t.reminderSentAt),
  ],
);

/** Rules that a project has given a name to. Those that every project has are in the code. */
export const templates = pgTable(
  'templates',
  {
    projectId: id('project_id').notNull(),
    key: text('key').notNull(),
    description: text('description').notNull(),
    rule: json('rule').notNull(),
    timezone: text('timezone'),
    createdAt: made(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.key] })],
);
