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
  smallint,
  text,
} from 'drizzle-orm/pg-core';
import { id, instant } from './columns.js';

export const runStatus = pgEnum('run_status', [
  'queued',
  'running',
  'retrying',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
]);
export const runOrigin = pgEnum('run_origin', ['rule', 'trigger', 'backfill']);
export const attemptOutcome = pgEnum('attempt_outcome', [
  'succeeded',
  'failed',
  'unknown',
  'cancelled',
  'handed_back',
]);

/** What one attempt leaves behind: on the run for its latest, in `attempts` for those before. */
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

/**
 * One row per run, partitioned by `occurrence_at` (in the migration's SQL: drizzle has no word for it). What is under way may
 * not have its row yet: `every_run` is the view of them all, and the one to read.
 * It carries its latest attempt: nearly every run has one attempt only, and a second row for it would
 * cost a fifth of the throughput.
 *
 * No index mentions `status`, not even in a predicate: closing a run must stay a HOT update. What would
 * be `where status = …` is a column that is null unless it matters: `next_attempt_at`, `open`, `failed_at`.
 */
export const runs = pgTable(
  'runs',
  {
    scheduleId: id('schedule_id').notNull(),
    occurrenceAt: instant('occurrence_at').notNull(),
    origin: runOrigin('origin').notNull(),
    projectId: id('project_id').notNull(),
    /** The definition that it runs under, kept by its retries. */
    version: integer('version').notNull(),
    status: runStatus('status').notNull(),
    dueAt: instant('due_at').notNull(),
    enqueuedAt: instant('enqueued_at').notNull().default(sql`clock_timestamp()`),
    attempt: smallint('attempt').notNull().default(0),
    /** Attempts that do not count against the plan's limit: handed back at a stop, or made before a replay. */
    freeAttempts: smallint('free_attempts').notNull().default(0),
    replays: smallint('replays').notNull().default(0),
    /** When a `queued` or `retrying` run may start; null while it waits for its turn or a pause holds it. */
    nextAttemptAt: instant('next_attempt_at'),
    /** True while its schedule must be able to find it: `queued`, `retrying`, or `running` and counted. */
    open: boolean('open'),
    failedAt: instant('failed_at'),
    progress: json('progress'),
    reasonCode: text('reason_code'),
    reason: text('reason'),
    ...attemptColumns(),
  },
  (t) => [
    primaryKey({ columns: [t.scheduleId, t.occurrenceAt, t.origin] }),
    index('runs_project').on(t.projectId, t.occurrenceAt),
    // Runs are written about in the order of their epochs, so a summary of each stretch of pages will do: an entry for each
    // run would cost every fire, for nobody but the stream of events.
    index('runs_epoch').using('brin', t.epoch).with({ pages_per_range: 16, autosummarize: true }),
    index('runs_next_attempt').on(t.nextAttemptAt).where(sql`next_attempt_at is not null`),
    index('runs_open').on(t.scheduleId, t.occurrenceAt).where(sql`open`),
    index('runs_failed').on(t.projectId, t.failedAt).where(sql`failed_at is not null`),
  ],
);

/** The attempts of a run before its latest. `run_attempts` is the view of them all. */
export const attempts = pgTable(
  'attempts',
  {
    scheduleId: id('schedule_id').notNull(),
    occurrenceAt: instant('occurrence_at').notNull(),
    origin: runOrigin('origin').notNull(),
    number: smallint('number').notNull(),
    ...attemptColumns(),
  },
  (t) => [primaryKey({ columns: [t.scheduleId, t.occurrenceAt, t.origin, t.number] })],
);

/**
 * One row per claimed batch, which names the runs in it. A run that nobody has to find before its end is named here only until
 * then, and its row is written once, with how it ended (docs/decisions/written-when-it-ends.md); the view `every_run` shows both.
 *
 * Its number, the epoch, is the fencing token of every run in it: a run that was rescued and claimed anew has another, and the late
 * writer of the old one is refused.
 */
export const leases = pgTable(
  'leases',
  {
    epoch: bigserial('epoch', { mode: 'number' }).primaryKey(),
    workerId: id('worker_id').notNull(),
    claimedAt: instant('claimed_at'),
    /** When it runs out, unless it is extended. */
    heldUntil: instant('held_until'),
    scheduleIds: id('schedule_ids').array(),
    occurrenceAts: instant('occurrence_ats').array(),
    /** Null where all are by rule. */
    origins: runOrigin('origins').array(),
    dueAts: instant('due_ats').array(),
    versions: integer('versions').array(),
    /**
     * For workers from before leases named their runs, who go by this: they would give up such a lease without knowing what is in
     * it. Leases of theirs have no `held_until`.
     */
    expiresAt: instant('expires_at').notNull().default(sql`'infinity'`),
  },
  (t) => [index('leases_expiry').on(t.expiresAt)],
);

export const workers = pgTable('workers', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  host: text('host').notNull(),
  pid: integer('pid').notNull(),
  startedAt: instant('started_at').notNull().default(sql`clock_timestamp()`),
  heartbeatAt: instant('heartbeat_at').notNull().default(sql`clock_timestamp()`),
  stoppedAt: instant('stopped_at'),
  inFlight: integer('in_flight').notNull().default(0),
});
