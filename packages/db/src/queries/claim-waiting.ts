import { type RunIdentity, type RunOrigin, readPlan } from '@carillon/shared';
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.js';
import { found, fromMs, nowOr, numberArray, textArray, toMs } from '../sql-text.js';
import type { Claim, ClaimedRun } from './claim-due.js';

export interface ClaimWaitingOptions {
  limit: number;
  workerId: number;
  leaseMs: number;
  now: number | null;
}

export interface WaitingClaim extends Claim {
  /** Whether a pause has run its time and its schedule is to be resumed. */
  hasPauseEnded: boolean;
}

/** Asked on every bell, and nearly always answered with two noes: two looks at the head of an index. */
const LOOK = `
  select exists (select from runs where next_attempt_at <= ${nowOr('$1')}),
         exists (select from schedules where paused_until <= ${nowOr('$1')} and status = 'paused')`;

/**
 * Claims runs that wait (retries, triggers, backfills, queued ones whose turn has come). This is the gate for all of them:
 * whatever made a run wait, here its schedule's status is verified under lock. A paused schedule holds the run, a
 * cancelled one closes it.
 */
export async function claimWaiting(pool: Pool, options: ClaimWaitingOptions): Promise<WaitingClaim> {
  const { rows } = await pool.query<[boolean, boolean]>({
    name: 'look-for-waiting',
    text: LOOK,
    values: [options.now],
    rowMode: 'array',
  });
  const [[isWaiting, hasPauseEnded]] = rows as [[boolean, boolean]];
  const claim = isWaiting ? await inTransaction(pool, (tx) => startWaiting(tx, options)) : NOTHING;
  return { ...claim, hasPauseEnded };
}

const NOTHING: Claim = { runs: [], nowAt: 0, nextDueAts: [], lost: 0, lostKeys: [], isFull: false };

/**
 * Locked by one statement and changed by the next, which sees what was locked as it is: one that did both could meet a row
 * that had changed in between, and looking at that again makes Postgres 18 crash over a partitioned table.
 */
async function startWaiting(tx: Transaction, options: ClaimWaitingOptions): Promise<Claim> {
  const { waiting, nowAt } = await lockWaiting(tx, options);
  const schedules = await lockSchedules(tx, waiting);
  if (waiting.some(({ scheduleId }) => !schedules.has(scheduleId))) await addGone(tx, waiting, schedules);
  let isFull = waiting.length >= options.limit;
  const runs: Waiting[] = [];
  for (const run of waiting) {
    const schedule = schedules.get(run.scheduleId);
    // Whoever has its schedule locked decides about the run first; it is there on the next look.
    if (!schedule) isFull = true;
    else if (schedule.status === 'active' || schedule.status === 'finished')
      runs.push({ ...run, ...schedule });
    else await stopWaiting(tx, run, { isCancelled: schedule.status === 'cancelled', nowAt });
  }
  if (runs.length === 0) return { ...NOTHING, nowAt, isFull };
  return { ...NOTHING, runs: await openAttempts(tx, runs, { ...options, nowAt }), nowAt, isFull };
}

interface WaitingRun extends RunIdentity {
  projectId: number;
  dueAt: number;
  attempt: number;
  freeAttempts: number;
  replays: number;
}

interface WaitingSchedule {
  key: string;
  counted: boolean;
  status: string;
}

type Waiting = WaitingRun & WaitingSchedule;

async function lockWaiting(
  tx: Transaction,
  { limit, now }: ClaimWaitingOptions,
): Promise<{ waiting: WaitingRun[]; nowAt: number }> {
  const { rows } = await tx.query<
    [number, number, RunOrigin, number, number, number, number, number, number]
  >({
    name: 'lock-waiting',
    text: `select r.schedule_id, ${toMs('r.occurrence_at')}, r.origin, r.project_id, ${toMs('r.due_at')}, r.attempt,
                  r.free_attempts, r.replays, ${toMs('clock.now')}
           from (select ${nowOr('$1')} as now) as clock, runs r
           where r.next_attempt_at <= ${nowOr('$1')} and r.status in ('queued', 'retrying')
           order by r.next_attempt_at
           limit $2
           for update of r skip locked`,
    values: [now, limit],
    rowMode: 'array',
  });
  const waiting = rows.map((row) => ({
    scheduleId: row[0],
    occurrenceAt: row[1],
    origin: row[2],
    projectId: row[3],
    dueAt: row[4],
    attempt: row[5],
    freeAttempts: row[6],
    replays: row[7],
  }));
  return { waiting, nowAt: rows[0]?.[8] ?? 0 };
}

/**
 * Skips those that are locked: cancel and pause lock the schedule and then its runs, this the run and then its schedule,
 * and waiting for each other would be a deadlock.
 */
async function lockSchedules(
  tx: Transaction,
  waiting: readonly WaitingRun[],
): Promise<Map<number, WaitingSchedule>> {
  const ids = new Set(waiting.map(({ scheduleId }) => scheduleId));
  const { rows } = await tx.query<[number, string, boolean, string]>({
    name: 'lock-waiting-schedules',
    text: `select s.id, s.key, s.counted, s.status from schedules s where s.id = any($1::bigint[])
           for share skip locked`,
    values: [numberArray([...ids])],
    rowMode: 'array',
  });
  return new Map(rows.map(([id, key, counted, status]) => [id, { key, counted, status }]));
}

/**
 * Adds those of which there is no row to be locked: they have fired, and are finished. Who is bringing one back at this moment
 * has not told anybody yet, and waits for the run.
 */
async function addGone(
  tx: Transaction,
  waiting: readonly WaitingRun[],
  schedules: Map<number, WaitingSchedule>,
): Promise<void> {
  const ids = waiting.map(({ scheduleId }) => scheduleId).filter((id) => !schedules.has(id));
  const { rows } = await tx.query<[number, string, boolean, string]>({
    name: 'read-gone-schedules',
    text: 'select id, key, counted, status from every_schedule where id = any($1::bigint[]) and is_gone',
    values: [numberArray(ids)],
    rowMode: 'array',
  });
  for (const [id, key, counted, status] of rows) schedules.set(id, { key, counted, status });
}

async function stopWaiting(
  tx: Transaction,
  run: WaitingRun,
  { isCancelled, nowAt }: { isCancelled: boolean; nowAt: number },
): Promise<void> {
  const where = `where schedule_id = $1 and occurrence_at = ${fromMs('$2::bigint')} and origin = $3`;
  const identity = [run.scheduleId, run.occurrenceAt, run.origin];
  if (isCancelled) {
    await tx.query(
      `update runs set status = 'cancelled', open = null, next_attempt_at = null, finished_at = ${fromMs('$4::bigint')},
                       reason_code = 'schedule_cancelled', reason = 'its schedule was cancelled' ${where}`,
      [...identity, nowAt],
    );
  } else {
    await tx.query(
      `update runs set open = true, next_attempt_at = null, reason_code = null, reason = null ${where}`,
      identity,
    );
  }
}

/** The attempt before goes to `attempts`, the next one opens on the run, all under a lease of their own. */
const OPEN_ATTEMPTS = `
  with input as (
    select schedule_id, ${fromMs('occurrence_at')} as occurrence_at, origin, counted
    from unnest($1::bigint[], $2::bigint[], $3::run_origin[], $4::bool[])
      as input(schedule_id, occurrence_at, origin, counted)
  ), lease as (
    insert into leases (worker_id, claimed_at, held_until, schedule_ids, occurrence_ats, origins)
    select $5, ${fromMs('$6::bigint')}, ${fromMs('$6::bigint + $7::bigint')},
           array_agg(schedule_id), array_agg(occurrence_at), array_agg(origin)
    from input returning epoch
  ), archived as (
    insert into attempts (schedule_id, occurrence_at, origin, number, epoch, worker_id, claimed_at, finished_at, outcome,
                          http_status, duration_ms, error_code, error, response, external_id)
    select r.schedule_id, r.occurrence_at, r.origin, r.attempt, r.epoch, r.worker_id, r.claimed_at, r.finished_at, r.outcome,
           r.http_status, r.duration_ms, r.error_code, r.error, r.response, r.external_id
    from input
    join runs r on ${found('r.schedule_id', 'input.schedule_id')} and r.occurrence_at = input.occurrence_at and r.origin = input.origin
    where r.attempt > 0
    on conflict do nothing
  ), opened as (
    update runs r
    set status = 'running', attempt = r.attempt + 1, next_attempt_at = null, failed_at = null,
        open = nullif(input.counted, false), reason_code = null, reason = null, progress = null,
        epoch = lease.epoch, worker_id = $5, claimed_at = ${fromMs('$6::bigint')}, finished_at = null, outcome = null,
        http_status = null, duration_ms = null, error_code = null, error = null, response = null, external_id = null
    from input, lease
    where ${found('r.schedule_id', 'input.schedule_id')} and r.occurrence_at = input.occurrence_at and r.origin = input.origin
    returning r.schedule_id, r.occurrence_at, r.origin, r.epoch, r.version
  )
  select opened.schedule_id, ${toMs('opened.occurrence_at')}, opened.origin, opened.epoch, opened.version, v.plan, v.payload::text
  from opened join schedule_versions v on ${found('v.schedule_id', 'opened.schedule_id')} and v.version = opened.version`;

async function openAttempts(
  tx: Transaction,
  waiting: readonly Waiting[],
  { workerId, leaseMs, nowAt }: { workerId: number; leaseMs: number; nowAt: number },
): Promise<ClaimedRun[]> {
  const { rows } = await tx.query<[number, number, RunOrigin, number, number, string, string | null]>({
    name: 'open-attempts',
    text: OPEN_ATTEMPTS,
    values: [
      numberArray(waiting.map((run) => run.scheduleId)),
      numberArray(waiting.map((run) => run.occurrenceAt)),
      textArray(waiting.map((run) => run.origin)),
      textArray(waiting.map((run) => String(run.counted))),
      workerId,
      nowAt,
      leaseMs,
    ],
    rowMode: 'array',
  });
  const byIdentity = new Map(waiting.map((run) => [identityOf(run), run]));
  return rows.map(([scheduleId, occurrenceAt, origin, epoch, version, plan, payload]) => {
    const {
      key,
      status: _,
      ...run
    } = byIdentity.get(identityOf({ scheduleId, occurrenceAt, origin })) as Waiting;
    return {
      ...run,
      scheduleKey: key,
      attempt: run.attempt + 1,
      epoch,
      version,
      isWritten: true,
      plan: readPlan(plan),
      payload,
    };
  });
}

const identityOf = ({ scheduleId, occurrenceAt, origin }: RunIdentity) =>
  `${scheduleId} ${occurrenceAt} ${origin}`;
