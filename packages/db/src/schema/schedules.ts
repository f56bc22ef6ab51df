import { sql } from 'drizzle-orm';
import {
  bigserial,
  boolean,
  index,
  integer,
  json,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { id, instant } from './columns.js';

export const scheduleStatus = pgEnum('schedule_status', ['active', 'paused', 'finished', 'cancelled']);

/**
 * The hot half of a schedule: everything that a fire changes or re-verifies, and nothing else. A fire
 * rewrites this row and, because `next_run_at` is indexed, an entry in each index of this table; so the
 * definition and the columns that people search by live in `schedule_versions`, which no fire touches.
 *
 * One that fires once, and that nobody changed, has no row any more when it has fired: its definition and
 * its run tell all that the row would (docs/decisions/fired-and-gone.md). All schedules are in the view `every_schedule`.
 */
export const schedules = pgTable(
  'schedules',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    /** The id that the outside knows, chosen by the client or made by us. */
    key: text('key').notNull(),
    status: scheduleStatus('status').notNull().default('active'),
    /** Counts edits of the definition, pauses, resumes and a cancel; never fires. */
    version: integer('version').notNull().default(1),
    /** The version at which the definition that holds was made: the row of `schedule_versions`. */
    definitionVersion: integer('definition_version').notNull().default(1),
    /** The instant that the rule named: with the schedule, the identity of the next run. */
    occurrenceAt: instant('occurrence_at'),
    /** When that occurrence is due: itself, plus jitter, or wherever a reschedule put it. */
    nextRunAt: instant('next_run_at'),
    /** Whether a claim must look at the schedule's open runs first (overlap, limits, dependencies). */
    counted: boolean('counted').notNull().default(false),
    /**
     * Up to here an occurrence may have its run already: it was skipped or brought forward, and an edit named that instant again.
     * Nearly always null, for a rule by itself never goes back.
     */
    accountedUntil: instant('accounted_until'),
    runsTotal: integer('runs_total').notNull().default(0),
    lastRunAt: instant('last_run_at'),
    lastEnqueuedAt: instant('last_enqueued_at'),
    pausedAt: instant('paused_at'),
    pausedUntil: instant('paused_until'),
    pausedBy: text('paused_by'),
    pauseNote: text('pause_note'),
    createdAt: instant('created_at').notNull().default(sql`statement_timestamp()`),
    /** The same instant as `created_at` until somebody changes the schedule; a fire does not. */
    updatedAt: instant('updated_at').notNull().default(sql`statement_timestamp()`),
  },
  (t) => [
    uniqueIndex('schedules_key').on(t.projectId, t.key),
    index('schedules_due').on(t.nextRunAt, t.id).where(sql`status = 'active'`),
    index('schedules_due_by_project').on(t.projectId, t.nextRunAt, t.id).where(sql`status = 'active'`),
    // For lists by these two, which no fire brings about; what is `finished` is looked for without.
    index('schedules_stopped').on(t.projectId, t.id).where(sql`status in ('paused', 'cancelled')`),
    index('schedules_paused_until').on(t.pausedUntil).where(sql`paused_until is not null`),
  ],
);

/**
 * Each definition that ever held, so that history can be explained and a retry can keep the definition
 * of its run. The one that holds has no `superseded_at`.
 */
export const scheduleVersions = pgTable(
  'schedule_versions',
  {
    scheduleId: id('schedule_id').notNull(),
    version: integer('version').notNull(),
    projectId: id('project_id').notNull(),
    key: text('key').notNull(),
    name: text('name'),
    tags: text('tags').array().notNull().default([]),
    targetType: text('target_type').notNull(),
    /** The rule as the client gave it. */
    rule: json('rule').notNull(),
    /** Canonical JSON of what decides when: the memo key of `nextOccurrence`. */
    timing: text('timing').notNull(),
    /** Canonical JSON of what to do and by which policies. */
    plan: text('plan').notNull(),
    /** Passed on as it was written here: `json` keeps the text, `jsonb` would not. */
    payload: json('payload'),
    createdAt: instant('created_at').notNull().default(sql`statement_timestamp()`),
    createdBy: text('created_by').notNull(),
    /** Of the request that made it, to tell a repeated create from a conflicting one. */
    requestHash: text('request_hash'),
    supersededAt: instant('superseded_at'),
  },
  (t) => [
    primaryKey({ columns: [t.scheduleId, t.version] }),
    // What makes an id of the outside name one schedule for ever.
    uniqueIndex('schedule_versions_key').on(t.projectId, t.key).where(sql`superseded_at is null`),
    index('schedule_versions_project').on(t.projectId, t.scheduleId).where(sql`superseded_at is null`),
    index('schedule_versions_tags').using('gin', t.tags).where(sql`superseded_at is null`),
    // The few that name a calendar: what they must be timed by changes without them.
    index('schedule_versions_calendars')
      .on(t.projectId)
      .where(sql`superseded_at is null and timing like '%"calendars":%'`),
    index('schedule_versions_target')
      .on(t.projectId, t.targetType, t.scheduleId)
      .where(sql`superseded_at is null`),
  ],
);

/** A stretch of occurrences that all went the same way, too long to be a run each. */
export const gaps = pgTable(
  'gaps',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    scheduleId: id('schedule_id').notNull(),
    version: integer('version').notNull(),
    fromAt: instant('from_at').notNull(),
    toAt: instant('to_at').notNull(),
    count: integer('count').notNull(),
    reasonCode: text('reason_code').notNull(),
    reason: text('reason').notNull(),
    createdAt: instant('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('gaps_schedule').on(t.scheduleId, t.fromAt)],
);
