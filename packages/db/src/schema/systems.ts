import { sql } from 'drizzle-orm';
import {
  bigserial,
  check,
  date,
  index,
  integer,
  json,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { carillon, id, instant, NOW } from './columns.js';

const createdAt = () => instant('created_at').notNull().default(NOW);
const updatedAt = () => instant('updated_at').notNull().default(NOW);

/** People whose birthdays and anniversaries are celebrated. The events themselves are in `user_events`. */
export const users = carillon.table(
  'users',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    key: text('key').notNull(),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    dateOfBirth: date('date_of_birth').notNull(),
    timezone: text('timezone').notNull(),
    /** The target of the messages about the user's events; null for the project's default target. */
    target: json('target'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [uniqueIndex('users_key').on(t.projectId, t.key), index('users_project').on(t.projectId, t.id)],
);

/** A yearly event of a user, such as the birthday, and the schedule that fires it. */
export const userEvents = carillon.table(
  'user_events',
  {
    userId: id('user_id').notNull(),
    name: text('name').notNull(),
    projectId: id('project_id').notNull(),
    date: date('date').notNull(),
    localTime: text('local_time').notNull(),
    leapDay: text('leap_day').notNull(),
    /** The text of the message; null for the standard text. */
    message: text('message'),
    scheduleKey: text('schedule_key').notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.name] })],
);

/**
 * Changes of users that the schedules of their birthdays and other yearly events must follow. A row is written in the
 * transaction of the change. After the commit, a worker locks the row and adapts the schedules. If this fails, it is
 * tried again until it succeeds.
 */
export const domainEvents = carillon.table(
  'domain_events',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    type: text('type').notNull(),
    /** The id of the user. */
    subject: text('subject').notNull(),
    /** The old and new values of the change. */
    detail: json('detail').notNull(),
    createdAt: createdAt(),
    tries: integer('tries').notNull().default(0),
    /** Null once the event is handled. */
    nextTryAt: instant('next_try_at').default(NOW),
    lastError: text('last_error'),
    handledAt: instant('handled_at'),
    report: json('report'),
  },
  (t) => [
    index('domain_events_next_try').on(t.nextTryAt).where(sql`next_try_at is not null`),
    index('domain_events_handled').on(t.handledAt).where(sql`handled_at is not null`),
  ],
);

export const tasks = carillon.table(
  'tasks',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    key: text('key').notNull(),
    title: text('title').notNull(),
    dueAt: instant('due_at').notNull(),
    /** The target of the reminder; null for the project's default target. */
    target: json('target'),
    reminderSentAt: instant('reminder_sent_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (t) => [
    uniqueIndex('tasks_key').on(t.projectId, t.key),
    index('tasks_project').on(t.projectId, t.id),
    index('tasks_due').on(t.dueAt),
    index('tasks_reminder_sent').on(t.reminderSentAt),
  ],
);

/** Templates: named rules of a project. The templates that every project has are not here but in the code. */
export const templates = carillon.table(
  'templates',
  {
    projectId: id('project_id').notNull(),
    key: text('key').notNull(),
    description: text('description').notNull(),
    rule: json('rule').notNull(),
    timezone: text('timezone'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.key] })],
);

/**
 * Calendars: named dates and weekdays on which nothing fires. A schedule that uses a calendar carries a copy of its
 * dates in `timing`.
 */
export const calendars = carillon.table(
  'calendars',
  {
    projectId: id('project_id').notNull(),
    name: text('name').notNull(),
    /** Dates, ranges of dates, and codes of weekdays (`SA`). */
    dates: text('dates').array().notNull(),
    updatedAt: instant('updated_at').notNull().default(NOW),
    /** Null while some schedules may still carry an older copy of the dates. */
    retimedAt: instant('retimed_at'),
    /** The URL of the .ics file from which the dates come; null if they were given in a request. */
    sourceUrl: text('source_url'),
    refreshSeconds: integer('refresh_seconds'),
    refreshedAt: instant('refreshed_at'),
    /** When the .ics file is fetched next; null without a file. */
    refreshDueAt: instant('refresh_due_at'),
    refreshError: text('refresh_error'),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.name] }),
    index('calendars_refresh_due').on(t.refreshDueAt).where(sql`refresh_due_at is not null`),
    check('calendars_source', sql`(source_url is null) = (refresh_seconds is null)`),
  ],
);
