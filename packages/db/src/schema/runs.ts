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
  /** The partition: the first day of the month, in UTC, in which the row was written. It never lies in the future. */
  month: date('month').notNull(),
});

/**
 * One row per run, whatever its state, until retention drops it. The row holds the latest attempt of the run.
 *
 * The table is partitioned by `month` (drizzle can't express that, so the SQL of the migration does). A run is found by
 * (schedule_id, occurrence_at, origin) in one short index lookup per partition; the worker that closes a run knows its
 * month as well.
 *
 * Closing a run that succeeds at once must stay a HOT update, which rewrites no index entry. Therefore no index
 * mentions `status`, not even in its predicate. Instead, indexes use columns that are null in all other states
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
     * When the run last changed. A success within two seconds does not change it, so that the close stays a HOT update.
     */
    happenedAt: instant('happened_at').notNull(),
    attempt: integer('attempt').notNull().default(0),
    /** Attempts that do not count against the limit: handed back by a stopping worker, or made before a replay. */
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
     * The audit entries of the bulk replays that took this run. The ledger reads the author from them. A run that was
     * never replayed has null, which takes no space.
     */
    bulkReplays: id('bulk_replays').array(),
  },
  (t) => [
    primaryKey({ columns: [t.scheduleId, t.occurrenceAt, t.origin, t.month] }),
    index('runs_project').on(t.projectId, t.happenedAt),
    // Finds the runs of a lease: for rescue, for "what is in flight", and for the event stream.
    index('runs_lease').on(t.epoch, t.scheduleId).where(sql`epoch is not null`),
    index('runs_waiting').on(t.nextAttemptAt).where(sql`next_attempt_at is not null`),
    // Finds the waiting runs of one project, because projects share a batch.
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

/** The attempts of a run before its latest one, partitioned like `runs` by the month in which the row was written. */
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
 * Records why and for how long a run waited although it was claimed: an open circuit, a limit, a missing handler. Only
 * a deferral writes here. Deferrals of one run for one reason and before one attempt are one row, so their number is
 * bounded.
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
    /** When the run was first deferred, and when it was last due to be tried again. */
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
 * from `runs`. A row with open runs is computed again until none is left, because a quick success counts in the minute
 * of its claim.
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
    /** Runs that were claimed in this minute and had not ended when the row was computed. */
    open: integer('open').notNull(),
    /** Runs per bucket of lateness. The upper bounds are `LATENESS_BOUNDS_MS`; the last bucket has none. */
    lateness: integer('lateness').array().notNull(),
    computedAt: instant('computed_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.minute] }),
    index('run_stats_minute').on(t.minute),
    index('run_stats_open').on(t.computedAt).where(sql`open > 0`),
  ],
);
