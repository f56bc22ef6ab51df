import { RUN_ORIGINS, RUN_STATUSES } from '@carillon/shared';
import { sql } from 'drizzle-orm';
import { check, date, index, integer, json, primaryKey, smallint, text } from 'drizzle-orm/pg-core';
import { carillon, id, instant } from './columns.js';

export const runStatus = carillon.enum('run_status', RUN_STATUSES);
export const runOrigin = carillon.enum('run_origin', RUN_ORIGINS);
export const attemptOutcome = carillon.enum('attempt_outcome', [
  'succeeded',
  'failed',
  'unknown',
  'cancelled',
  'handed_back',
]);

/** The columns of one attempt. `runs` holds the latest attempt of a run, `attempts` the earlier ones. */
const attemptColumns = () => ({
  epoch: id('epoch'),
  workerId: id('worker_id'),
  claimedAt: instant('claimed_at'),
  finishedAt: instant('finished_at'),
  outcome: attemptOutcome('outcome'),
  httpStatus: smallint('http_status'),
  durationMs: integer('duration_ms'),
  errorCode: text('error_code'),
  error: text('error'),
  response: text('response'),
  externalId: text('external_id'),
});

const runKeyColumns = () => ({
  scheduleId: id('schedule_id').notNull(),
  occurrenceAt: instant('occurrence_at').notNull(),
  origin: runOrigin('origin').notNull(),
  /**
   * The first day of a month in UTC, which selects the partition. It is the month in which the row was written, so it
   * is never in the future.
   */
  month: date('month').notNull(),
});

/**
 * One row per run, in every state, until retention deletes it. The row holds the latest attempt of the run.
 *
 * The table is partitioned by `month`. Drizzle can't express that, so the SQL of the migration does. To find a run by
 * (schedule_id, occurrence_at, origin), Postgres needs one short index lookup per partition. The worker that closes a
 * run also knows its month, and so its partition.
 *
 * Closing a run that succeeds quickly must stay a HOT update, which rewrites no index entry. Therefore no index
 * mentions `status`, not even in its predicate. Instead, indexes use columns that are set in some states only
 * (`next_attempt_at`, `failed_at`). CHECK constraints keep these columns consistent with the status.
 */
export const runs = carillon.table(
  'runs',
  {
    ...runKeyColumns(),
    projectId: id('project_id').notNull(),
    /** The version of the definition that the run executes. Its retries keep this version. */
    version: integer('version').notNull(),
    /** The name of the handler, if the target is one. Only workers that have the handler claim the run. */
    handler: text('handler'),
    status: runStatus('status').notNull(),
    dueAt: instant('due_at').notNull(),
    /** When the row was written: claimed, queued or skipped. */
    recordedAt: instant('recorded_at').notNull(),
    /**
     * When the run last changed. A success within two seconds does not set it, so that closing the run stays a HOT
     * update.
     */
    happenedAt: instant('happened_at').notNull(),
    attempt: integer('attempt').notNull().default(0),
    /**
     * Number of attempts that do not count against the maximum, because a stopping worker handed them back, because
     * they never began, or because they were made before a replay.
     */
    freeAttempts: integer('free_attempts').notNull().default(0),
    replays: integer('replays').notNull().default(0),
    /** The time from when the run was due to the first byte of the first attempt. */
    latenessMs: id('lateness_ms'),
    /** When a `queued` or `retrying` run may start. `infinity` while a pause holds it or it waits for its turn. */
    nextAttemptAt: instant('next_attempt_at'),
    failedAt: instant('failed_at'),
    progress: json('progress'),
    reasonCode: text('reason_code'),
    reason: text('reason'),
    ...attemptColumns(),
    /**
     * The ids of the audit log entries about the bulk replays of this run. From these entries, the ledger (the list of
     * a schedule's occurrences with their outcomes) says who replayed the run. Null, which takes no space, without a
     * bulk replay.
     */
    bulkReplays: id('bulk_replays').array(),
  },
  (t) => [
    primaryKey({ columns: [t.scheduleId, t.occurrenceAt, t.origin, t.month] }),
    index('runs_project').on(t.projectId, t.happenedAt),
    // Finds the runs of a lease: to rescue them, to list the runs in flight, and for the event stream.
    index('runs_lease').on(t.epoch, t.scheduleId).where(sql`epoch is not null`),
    index('runs_waiting').on(t.nextAttemptAt).where(sql`next_attempt_at is not null`),
    // Finds the waiting runs of one project. A claim needs this if several projects share its batch.
    index('runs_waiting_of_project').on(t.projectId, t.nextAttemptAt).where(sql`next_attempt_at is not null`),
    index('runs_waiting_of_schedule').on(t.scheduleId).where(sql`next_attempt_at is not null`),
    index('runs_failed').on(t.projectId, t.failedAt).where(sql`failed_at is not null`),
    check(
      'runs_state',
      sql`case status
        when 'running' then epoch is not null and attempt > 0 and finished_at is null and outcome is null
          and next_attempt_at is null and failed_at is null
        when 'succeeded' then finished_at is not null and next_attempt_at is null and failed_at is null
        when 'queued' then next_attempt_at is not null and failed_at is null
        when 'retrying' then next_attempt_at is not null and failed_at is null
        when 'failed' then finished_at is not null and next_attempt_at is null and failed_at is not null
        when 'cancelled' then finished_at is not null and next_attempt_at is null and failed_at is null
        when 'skipped' then finished_at is not null and next_attempt_at is null and failed_at is null
          and attempt = 0 and reason_code is not null
      end`,
    ),
  ],
);

/**
 * All attempts of runs except the latest one, which the row in `runs` holds. Partitioned by the month in which the row
 * of the attempt was written, which may be later than the month of the run.
 */
export const attempts = carillon.table(
  'attempts',
  {
    ...runKeyColumns(),
    number: integer('number').notNull(),
    ...attemptColumns(),
  },
  (t) => [primaryKey({ columns: [t.scheduleId, t.occurrenceAt, t.origin, t.number, t.month] })],
);

/**
 * Records why and for how long runs waited although a worker had claimed them, for example because of an open circuit,
 * a limit, or a missing handler. All deferrals of one run before the same attempt and for the same reason share one
 * row, so the number of rows is bounded.
 */
export const deferrals = carillon.table(
  'deferrals',
  {
    scheduleId: id('schedule_id').notNull(),
    occurrenceAt: instant('occurrence_at').notNull(),
    origin: runOrigin('origin').notNull(),
    /** The number of the attempt that could not begin. */
    attempt: integer('attempt').notNull(),
    reasonCode: text('reason_code').notNull(),
    projectId: id('project_id').notNull(),
    reason: text('reason').notNull(),
    /**
     * The claim that led to the first of these deferrals. `untilAt` is the time to which the last deferral put the run
     * off.
     */
    fromAt: instant('from_at').notNull(),
    untilAt: instant('until_at').notNull(),
    count: integer('count').notNull().default(1),
  },
  (t) => [
    primaryKey({
      name: 'deferrals_pk',
      columns: [t.scheduleId, t.occurrenceAt, t.origin, t.attempt, t.reasonCode],
    }),
    index('deferrals_age').on(t.fromAt),
  ],
);

/**
 * How many runs of a project ended in each minute, by outcome, and how late they began. The sweep computes the rows
 * from `runs`. A run in progress counts as open in the minute of its claim. A success that took less than two seconds
 * counts in the minute of the claim too, even if the run ended in the next minute. So a row with open runs is computed
 * again until no run is open.
 */
export const runStats = carillon.table(
  'run_stats',
  {
    projectId: id('project_id').notNull(),
    minute: instant('minute').notNull(),
    succeeded: integer('succeeded').notNull(),
    failed: integer('failed').notNull(),
    skipped: integer('skipped').notNull(),
    cancelled: integer('cancelled').notNull(),
    /**
     * Runs that were in progress when the row was last computed, and whose latest attempt was claimed in this minute.
     */
    open: integer('open').notNull(),
    /**
     * Number of runs per bucket of lateness. `LATENESS_BOUNDS_MS` holds the upper bounds of all buckets but the last,
     * which has none.
     */
    lateness: integer('lateness').array().notNull(),
    computedAt: instant('computed_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.minute] }),
    index('run_stats_minute').on(t.minute),
    index('run_stats_open').on(t.computedAt).where(sql`open > 0`),
  ],
);
