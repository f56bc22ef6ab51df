import { HOLD_CODES, RESTORE_MODES } from '@carillon/shared';
import { sql } from 'drizzle-orm';
import {
  bigserial,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytea, carillon, id, instant, NOW } from './columns.js';

/** A single row about the installation as a whole. */
export const installation = carillon.table(
  'installation',
  {
    isSingle: boolean('is_single').primaryKey().default(true),
    id: uuid('id').notNull().default(sql`gen_random_uuid()`),
    /**
     * Grows when an operator decides how to go on after a restore or failover that lost transactions. Part of the
     * fencing token.
     */
    generation: integer('generation').notNull().default(1),
    /** Shows whether a process has the same encryption key as the others, without revealing the key. */
    keyCheck: bytea('key_check'),
    /** The time of the latest sweep, so that workers notice if no sweep is made any more. */
    sweptAt: instant('swept_at'),
    /** The table `run_stats` is complete before this instant. */
    statsUntil: instant('stats_until'),
    /** The audit of occurrences has compared rules and runs up to this instant. */
    auditedUntil: instant('audited_until'),
    /**
     * The time range of the audit of occurrences that is under way, and the position that it has reached; null between
     * two audits.
     */
    auditProgress: jsonb('audit_progress'),
    /**
     * Number of differences between rules and runs that the audit of occurrences has found. After a day without a
     * difference, the count starts again.
     */
    auditDifferences: integer('audit_differences').notNull().default(0),
    auditDifferedAt: instant('audit_differed_at'),
    /**
     * The last schedule that retention has checked. The next prune continues after it; 0 begins with the first
     * schedule.
     */
    retentionCursor: id('retention_cursor').notNull().default(0),
    /** When a worker last called the URL of the outside monitor (`HEARTBEAT_URL`). */
    monitorPingedAt: instant('monitor_pinged_at'),
    /** The version of the time zone data with which the agenda was computed, and since when. */
    tzdata: text('tzdata'),
    tzdataSince: instant('tzdata_since'),
    /**
     * Set while the agenda is being recomputed: the new version of the time zone data. `tzdataCursor` is the last
     * schedule that was checked.
     */
    tzdataNext: text('tzdata_next'),
    tzdataCursor: id('tzdata_cursor'),
    /**
     * Since when the installation is held, which means that no worker claims anything. The next two columns say why,
     * and give the facts by which an operator decides (`HoldDetail`). All three are null while workers may claim.
     */
    heldAt: instant('held_at'),
    heldCode: text('held_code', { enum: HOLD_CODES }),
    heldDetail: jsonb('held_detail'),
    /**
     * The Postgres server that the workers last used (`Home`). If workers now find another server, this database may be
     * a copy of the original, and a copy must not fire.
     */
    home: jsonb('home'),
    /**
     * After a restore: the operator's decision about occurrences that were due in the lost time, whose transactions
     * Postgres has lost (`LostTime`). Null if each schedule's misfire policy decides.
     */
    lostTime: jsonb('lost_time'),
  },
  () => [
    check('installation_is_single', sql`is_single`),
    check('installation_hold', sql`(held_at is null) = (held_code is null)`),
  ],
);

/**
 * The versions of the time zone data with which next occurrences were computed. Each row is valid from its `since` to
 * the `since` of the next row. It has several versions if workers with different versions were alive. Once they have
 * the same version and the agenda is recomputed, a row with this single version follows.
 */
export const tzdataPeriods = carillon.table('tzdata_periods', {
  since: instant('since').primaryKey(),
  versions: text('versions').array().notNull(),
});

/**
 * One row for each time that an operator has released a held installation. The ledger (the list of occurrences with
 * their outcomes) uses these rows to explain what became of occurrences in the lost time.
 */
export const restores = carillon.table('restores', {
  /** The generation of the installation that began with the decision. */
  generation: integer('generation').primaryKey(),
  code: text('code', { enum: HOLD_CODES }).notNull(),
  reason: text('reason').notNull(),
  heldAt: instant('held_at').notNull(),
  /** The lost time, whose transactions Postgres has lost. Occurrences that were due in it may have run. */
  lostFrom: instant('lost_from').notNull(),
  lostUntil: instant('lost_until').notNull(),
  mode: text('mode', { enum: RESTORE_MODES }).notNull(),
  isAdopted: boolean('is_adopted').notNull(),
  decidedAt: instant('decided_at').notNull(),
  decidedBy: text('decided_by').notNull(),
});

export const workers = carillon.table('workers', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  /** Random, chosen by the process. Part of the fencing token. */
  token: uuid('token').notNull(),
  host: text('host').notNull(),
  pid: integer('pid').notNull(),
  startedAt: instant('started_at').notNull().default(NOW),
  heartbeatAt: instant('heartbeat_at').notNull().default(NOW),
  /**
   * The worker counts as lost if it sends no heartbeat before this instant: three of its heartbeat intervals after the
   * last heartbeat.
   */
  aliveUntil: instant('alive_until').notNull(),
  /** The handlers that the code of the worker defines. */
  handlers: text('handlers').array().notNull().default([]),
  /** How far the worker's clock is ahead of Postgres's clock; negative if it is behind. */
  clockOffsetMs: integer('clock_offset_ms').notNull().default(0),
  /** The version of the worker's time zone data, such as 2026a. */
  tzdata: text('tzdata'),
  stoppedAt: instant('stopped_at'),
  inFlight: integer('in_flight').notNull().default(0),
  /**
   * Number of heartbeats of the worker. The worker remembers the latest number that was committed. If the number in
   * Postgres is smaller, Postgres has lost transactions.
   */
  beats: id('beats').notNull().default(0),
  /**
   * The open circuit breakers of this worker, at most 1,000. Each is the id of a project and the origin of a URL, such
   * as "1 https://example.com".
   */
  openCircuits: text('open_circuits').array().notNull().default([]),
});

/**
 * SQL: the first epoch (number of a lease) of this millisecond. An epoch is made of the time and a number from a
 * sequence, which tells the leases of one millisecond apart. A sequence alone would go backwards after a failover or a
 * restore that lost transactions, and would then issue epochs again that workers still use. Epochs stay below 2^53
 * until the year 2248.
 */
export const EPOCH_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint * 1024';
const NEXT_EPOCH = sql.raw(`${EPOCH_NOW} + nextval('carillon.leases_epoch_seq') % 1024`);

/**
 * The right of one worker to a batch of runs for a limited time. The worker extends the lease while it is alive. The
 * sweep deletes an expired lease and takes its runs back.
 *
 * The fencing token of a run is (epoch, token, generation). A server whose clock is behind could issue epochs that
 * another server has issued before. The random token of the worker process and the installation's generation are never
 * issued again.
 */
export const leases = carillon.table(
  'leases',
  {
    epoch: id('epoch').primaryKey().default(NEXT_EPOCH),
    workerId: id('worker_id').notNull(),
    token: uuid('token').notNull(),
    generation: integer('generation').notNull(),
    claimedAt: instant('claimed_at').notNull(),
    /**
     * Number of runs under the lease that its worker has not closed yet. When the last of them is closed, the lease is
     * deleted.
     */
    openRuns: integer('open_runs').notNull(),
    heldUntil: instant('held_until').notNull(),
  },
  (t) => [index('leases_held_until').on(t.heldUntil), check('leases_open_runs', sql`open_runs > 0`)],
);

/** Counters, summed over all processes. Each process adds its growth, so its counts are not lost when it ends. */
export const metrics = carillon.table(
  'metrics',
  {
    name: text('name').notNull(),
    labels: text('labels').notNull().default(''),
    value: doublePrecision('value').notNull(),
  },
  (t) => [primaryKey({ columns: [t.name, t.labels] })],
);

/**
 * The growth of some counters in each minute, for the figures of the last minute, hour and day. An hourly task of the
 * workers (the prune) deletes rows that are older than 25 hours.
 */
export const metricMinutes = carillon.table(
  'metric_minutes',
  {
    minute: instant('minute').notNull(),
    name: text('name').notNull(),
    labels: text('labels').notNull().default(''),
    value: doublePrecision('value').notNull(),
  },
  (t) => [primaryKey({ columns: [t.minute, t.name, t.labels] })],
);
