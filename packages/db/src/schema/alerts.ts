import { sql } from 'drizzle-orm';
import {
  bigserial,
  boolean,
  check,
  index,
  integer,
  json,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytea, carillon, id, instant, NOW } from './columns.js';

/**
 * When to check the service level objectives (`slo`) of schedules: one row per schedule with objectives. An SQL trigger
 * on `schedules` writes the row, so schedules without objectives cost nothing.
 */
export const sloWatches = carillon.table(
  'slo_watches',
  {
    scheduleId: id('schedule_id').primaryKey(),
    projectId: id('project_id').notNull(),
    /** Occurrences up to this instant need not be checked again. */
    judgedUntil: instant('judged_until').notNull(),
    /**
     * When the objectives are checked next: the earliest time at which the schedule can miss one. `infinity` while
     * nothing is to be checked.
     */
    checkAt: instant('check_at').notNull(),
    /**
     * True while an alert of the schedule is open. Each end of a run may then be the recovery, so the objectives are
     * checked whenever a run ends.
     */
    hasOpenAlert: boolean('has_open_alert').notNull().default(false),
  },
  (t) => [index('slo_watches_check').on(t.checkAt)],
);

/**
 * One row per breach: a time in which a schedule misses one of its objectives. The row is kept for a while after the
 * recovery.
 */
export const alerts = carillon.table(
  'alerts',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    /**
     * An id that the messages about a breach and about its recovery share, so that a receiver can match the two. Unique
     * across installations.
     */
    dedupId: uuid('dedup_id').notNull().default(sql`gen_random_uuid()`),
    projectId: id('project_id').notNull(),
    scheduleId: id('schedule_id').notNull(),
    /** The schedule's key and name. They are copied, because the schedule may be removed before the alert. */
    scheduleKey: text('schedule_key').notNull(),
    scheduleName: text('schedule_name'),
    kind: text('kind').notNull(),
    /**
     * The occurrence with which the breach began. For each kind, at most one breach begins with the same occurrence.
     */
    occurrenceAt: instant('occurrence_at').notNull(),
    sentence: text('sentence').notNull(),
    openedAt: instant('opened_at').notNull(),
    resolvedAt: instant('resolved_at'),
    resolution: text('resolution'),
    /**
     * When the breach was recorded. `resolutionNotedAt` says when its recovery was recorded. A message is not sent at
     * once but some seconds after these times, so that one message can list several alerts of the project.
     */
    notedAt: instant('noted_at').notNull(),
    resolutionNotedAt: instant('resolution_noted_at'),
    /** True until the breach is reported to the channels, or it is decided never to report it. */
    isOpeningUntold: boolean('is_opening_untold').notNull().default(true),
    isResolutionUntold: boolean('is_resolution_untold').notNull().default(false),
    /** True if a maintenance window kept the breach from being reported. */
    isSilenced: boolean('is_silenced').notNull().default(false),
  },
  (t) => [
    uniqueIndex('alerts_breach').on(t.scheduleId, t.kind, t.occurrenceAt),
    uniqueIndex('alerts_open').on(t.scheduleId, t.kind).where(sql`resolved_at is null`),
    index('alerts_project').on(t.projectId, t.id),
    index('alerts_open_of_project').on(t.projectId, t.id).where(sql`resolved_at is null`),
    index('alerts_untold').on(t.projectId).where(sql`is_opening_untold or is_resolution_untold`),
    index('alerts_age').on(t.resolvedAt).where(sql`resolved_at is not null`),
    check('alerts_kind', sql`kind in ('start', 'end', 'duration', 'success_rate')`),
    check('alerts_resolution', sql`(resolved_at is null) = (resolution is null)`),
  ],
);

/** The channels (webhook, Slack, e-mail or PagerDuty) to which the alerts of a project are sent. */
export const alertChannels = carillon.table(
  'alert_channels',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    key: text('key').notNull(),
    type: text('type').notNull(),
    isEnabled: boolean('is_enabled').notNull().default(true),
    /** The settings that may be shown. */
    settings: json('settings').notNull(),
    /** The secret settings, as JSON encrypted by `SecretBox`; null if the channel has none. */
    sealed: bytea('sealed'),
    createdAt: instant('created_at').notNull().default(NOW),
    updatedAt: instant('updated_at').notNull().default(NOW),
  },
  (t) => [
    uniqueIndex('alert_channels_key').on(t.projectId, t.key),
    check('alert_channels_type', sql`type in ('webhook', 'slack', 'email', 'pagerduty')`),
  ],
);

/** Messages to alert channels. A message that was sent stays as a record until retention deletes it. */
export const alertMessages = carillon.table(
  'alert_messages',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    /** An id by which receivers recognise a message that was sent twice. */
    dedupId: uuid('dedup_id').notNull().default(sql`gen_random_uuid()`),
    projectId: id('project_id').notNull(),
    channelId: id('channel_id').notNull(),
    /** The alerts that the message reports, as they were when it was composed. */
    content: json('content').notNull(),
    createdAt: instant('created_at').notNull(),
    tries: integer('tries').notNull().default(0),
    /** When to send the message next; null once it was sent or given up. */
    nextTryAt: instant('next_try_at'),
    sentAt: instant('sent_at'),
    error: text('error'),
  },
  (t) => [
    index('alert_messages_next_try').on(t.nextTryAt).where(sql`next_try_at is not null`),
    // Messages to one channel are sent in order, so that a recovery is never reported before its breach.
    index('alert_messages_pending').on(t.channelId, t.id).where(sql`next_try_at is not null`),
    index('alert_messages_channel').on(t.channelId, t.id),
    index('alert_messages_age').on(t.createdAt),
    check('alert_messages_state', sql`sent_at is null or next_try_at is null`),
  ],
);

/** Maintenance windows: periods in which breaches of objectives are recorded but not reported to channels. */
export const maintenanceWindows = carillon.table(
  'maintenance_windows',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    /** The key of the schedule that the window is for; null for the whole project. */
    scheduleKey: text('schedule_key'),
    startsAt: instant('starts_at').notNull(),
    endsAt: instant('ends_at').notNull(),
    note: text('note'),
    createdAt: instant('created_at').notNull().default(NOW),
    createdBy: text('created_by').notNull(),
  },
  (t) => [
    index('maintenance_windows_project').on(t.projectId, t.endsAt),
    index('maintenance_windows_age').on(t.endsAt),
    check('maintenance_windows_order', sql`starts_at < ends_at`),
  ],
);

/**
 * For each schedule, the number (`generation`) of its valid ping token, by which a job reports about its runs. Each
 * rotation of the token increases the number. A schedule without a row still has its first token.
 */
export const pingTokens = carillon.table('ping_tokens', {
  scheduleId: id('schedule_id').primaryKey(),
  projectId: id('project_id').notNull(),
  generation: integer('generation').notNull(),
});

/** Pings: requests by which jobs that run elsewhere report their start, success or failure, or send a text (`log`). */
export const pings = carillon.table(
  'pings',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    scheduleId: id('schedule_id').notNull(),
    kind: text('kind').notNull(),
    at: instant('at').notNull(),
    /** The first 10 KB of the body, as text. */
    body: text('body'),
    /**
     * The occurrence that the ping belongs to. For a heartbeat schedule, it is null until an occurrence takes the ping
     * as its success or failure.
     */
    occurrenceAt: instant('occurrence_at'),
  },
  (t) => [
    index('pings_schedule').on(t.scheduleId, t.at),
    index('pings_age').on(t.at),
    check('pings_kind', sql`kind in ('start', 'success', 'fail', 'log')`),
  ],
);
