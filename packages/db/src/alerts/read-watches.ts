import { MAX_CLAIM_MS, type RunCounts, type Slo, type WatchedRun } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { instant, milliseconds, NOW } from '../instants.js';
import { statement, type Values } from '../statement.js';

/**
 * Maximum number of runs that one check of a schedule's objectives reads. If there are more, the next check follows at
 * once.
 */
export const MAX_RUNS = 500;
/** Maximum number of runs from which a success rate over a period is computed. */
const MAX_COUNTED = 10_000;

/**
 * A watch (the record of when to check the objectives of a schedule) that is due, with its schedule and the occurrence
 * that comes next.
 */
export interface SloWatch {
  scheduleId: number;
  projectId: number;
  judgedUntil: number;
  /** Null if the schedule was removed. */
  key: string | null;
  name: string | null;
  status: 'active' | 'paused' | 'cancelled' | null;
  plan: string | null;
  pendingOccurrenceAt: number | null;
  pendingDueAt: number | null;
  nowAt: number;
}

/**
 * Locks the watches (records of when to check the objectives of a schedule) that are due, and skips those that another
 * worker has locked.
 */
export const lockWatches = statement<{ limit: number; now: number | null }, SloWatch>(
  'lock-watches',
  `select w.schedule_id as "scheduleId", w.project_id as "projectId", w.judged_until as "judgedUntil", s.key, s.name,
          s.status, s.plan, a.occurrence_at as "pendingOccurrenceAt", a.due_at as "pendingDueAt", ${NOW} as "nowAt"
   from carillon.slo_watches w
   left join carillon.schedules s on s.id = w.schedule_id and s.project_id = w.project_id
   left join carillon.agenda a on a.schedule_id = w.schedule_id
   where w.check_at <= ${NOW} order by w.check_at limit :limit for update of w skip locked`,
);

/**
 * SQL: the columns of a run that the objectives judge. `startedAt` is the time of the first byte or, until that is
 * recorded, the time of the claim. `mayBeDeferred` is true for at most `MAX_CLAIM_MS` after the claim, because a worker
 * that defers a run does so within that time.
 */
const WATCHED = `r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.due_at as "dueAt", r.status::text,
  coalesce(r.due_at + ${milliseconds('r.lateness_ms')}, case when r.attempt > 0 then r.claimed_at end) as "startedAt",
  r.status = 'running' and r.lateness_ms is null and r.claimed_at > ${NOW} - ${milliseconds(`${MAX_CLAIM_MS}`)} as "mayBeDeferred",
  r.finished_at as "finishedAt", r.attempt, r.reason_code as "reasonCode", r.reason, r.error`;

/**
 * Reads the runs against which the objectives are checked: the runs after `judged_until`, and the runs whose alerts are
 * still open. A gap after `judged_until` with the reason `misfire` counts as a skipped run.
 */
export const readWatchedRuns = statement<
  { scheduleIds: string; now: number | null },
  WatchedRun & { scheduleId: number }
>(
  'read-watched-runs',
  `select run.* from carillon.slo_watches w, lateral (
     (select ${WATCHED} from carillon.runs r
      where r.schedule_id = w.schedule_id and r.project_id = w.project_id and r.origin = 'rule' and r.occurrence_at > w.judged_until
      order by r.occurrence_at limit ${MAX_RUNS})
     union
     select ${WATCHED} from carillon.alerts alert join carillon.runs r
       on r.schedule_id = alert.schedule_id and r.project_id = w.project_id and r.origin = 'rule' and r.occurrence_at = alert.occurrence_at
     where alert.schedule_id = w.schedule_id and alert.resolved_at is null
     union
     select g.schedule_id, g.to_at, g.from_at, 'skipped', null, false, g.created_at, 0, g.reason_code, g.reason, null
     from carillon.gaps g
     where g.schedule_id = w.schedule_id and g.project_id = w.project_id and g.to_at > w.judged_until and g.reason_code = 'misfire'
   ) as run
   where w.schedule_id = any(:scheduleIds::bigint[]) order by 1, 2`,
);

const selectCounts = statement<
  Values,
  { succeeded: number; failed: number; occurrenceAt: number | null; error: string | null }
>(
  'count-watched-runs',
  `with ended as materialized (
     select r.status, r.occurrence_at, r.error from carillon.runs r
     where r.schedule_id = :scheduleId and r.project_id = :projectId and r.origin = 'rule'
       and r.status in ('succeeded', 'failed') and r.occurrence_at > ${instant(':fromAt')}
     order by r.occurrence_at desc limit :last
   ), latest as (select occurrence_at, error from ended where status = 'failed' order by occurrence_at desc limit 1)
   select count(*) filter (where status = 'succeeded') as succeeded, count(*) filter (where status = 'failed') as failed,
          (select occurrence_at from latest) as "occurrenceAt", (select error from latest) as error
   from ended`,
);

/** Counts the runs from which a success rate is computed. */
export async function readCounts(
  tx: Transaction,
  { scheduleId, projectId, nowAt }: SloWatch,
  { last, windowMs }: NonNullable<Slo['successRate']>,
): Promise<RunCounts> {
  const fromAt = windowMs === null ? 0 : nowAt - windowMs;
  const [row] = await selectCounts(tx, { scheduleId, projectId, fromAt, last: last ?? MAX_COUNTED });
  const { succeeded = 0, failed = 0, occurrenceAt = null, error = null } = row ?? {};
  return { succeeded, failed, latestFailure: occurrenceAt === null ? null : { occurrenceAt, error } };
}

/**
 * Returns the next occurrence in the form of a run, so that its deadlines are checked although no worker has claimed
 * it. Null if there is no next occurrence.
 */
export function pendingOf({ pendingOccurrenceAt, pendingDueAt }: SloWatch): WatchedRun | null {
  if (pendingOccurrenceAt === null || pendingDueAt === null) return null;
  return {
    occurrenceAt: pendingOccurrenceAt,
    dueAt: pendingDueAt,
    status: 'due',
    startedAt: null,
    mayBeDeferred: false,
    finishedAt: null,
    attempt: 0,
    reasonCode: null,
    reason: null,
    error: null,
  };
}
