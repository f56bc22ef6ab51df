import type { RunIdentity } from '@carillon/shared';
import type { Pool } from 'pg';
import { bringWatchesForward } from '../alerts/watches.js';
import type { Database, Transaction } from '../database.js';
import { instant } from '../instants.js';
import { ChangeRefused, type ChangeResult } from '../schedules/change-schedule.js';
import { pauseFailing } from '../schedules/pause-schedule.js';
import { promoteLocked } from '../schedules/promote-queued.js';
import { statement, type Values } from '../statement.js';
import { changeRun, type LockedRun } from './change-run.js';
import { IS_RUN, identityOf, RUN_TRANSITIONS, type RunStatus, report } from './run-transitions.js';

/** A report by a job that runs elsewhere: its run has started, succeeded or failed, or (`log`) the job sends a text. */
export type ReportKind = 'start' | 'success' | 'fail' | 'log';

export interface ReportRequest {
  projectId: number;
  run: RunIdentity;
  kind: ReportKind;
  /** The text that the job sent. */
  body: string | null;
  now: number | null;
}

export interface ReportedRun {
  scheduleKey: string;
  targetType: string;
  attempt: number;
  /** True if this report made the run fail. */
  hasFailed: boolean;
  reason: string;
}

/** Maximum number of characters of the job's text that are copied into the reason for the failure. */
const MAX_REASON_LENGTH = 500;
const ENDS = { success: 'succeeded', fail: 'failed' } as const;

const reportOne = statement<Values>(
  'report-run',
  `update carillon.runs r
   set ${report({ at: instant(':now'), status: ':status::carillon.run_status', reason: ':reason' })}
   where ${IS_RUN}`,
);

const keepPing = statement<Values>(
  'keep-ping-of-run',
  `insert into carillon.pings (project_id, schedule_id, kind, at, body, occurrence_at)
   values (:projectId, :scheduleId, :kind, ${instant(':now')}, :body, ${instant(':occurrenceAt')})`,
);

/**
 * Records what a job reports about its run. A success ends the run as succeeded, and a failure ends it as failed, even
 * if the delivery ended in another way. Only the job knows how its work ended. If a worker is still delivering the run,
 * the worker's late result is refused.
 */
export async function reportRun(pool: Pool, request: ReportRequest): Promise<ChangeResult<ReportedRun>> {
  const { projectId, run, kind, body } = request;
  const result = await changeRun(
    pool,
    { projectId, run, actor: 'ping', now: request.now },
    async (tx, schedule, locked) => {
      const { nowAt, plan } = schedule;
      const hasEnded = await endByReport(tx, { request, locked, nowAt });
      await keepPing(tx, { ...identityOf(run), projectId, kind, body, now: nowAt });
      const mayPromote = hasEnded && schedule.isCounted && schedule.status !== 'paused';
      const promoted = mayPromote ? await promoteLocked(tx, [schedule]) : 0;
      const hasFailed = hasEnded && kind === 'fail';
      const { attempt } = locked;
      const reason = reasonOf(body);
      return {
        value: {
          scheduleKey: schedule.key,
          targetType: plan.target.type,
          attempt,
          hasFailed,
          reason,
          hasEnded,
          plan,
        },
        dueAts: promoted > 0 ? [nowAt] : [],
        audit: { action: 'run.reported', detail: { kind, note: body?.slice(0, MAX_REASON_LENGTH) ?? null } },
      };
    },
  );
  if (result.kind !== 'changed') return result;
  const { plan, hasEnded, ...value } = result.value;
  const scheduleIds = [run.scheduleId];
  if (hasEnded && plan.slo !== null)
    await bringWatchesForward(pool, {
      failed: value.hasFailed ? scheduleIds : [],
      ended: scheduleIds,
      now: request.now,
    });
  if (value.hasFailed && plan.pauseAfterFailures !== null)
    await pauseFailing(pool, { scheduleId: run.scheduleId, limit: plan.pauseAfterFailures });
  return { ...result, value };
}

/**
 * Ends the run as the job reports. Returns false if nothing has changed: the job only reports its start or sends a
 * text, or the run has this result already.
 */
async function endByReport(
  tx: Transaction,
  {
    request: { run, kind, body },
    locked: { status, attempt },
    nowAt,
  }: { request: ReportRequest; locked: LockedRun; nowAt: number },
): Promise<boolean> {
  const from: readonly RunStatus[] = RUN_TRANSITIONS.report.from;
  if (attempt === 0 || !from.includes(status))
    throw new ChangeRefused(`the run is ${status}; only a run that was sent can be reported on`);
  if (kind === 'start' || kind === 'log' || ENDS[kind] === status) return false;
  const reason = kind === 'fail' ? reasonOf(body) : null;
  await reportOne(tx, { ...identityOf(run), now: nowAt, status: ENDS[kind], reason });
  return true;
}

const reasonOf = (body: string | null) =>
  `the job reported a failure${body ? `: ${body.slice(0, MAX_REASON_LENGTH)}` : ''}`;

const selectPinged = statement<Values, { projectId: number }>(
  'read-pinged-schedule',
  `select s.project_id as "projectId" from carillon.schedules s
   where s.id = :scheduleId and s.target_type <> 'heartbeat' and s.status <> 'cancelled'
     and :generation::int = coalesce((select t.generation from carillon.ping_tokens t where t.schedule_id = s.id), 1)`,
);

/**
 * Finds the project of the schedule to which a ping token belongs (the token by which a job reports about its run).
 * Null if the token was rotated, if the schedule was removed or cancelled, or if its target is `heartbeat`, so that it
 * sends no runs to a job.
 */
export async function findPinged(
  db: Database,
  token: { scheduleId: number; generation: number },
): Promise<{ projectId: number } | null> {
  const [row] = await selectPinged(db, { ...token });
  return row ?? null;
}

const selectLatest = statement<{ projectId: number; scheduleId: number }, RunIdentity>(
  'read-latest-sent-run',
  `select r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin from carillon.runs r
   where r.schedule_id = :scheduleId and r.project_id = :projectId and r.attempt > 0
   order by r.occurrence_at desc, r.origin desc limit 1`,
);

/**
 * Finds the run with the latest occurrence, among the runs of a schedule that have begun an attempt. If a job reports
 * without the id of a run, its report is about this run.
 */
export async function findLatestSent(
  db: Database,
  schedule: { projectId: number; scheduleId: number },
): Promise<RunIdentity | null> {
  const [run] = await selectLatest(db, schedule);
  return run ?? null;
}
