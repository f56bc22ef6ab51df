import type { Pool } from 'pg';
import { type Database, inTransaction, type Transaction } from '../database.js';
import { instant, milliseconds, NOW } from '../instants.js';
import { promoteQueued } from '../schedules/promote-queued.js';
import { batch, query, statement, type Values } from '../statement.js';
import { recordAudit } from '../tenancy/audit.js';
import { type FailedRunFilter, latestFailed, matchFailedRuns, sourceOf } from './failed-runs.js';
import { isSameRun, MAX_REPLAYS, mayTake, RUN_KEY_COLUMNS, type RunKey, replay } from './run-transitions.js';

export interface ReplayRequest {
  projectId: number;
  filter: FailedRunFilter;
  /** Maximum number of runs that one call replays. To replay more, the caller calls again. */
  limit: number;
  /** Maximum number of runs that start in one second, so that they do not flood a receiver that has just recovered. */
  perSecond: number;
  actor: string;
  now?: number | null;
}

export interface ReplayResult {
  count: number;
  /** Due times of the replayed runs. The caller makes sure that a worker wakes up for each of them. */
  dueAts: number[];
}

interface FailedRun extends RunKey {
  isCounted: boolean;
  isPaused: boolean;
  nowAt: number;
}

/** SQL: true if a failed run may be replayed: its schedule is not cancelled, and the run was not replayed too often. */
const CAN_REPLAY = `r.replays < ${MAX_REPLAYS} and s.status <> 'cancelled'`;

/**
 * Locks failed runs, the earliest failure first. Their schedules are not locked, because the claim of a replayed run
 * verifies its schedule.
 */
function lockFailed(
  tx: Transaction,
  { projectId, filter, limit, now = null }: Pick<ReplayRequest, 'projectId' | 'filter' | 'limit' | 'now'>,
): Promise<FailedRun[]> {
  const { source, where } = matchFailedRuns(projectId, filter);
  return query<FailedRun>(
    tx,
    `select r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin, r.month, s.is_counted as "isCounted",
            s.status = 'paused' as "isPaused", ${NOW} as "nowAt"
     from ${source} where ${where.sql} and ${CAN_REPLAY}
     order by r.failed_at limit :limit
     for update of r skip locked`,
    { ...where.parameters, limit, now },
  );
}

/** The failed runs that a replay would try again. */
export interface ReplayPreview {
  count: number;
  schedules: number;
  /** Keys of some schedules with such runs, the one with the oldest failure first. */
  examples: string[];
  /** Times of the first and the last failure; null if no run matches. */
  oldestAt: number | null;
  latestAt: number | null;
  /** False if more runs may match: the preview reads only the latest failed runs, and no more than the limit. */
  isComplete: boolean;
}

const MAX_EXAMPLES = 10;
/**
 * Maximum number of failed runs that a preview reads, latest first. Failed runs are scattered over the table, so
 * reading more would take longer than a person wants to wait.
 */
const MAX_RUNS_PREVIEWED = 10_000;

/** Counts the runs that a replay with this filter and limit would take. Changes nothing. */
export async function previewReplay(
  db: Database,
  { projectId, filter, limit }: Pick<ReplayRequest, 'projectId' | 'filter' | 'limit'>,
): Promise<ReplayPreview> {
  const { where } = matchFailedRuns(projectId, filter);
  const [row] = await query<ReplayPreview>(
    db,
    `with latest as materialized (${latestFailed(MAX_RUNS_PREVIEWED)}), failed as materialized (
       select s.key, r.failed_at from ${sourceOf('latest')} where ${where.sql} and ${CAN_REPLAY} limit :limit
     ), examples as (
       select key, min(failed_at) as at from failed group by key order by at, key limit ${MAX_EXAMPLES}
     )
     select count(*) as count, count(distinct key) as schedules, min(failed_at) as "oldestAt", max(failed_at) as "latestAt",
            coalesce((select array_agg(key order by at, key) from examples), '{}') as examples,
            (select count(*) from latest) < ${MAX_RUNS_PREVIEWED} and count(*) < :limit as "isComplete"
     from failed`,
    { ...where.parameters, limit },
  );
  return row as ReplayPreview;
}

interface ReplayedRow extends RunKey {
  status: 'queued' | 'retrying';
  /** Delay until the run may start; null if it waits for its turn or for the end of a pause. */
  waitMs: number | null;
}

const replays = batch<ReplayedRow>('replayed', {
  ...RUN_KEY_COLUMNS,
  status: 'carillon.run_status',
  waitMs: 'float8',
});

const replayAll = statement<Values>(
  'replay-runs',
  `update carillon.runs r
   set ${replay({
     at: instant(':now'),
     status: 'replayed.status',
     startsAt: `coalesce(${instant(':now')} + ${milliseconds('replayed.wait_ms')}, 'infinity')`,
     reason: ':reason',
   })}, bulk_replays = array_append(r.bulk_replays, :entryId::bigint)
   from ${replays.source} where ${isSameRun('r', 'replayed')} and ${mayTake('replay')}`,
);

/** Maximum number of runs that one transaction replays, because it keeps their rows locked until it ends. */
const RUNS_PER_TRANSACTION = 5_000;

/**
 * Replays the failed runs that match the filter. Their starts are spread out so that `perSecond` is not exceeded. Runs
 * of schedules that limit their open runs are queued instead, and start in turn.
 */
export async function replayFailed(pool: Pool, request: ReplayRequest): Promise<ReplayResult> {
  const { limit } = request;
  const dueAts: number[] = [];
  let count = 0;
  while (count < limit) {
    const taken = await replayBatch(
      pool,
      { ...request, limit: Math.min(RUNS_PER_TRANSACTION, limit - count) },
      count,
    );
    count += taken.count;
    dueAts.push(...taken.dueAts);
    if (taken.count < RUNS_PER_TRANSACTION) break;
  }
  return { count, dueAts };
}

/**
 * Replays one batch. `earlier` is the number of runs in the batches before it, so that the rate holds across batches.
 */
async function replayBatch(pool: Pool, request: ReplayRequest, earlier: number): Promise<ReplayResult> {
  const { projectId, perSecond, actor, now = null } = request;
  const { failed, waitsMs } = await inTransaction(pool, async (tx) => {
    const failed = await lockFailed(tx, request);
    const nowAt = failed[0]?.nowAt ?? 0;
    const sorted = failed.toSorted((a, b) => a.occurrenceAt - b.occurrenceAt || a.scheduleId - b.scheduleId);
    const waitsMs = new Map(sorted.map((run, i) => [run, ((earlier + i) * 1_000) / perSecond]));
    if (failed.length === 0) return { failed, waitsMs };
    const rows = failed
      .toSorted((a, b) => a.scheduleId - b.scheduleId || a.occurrenceAt - b.occurrenceAt)
      .map((run) => toReplayed(run, waitsMs.get(run) ?? 0));
    const detail = { count: failed.length };
    const entry = { projectId, key: null, actor, action: 'runs.replayed', detail, now };
    const entryId = await recordAudit(tx, entry);
    await replayAll(tx, { now: nowAt, reason: `replayed by ${actor}`, entryId, ...replays.of(rows) });
    return { failed, waitsMs };
  });
  const counted = new Set(failed.filter((run) => run.isCounted).map(({ scheduleId }) => scheduleId));
  await promoteQueued(pool, [...counted], now);
  return {
    count: failed.length,
    dueAts: failed.map((run) => run.nowAt + (run.isCounted ? 0 : (waitsMs.get(run) ?? 0))),
  };
}

const toReplayed = (run: FailedRun, waitMs: number): ReplayedRow => ({
  ...run,
  status: run.isCounted ? 'queued' : 'retrying',
  waitMs: run.isCounted || run.isPaused ? null : waitMs,
});
