import { type RunOrigin, readPlan } from '@carillon/shared';
import type { Pool } from 'pg';
import { nowOr, toMs } from '../sql-text.js';
import type { Claim, ClaimedRun } from './claim-due.js';

/** Asked on every bell, and nearly always answered with two noes: two looks at the head of an index. */
const LOOK = `
  select exists (select from runs where next_attempt_at <= ${nowOr('$1')}),
         exists (select from schedules where paused_until <= ${nowOr('$1')})`;

/**
 * Claims runs that wait (retries, triggers, backfills, queued ones whose turn has come): the attempt before goes to
 * `attempts`, the next one opens on the run. This is the gate for all of them: whatever made a run wait, here its
 * schedule's status is verified under lock. A paused schedule holds the run, a cancelled one closes it.
 *
 * Both locks skip: cancel and pause lock the schedule and then its runs, this the run and then its schedule, and
 * waiting for each other would be a deadlock. Whoever is passed over for that is still there on the next look.
 */
const CLAIM_WAITING = `
  with clock as (select ${nowOr('$1')} as now),
  waiting as (
    select r.schedule_id, r.occurrence_at, r.origin, s.key, s.counted, s.status
    from runs r join schedules s on s.id = r.schedule_id
    where r.next_attempt_at <= ${nowOr('$1')} and r.status in ('queued', 'retrying')
    order by r.next_attempt_at
    limit $2
    for update of r skip locked
    for share of s skip locked
  ), lease as (
    insert into leases (worker_id, expires_at)
    select $3, clock.now + $4 * interval '1 millisecond' from clock
    where exists (select from waiting where status in ('active', 'finished'))
    returning epoch
  ), archived as (
    insert into attempts (schedule_id, occurrence_at, origin, number, epoch, worker_id, claimed_at, finished_at, outcome,
                          http_status, duration_ms, error_code, error, response, external_id)
    select r.schedule_id, r.occurrence_at, r.origin, r.attempt, r.epoch, r.worker_id, r.claimed_at, r.finished_at, r.outcome,
           r.http_status, r.duration_ms, r.error_code, r.error, r.response, r.external_id
    from waiting join runs r using (schedule_id, occurrence_at, origin)
    where r.attempt > 0 and waiting.status in ('active', 'finished')
    on conflict do nothing
  ), started as (
    update runs r
    set status = 'running', attempt = r.attempt + 1, next_attempt_at = null, failed_at = null,
        open = nullif(waiting.counted, false), reason_code = null, reason = null, progress = null,
        epoch = lease.epoch, worker_id = $3, claimed_at = clock.now, finished_at = null, outcome = null,
        http_status = null, duration_ms = null, error_code = null, error = null, response = null, external_id = null
    from waiting, lease, clock
    where r.schedule_id = waiting.schedule_id and r.occurrence_at = waiting.occurrence_at and r.origin = waiting.origin
      and waiting.status in ('active', 'finished')
    returning r.schedule_id, r.project_id, waiting.key, r.occurrence_at, r.origin, r.due_at, r.attempt, r.free_attempts,
              r.replays, r.epoch, r.version, waiting.counted
  ), stopped as (
    update runs r
    set next_attempt_at = null,
        status = (case waiting.status when 'cancelled' then 'cancelled' else r.status::text end)::run_status,
        open = case waiting.status when 'cancelled' then null else true end,
        reason_code = case waiting.status when 'cancelled' then 'schedule_cancelled' end,
        reason = case waiting.status when 'cancelled' then 'its schedule was cancelled' end
    from waiting
    where r.schedule_id = waiting.schedule_id and r.occurrence_at = waiting.occurrence_at and r.origin = waiting.origin
      and waiting.status in ('paused', 'cancelled')
  )
  select started.schedule_id, started.project_id, started.key, ${toMs('started.occurrence_at')}, started.origin,
         ${toMs('started.due_at')}, started.attempt, started.free_attempts, started.replays, started.epoch, started.counted,
         v.plan, v.payload::text, ${toMs('clock.now')},
         (select count(*) from waiting)
           < (select count(*) from (select from runs where next_attempt_at <= ${nowOr('$1')} limit $2 + 1) as due)
  from clock
  left join (started join schedule_versions v on v.schedule_id = started.schedule_id and v.version = started.version) on true`;

type Columns = [
  ...run: [
    number,
    number,
    string,
    number,
    RunOrigin,
    number,
    number,
    number,
    number,
    number,
    boolean,
    string,
    string | null,
  ],
  nowAt: number,
  moreWait: boolean,
];

export interface WaitingClaim extends Claim {
  /** Whether a pause has run its time and its schedule is to be resumed. */
  hasPauseEnded: boolean;
}

interface ClaimWaitingOptions {
  limit: number;
  workerId: number;
  leaseMs: number;
  now: number | null;
}

export async function claimWaiting(pool: Pool, options: ClaimWaitingOptions): Promise<WaitingClaim> {
  const { rows } = await pool.query<[boolean, boolean]>({
    name: 'look-for-waiting',
    text: LOOK,
    values: [options.now],
    rowMode: 'array',
  });
  const [[isWaiting, hasPauseEnded]] = rows as [[boolean, boolean]];
  return { ...(isWaiting ? await startWaiting(pool, options) : NOTHING), hasPauseEnded };
}

const NOTHING: Claim = { runs: [], nowAt: 0, nextDueAts: [], lost: 0, lostKeys: [], isFull: false };

async function startWaiting(
  pool: Pool,
  { limit, workerId, leaseMs, now }: ClaimWaitingOptions,
): Promise<Claim> {
  // No name: a plan that was made while there were few runs may begin with all of them, and would be kept.
  const { rows } = await pool.query<Columns>({
    text: CLAIM_WAITING,
    values: [now, limit, workerId, leaseMs],
    rowMode: 'array',
  });
  // The left join gives one row even where nothing waits, with nulls for the run.
  const [first] = rows as [Columns, ...Columns[]];
  const runs = first[0] === null ? [] : rows.map(toClaimedRun);
  return { ...NOTHING, runs, nowAt: first[13], isFull: first[14] };
}

function toClaimedRun(columns: Columns): ClaimedRun {
  const [
    scheduleId,
    projectId,
    scheduleKey,
    occurrenceAt,
    origin,
    dueAt,
    attempt,
    freeAttempts,
    replays,
    epoch,
    counted,
    plan,
    payload,
  ] = columns;
  return {
    scheduleId,
    projectId,
    scheduleKey,
    occurrenceAt,
    origin,
    dueAt,
    attempt,
    freeAttempts,
    replays,
    epoch,
    counted,
    plan: readPlan(plan),
    payload,
  };
}
