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
    /** Grows with every restore or failover that lost transactions. Part of the fencing token. */
    generation: integer('generation').notNull().default(1),
    /** Proves that a process has the same encryption key as the others, without revealing the key. */
    keyCheck: bytea('key_check'),
    /** When Postgres was last swept, so that a worker notices that the sweep has stopped. */
    sweptAt: instant('swept_at'),
    /** `run_stats` holds every minute before this instant. */
    statsUntil: instant('stats_until'),
    /** The audit of all schedules has compared everything before this instant. */
    auditedUntil: instant('audited_until'),
    /** The window of the audit that is under way, and the position that it has reached; null between two audits. */
    auditProgress: jsonb('audit_progress'),
    /**
     * Differences that the audit has found, and when it last found one. After a day without differences, the count
     * starts again.
     */
    auditDifferences: integer('audit_differences').notNull().default(0),
    auditDifferedAt: instant('audit_differed_at'),
    /**
     * The last schedule that retention has looked at. The next prune continues after it; 0 begins again with the first
     * one.
     */
    retentionCursor: id('retention_cursor').notNull().default(0),
    /** When the outside monitor was last pinged (`HEARTBEAT_URL`). */
    monitorPingedAt: instant('monitor_pinged_at'),
    /** The version of the time zone data with which the agenda was computed, and since when. */
    tzdata: text('tzdata'),
    tzdataSince: instant('tzdata_since'),
    /**
     * While the agenda is being recomputed: the new version of the time zone data, and the last schedule that was
     * checked.
     */
    tzdataNext: text('tzdata_next'),
    tzdataCursor: id('tzdata_cursor'),
    /**
     * While the installation is held, no worker claims anything: since when, why, and the facts by which an operator
     * decides (`HoldDetail`).
     */
    heldAt: instant('held_at'),
    heldCode: text('held_code', { enum: HOLD_CODES }),
    heldDetail: jsonb('held_detail'),
    /** The server on which the workers last ran (`Home`), so that a copy of the database recognises itself as one. */
    home: jsonb('home'),
    /** The decision about the lost time of the latest restore (`LostTime`); null if each schedule's policy decides. */
    lostTime: jsonb('lost_time'),
  },
  () => [
    check('installation_is_single', sql`is_single`),
    check('installation_hold', sql`(held_at is null) = (held_code is null)`),
  ],
);

/**
 * The versions of the time zone data with which next occurrences were computed, each set from `since` until the next
 * row. A set has several versions while workers with different versions are alive, until the agenda is recomputed.
 */
export const tzdataPeriods = carillon.table('tzdata_periods', {
  since: instant('since').primaryKey(),
  versions: text('versions').array().notNull(),
});

/**
 * One row for each time that an operator has released a hold, so that the ledger can say what became of the lost time.
 */
export const restores = carillon.table('restores', {
  /** The generation that began with the decision. */
  generation: integer('generation').primaryKey(),
  code: text('code', { enum: HOLD_CODES }).notNull(),
  reason: text('reason').notNull(),
  heldAt: instant('held_at').notNull(),
  /** The lost time: occurrences that were due in it may have run before the transactions were lost. */
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
   * If the worker sends no heartbeat by this time, it counts as lost. The time is three of its heartbeat intervals
   * after the last heartbeat.
   */
  aliveUntil: instant('alive_until').notNull(),
  /** The handlers that the code of the worker defines. */
  handlers: text('handlers').array().notNull().default([]),
  /** How far this worker's clock is ahead of Postgres's. */
  clockOffsetMs: integer('clock_offset_ms').notNull().default(0),
  /** The version of the worker's time zone data, such as 2026a. */
  tzdata: text('tzdata'),
  stoppedAt: instant('stopped_at'),
  inFlight: integer('in_flight').notNull().default(0),
  /**
   * Counts the heartbeats. A worker remembers the latest number that was committed. If Postgres knows only a smaller
   * one, it has lost transactions.
   */
  beats: id('beats').notNull().default(0),
  /** The open circuits of this worker, each as "project origin". At most 1,000 are reported. */
  openCircuits: text('open_circuits').array().notNull().default([]),
});

/**
 * The first epoch of this millisecond. An epoch is made of the time and a number from a sequence, which keeps the
 * leases of one millisecond apart. A sequence alone goes backwards after a failover or a restore that lost
 * transactions. It would then issue epochs again that workers still use. Epochs stay below 2^53 until the year 2248.
 */
export const EPOCH_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint * 1024';
const NEXT_EPOCH = sql.raw(`${EPOCH_NOW} + nextval('carillon.leases_epoch_seq') % 1024`);

/**
 * The right of one worker to a batch of runs for a limited time. The worker extends the lease while it is alive. The
 * sweep deletes an expired lease and takes its runs back.
 *
 * The fencing token of a run is (epoch, token, generation). A server whose clock is behind can issue the epochs of
 * another server again. The random token of the worker process and the installation's generation are never issued
 * again.
 */
export const leases = carillon.table(
  'leases',
  {
    epoch: id('epoch').primaryKey().default(NEXT_EPOCH),
    workerId: id('worker_id').notNull(),
    token: uuid('token').notNull(),
    generation: integer('generation').notNull(),
    claimedAt: instant('claimed_at').notNull(),
    /** Number of runs under the lease that its worker has not closed. The lease is deleted when none is left. */
    openRuns: integer('open_runs').notNull(),
    heldUntil: instant('held_until').notNull(),
  },
  (t) => [index('leases_held_until').on(t.heldUntil), check('leases_open_runs', sql`open_runs > 0`)],
);

/** Counters, summed over all replicas as they report, so that the counts of a replica that ends are not lost. */
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
 * The growth of some counters in each minute, so that figures can be given for the last minute, hour and day. The prune
 * tick deletes rows that are older than a day.
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
