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
  uuid,
} from 'drizzle-orm/pg-core';
import { carillon, id, instant, NOW } from './columns.js';

/**
 * The status of a schedule. `paused`: by a person, or by the engine because of errors. A finished schedule has no
 * status of its own: it is active and has no row in `agenda`.
 */
export const scheduleStatus = carillon.enum('schedule_status', ['active', 'paused', 'cancelled']);

/** One definition of a schedule: the rule, the target and the policies. */
const definitionColumns = () => ({
  name: text('name'),
  tags: text('tags').array().notNull().default([]),
  targetType: text('target_type').notNull(),
  /** The rule as the client gave it. */
  rule: json('rule').notNull(),
  /**
   * Canonical JSON of everything that decides when the schedule fires. Schedules with equal texts share one parsed form
   * in the cache of a process.
   */
  timing: text('timing').notNull(),
  /** Canonical JSON of the target and the policies. */
  plan: text('plan').notNull(),
  /** The type `json` keeps the client's text as it was; `jsonb` would not. */
  payload: json('payload'),
  definedAt: instant('defined_at').notNull().default(sql`statement_timestamp()`),
  definedBy: text('defined_by').notNull(),
});

/**
 * One row per schedule: identity, status, pause, and the current definition. A fire changes `agenda` and normally
 * leaves this row unchanged, so the table can afford the indexes that lists and searches need. No index mentions the
 * status or the pause, so that a change of either rewrites no index entry (a HOT update). Paused and cancelled
 * schedules are found in the table `stopped_schedules` instead.
 */
export const schedules = carillon.table(
  'schedules',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    projectId: id('project_id').notNull(),
    /** The id that clients see. A client chooses it, or the server generates it. */
    key: text('key').notNull(),
    status: scheduleStatus('status').notNull().default('active'),
    /** Increases with each edit, pause and resume and with the cancel. Fires do not change it. */
    version: integer('version').notNull().default(1),
    /**
     * The `version` that the schedule got with its current definition. Runs store it, to name the definition that they
     * execute.
     */
    definitionVersion: integer('definition_version').notNull().default(1),
    ...definitionColumns(),
    /**
     * True if the open runs of the schedule must be counted before another run may start (overlap, concurrency,
     * dependencies).
     */
    isCounted: boolean('is_counted').notNull().default(false),
    /**
     * Hash of the request that created the schedule. A second create with the same id is a repeat if it has the same
     * hash; otherwise it is a conflict.
     */
    requestHash: text('request_hash'),
    /**
     * Hash of the definition that code declared last (`defineSchedule`). It shows whether the code has changed since.
     */
    declaredHash: text('declared_hash'),
    /** The W3C `traceparent` of the span that created the schedule; null unless traces are recorded. */
    createdTrace: text('created_trace'),
    /**
     * Totals of a schedule that has left the agenda. Until then, its agenda row holds them. All three are null for a
     * schedule that fired exactly once and finished: they can be computed from its single run, so the claim of that run
     * need not write them here.
     */
    runsTotal: integer('runs_total'),
    lastRunAt: instant('last_run_at'),
    lastClaimedAt: instant('last_claimed_at'),
    pausedAt: instant('paused_at'),
    pausedUntil: instant('paused_until'),
    pausedBy: text('paused_by'),
    pauseNote: text('pause_note'),
    createdAt: instant('created_at').notNull().default(sql`statement_timestamp()`),
    updatedAt: instant('updated_at').notNull().default(sql`statement_timestamp()`),
  },
  (t) => [
    uniqueIndex('schedules_key').on(t.projectId, t.key),
    index('schedules_project').on(t.projectId, t.id),
    index('schedules_target').on(t.projectId, t.targetType, t.id),
    index('schedules_tags').using('gin', t.tags),
    // When a calendar changes, finds the few schedules that use calendars.
    index('schedules_calendars').on(t.projectId).where(sql`timing like '%"calendars":%'`),
    check('schedules_pause', sql`(status = 'paused') = (paused_at is not null)`),
    check(
      'schedules_pause_detail',
      sql`status = 'paused' or (paused_until is null and paused_by is null and pause_note is null)`,
    ),
    check('schedules_versions', sql`definition_version between 1 and version`),
  ],
);

/**
 * One row per schedule that is paused or cancelled, so that these schedules can be found. An SQL trigger on updates of
 * `schedules` keeps this table up to date.
 */
export const stoppedSchedules = carillon.table(
  'stopped_schedules',
  {
    scheduleId: id('schedule_id').primaryKey(),
    projectId: id('project_id').notNull(),
    status: scheduleStatus('status').notNull(),
    pausedUntil: instant('paused_until'),
    /** When the engine paused the schedule; null if a person paused it. */
    pausedByEngineAt: instant('paused_by_engine_at'),
  },
  (t) => [
    index('stopped_schedules_status').on(t.projectId, t.status, t.scheduleId),
    index('stopped_schedules_until').on(t.pausedUntil).where(sql`paused_until is not null`),
    // Finds the few schedules that the engine has paused, among any number of schedules that people have paused.
    index('stopped_schedules_by_engine')
      .on(t.projectId, t.pausedByEngineAt)
      .where(sql`paused_by_engine_at is not null`),
    check('stopped_schedules_not_active', sql`status <> 'active'`),
  ],
);

/**
 * The agenda: one narrow row per schedule that has a next occurrence. Claims read, lock and change this table. A claim
 * moves the row on to the following occurrence. After the last occurrence, the row is deleted.
 */
export const agenda = carillon.table(
  'agenda',
  {
    scheduleId: id('schedule_id').primaryKey(),
    projectId: id('project_id').notNull(),
    /** Equal to the schedule's version. Every edit, pause and resume changes both rows in one transaction. */
    version: integer('version').notNull().default(1),
    /**
     * The next occurrence, as the rule gives it. It identifies the next run, and stays the same if the run is
     * rescheduled.
     */
    occurrenceAt: instant('occurrence_at').notNull(),
    /** When the run is due: at the occurrence, plus jitter, or at the time to which the occurrence was rescheduled. */
    dueAt: instant('due_at').notNull(),
    /** The name of the handler, if the target is one. Only workers that have the handler claim the row. */
    handler: text('handler'),
    /** True while the schedule is paused: claims skip the row. */
    isHeld: boolean('is_held').notNull().default(false),
    runsTotal: integer('runs_total').notNull().default(0),
    lastRunAt: instant('last_run_at'),
    lastClaimedAt: instant('last_claimed_at'),
  },
  (t) => [
    index('agenda_due').on(t.dueAt, t.scheduleId).where(sql`not is_held`),
    index('agenda_due_by_project').on(t.projectId, t.dueAt, t.scheduleId).where(sql`not is_held`),
  ],
);

/**
 * Definitions that an edit has replaced. A run keeps the definition with which it began. So retries read the definition
 * here, and the ledger (the list of occurrences with their outcomes) explains old runs by it.
 */
export const scheduleVersions = carillon.table(
  'schedule_versions',
  {
    scheduleId: id('schedule_id').notNull(),
    version: integer('version').notNull(),
    projectId: id('project_id').notNull(),
    ...definitionColumns(),
    supersededAt: instant('superseded_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.scheduleId, t.version] }),
    index('schedule_versions_age').on(t.supersededAt),
  ],
);

/**
 * A stretch of occurrences that did not run, all for the same reason. It is recorded as one row, because a run for each
 * would be too many rows.
 */
export const gaps = carillon.table(
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
    createdAt: instant('created_at').notNull().default(NOW),
  },
  (t) => [
    index('gaps_schedule').on(t.scheduleId, t.fromAt),
    index('gaps_age').on(t.createdAt),
    check('gaps_order', sql`from_at <= to_at and count > 0`),
  ],
);

/**
 * A bulk action: what was asked for, and how many schedules are done. The API process that works on it updates the row.
 */
export const bulkActions = carillon.table(
  'bulk_actions',
  {
    id: uuid('id').primaryKey().default(sql`gen_random_uuid()`),
    projectId: id('project_id').notNull(),
    action: text('action').notNull(),
    actor: text('actor').notNull(),
    /**
     * The Idempotency-Key of the request. With it and the hash of the request, a repeated request finds this action.
     */
    requestKey: text('request_key'),
    requestHash: text('request_hash'),
    /** How many schedules matched when the action began; null if they were not counted. */
    total: integer('total'),
    matched: integer('matched').notNull().default(0),
    changed: integer('changed').notNull().default(0),
    refused: integer('refused').notNull().default(0),
    /** The first hundred refusals, as `[{ id, reason }]`. */
    refusals: json('refusals').notNull().default([]),
    /**
     * The last schedule that the action has looked at. If the API process that worked on the action is lost, another
     * one continues after this schedule.
     */
    lastId: id('last_id'),
    startedAt: instant('started_at').notNull().default(NOW),
    /**
     * When the API process that works on the action last updated the row. If an update is overdue, the process was
     * lost.
     */
    reportedAt: instant('reported_at').notNull().default(NOW),
    finishedAt: instant('finished_at'),
    error: text('error'),
  },
  (t) => [
    index('bulk_actions_project').on(t.projectId, t.startedAt),
    index('bulk_actions_age').on(t.startedAt),
    uniqueIndex('bulk_actions_request').on(t.projectId, t.requestKey).where(sql`request_key is not null`),
  ],
);

/**
 * The expected fires of a large project (at least 1,000 active schedules). A worker computes them every minute, and all
 * API processes read them.
 */
export const forecasts = carillon.table('forecasts', {
  projectId: id('project_id').primaryKey(),
  computedAt: instant('computed_at').notNull(),
  /** Expected fires per minute. The first minute is the one of `computedAt`. */
  fires: integer('fires').array().notNull(),
  /** False if there were too many schedules or occurrences to count them all. */
  isComplete: boolean('is_complete').notNull(),
  /** JSON: the recurring schedules, grouped by their rule and next occurrence, the largest group first. */
  groups: text('groups').notNull(),
  hasAllGroups: boolean('has_all_groups').notNull(),
});
