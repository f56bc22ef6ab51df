import { concurrentRuns } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Database } from '../database.js';
import { countOpenRuns } from '../queries/open-runs.js';
import { fromMs, nowOr, toMs } from '../sql-text.js';
import { changeRun, IS_RUN, type RunChangeRequest, runValues } from './change-run.js';
import { type ChangeResult, Refused } from './change-schedule.js';
import { promoteQueued } from './promote-queued.js';

const ENDED = ['succeeded', 'failed', 'cancelled'];

/**
 * Tries a run that has ended once more: a new attempt of the same run, with a full set of attempts before it. A schedule
 * that counts its runs makes it wait for its turn.
 */
export function replayRun(db: Database, request: RunChangeRequest): Promise<ChangeResult<void>> {
  return changeRun(db, request, async (tx, schedule, status) => {
    if (!ENDED.includes(status))
      throw new Refused(`the run is ${status}; only one that has ended can be replayed`);
    if (schedule.status === 'cancelled') throw new Refused('its schedule is cancelled');
    const { started } = await countOpenRuns(tx, schedule.id);
    const hasRoom = started < concurrentRuns(schedule.plan);
    const startsAt = hasRoom && schedule.status !== 'paused' ? schedule.nowAt : null;
    await tx.query(
      `update runs set status = $4, next_attempt_at = ${fromMs('$5::bigint')}, ${RENEWED('$6')} where ${IS_RUN}`,
      [...runValues(request.run), hasRoom ? 'retrying' : 'queued', startsAt, `replayed by ${request.actor}`],
    );
    return {
      value: undefined,
      dueAts: startsAt === null ? [] : [startsAt],
      audit: { action: 'run.replayed' },
    };
  });
}

/** What a replay changes besides the status. The attempts made so far no longer count against the limit. */
const RENEWED = (reason: string) => `
  open = true, failed_at = null, replays = replays + 1, free_attempts = attempt, reason_code = 'replayed', reason = ${reason}`;

export interface ReplayFilter {
  scheduleKey?: string | undefined;
  /** Of occurrences, both ends included. */
  from?: Date | undefined;
  to?: Date | undefined;
}

export interface ReplayRequest {
  projectId: number;
  filter: ReplayFilter;
  /** Runs at most; whoever has more asks again. */
  limit: number;
  /** How fast they are tried: a receiver that was down must not be flooded once it is back. */
  perSecond: number;
  actor: string;
  now?: number | null;
}

/**
 * All dead letters that match, those that failed first first. Their schedules are not locked: the claim verifies them. Runs of
 * a schedule that counts its runs are queued, and promoted under its lock.
 */
const REPLAY_FAILED = `
  with clock as (select ${nowOr('$1')} as now),
  chosen as (
    select r.schedule_id, r.occurrence_at, r.origin, s.counted, s.status as schedule_status
    from runs r join every_schedule s on s.id = r.schedule_id
    where r.project_id = $2 and r.failed_at is not null and s.status <> 'cancelled'
      and ($3::text is null or s.key = $3)
      and ($4::timestamptz is null or r.occurrence_at >= $4)
      and ($5::timestamptz is null or r.occurrence_at <= $5)
    order by r.failed_at
    limit $6
    for update of r skip locked
  ), placed as (
    select *, (row_number() over (order by occurrence_at, schedule_id) - 1) * 1000 / $7::float8 as wait_ms from chosen
  ), replayed as (
    update runs r
    set status = (case when placed.counted then 'queued' else 'retrying' end)::run_status,
        next_attempt_at = case when not placed.counted and placed.schedule_status <> 'paused'
                          then clock.now + placed.wait_ms * interval '1 millisecond' end,
        ${RENEWED('$8')}
    from placed, clock
    where r.schedule_id = placed.schedule_id and r.occurrence_at = placed.occurrence_at and r.origin = placed.origin
    returning r.schedule_id, r.next_attempt_at, placed.counted
  ), audited as (
    insert into audit_log (project_id, actor, action, detail)
    select $2, $9, 'runs.replayed', json_build_object('count', count(*)) from replayed having count(*) > 0
  )
  select schedule_id, ${toMs('coalesce(next_attempt_at, clock.now)')} as start_at, counted from replayed, clock`;

export interface Replayed {
  count: number;
  /** Instants to arm. */
  dueAts: number[];
}

export async function replayFailed(
  pool: Pool,
  { projectId, filter, limit, perSecond, actor, now = null }: ReplayRequest,
): Promise<Replayed> {
  const { rows } = await pool.query<{ schedule_id: number; start_at: number; counted: boolean }>(
    REPLAY_FAILED,
    [
      now,
      projectId,
      filter.scheduleKey ?? null,
      filter.from ?? null,
      filter.to ?? null,
      limit,
      perSecond,
      `replayed by ${actor}`,
      actor,
    ],
  );
  const counted = new Set(rows.filter((row) => row.counted).map((row) => row.schedule_id));
  for (const scheduleId of counted) await promoteQueued(pool, scheduleId, now);
  return { count: rows.length, dueAts: rows.map((row) => row.start_at) };
}
