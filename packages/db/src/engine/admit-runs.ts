import { type Admission, admitRun, type OpenRuns, type Plan } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inFireTransaction, type Transaction } from '../database.js';
import { IN_FLIGHT } from '../runs/run-transitions.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';

/**
 * A schedule whose overlap, concurrency or dependency policy requires a count of its open runs before another run
 * starts. The caller has locked the schedule, so no other transaction can start a run of it meanwhile.
 */
export interface CountedSchedule {
  id: number;
  projectId: number;
  plan: Plan;
}

/** Decides for each of these schedules whether another run may start now, beside the runs that are open. */
export async function admitRuns(
  tx: Transaction,
  schedules: readonly CountedSchedule[],
  nowAt: number,
): Promise<Map<number, Admission>> {
  if (schedules.length === 0) return new Map();
  const open = await countOpenRuns(
    tx,
    schedules.map(({ id }) => id),
  );
  const unmet = await findUnmetDependencies(tx, schedules, nowAt);
  return new Map(schedules.map(({ id, plan }) => [id, admitRun(plan, open.get(id) ?? NONE, !unmet.has(id))]));
}

const NONE: OpenRuns = { started: 0, queued: 0 };

/**
 * A queued run whose turn has come (its `next_attempt_at` is not infinity) counts as started, even if no worker has
 * claimed it yet.
 */
const selectOpenRuns = statement<{ scheduleIds: string }, OpenRuns & { scheduleId: number }>(
  'count-open-runs',
  `select schedule_id as "scheduleId",
          count(*) filter (where status <> 'queued' or next_attempt_at < 'infinity') as started,
          count(*) filter (where status = 'queued' and next_attempt_at = 'infinity') as queued
   from (
     select schedule_id, status, next_attempt_at from carillon.runs
     where schedule_id = any(:scheduleIds::bigint[]) and next_attempt_at is not null
     union all
     select r.schedule_id, r.status, r.next_attempt_at from ${IN_FLIGHT} where r.schedule_id = any(:scheduleIds::bigint[])
   ) as open
   group by schedule_id`,
);

export async function countOpenRuns(
  db: Database,
  scheduleIds: readonly number[],
): Promise<Map<number, OpenRuns>> {
  const rows = await selectOpenRuns(db, { scheduleIds: arrayOf(scheduleIds) });
  return new Map(rows.map(({ scheduleId, started, queued }) => [scheduleId, { started, queued }]));
}

const dependencies = batch<{ id: number; projectId: number; key: string; sinceAt: number }>('dependency', {
  id: 'bigint',
  projectId: 'bigint',
  key: 'text',
  sinceAt: 'instant',
});

/**
 * A run of a schedule with a dependency starts only if a run of another schedule has succeeded within a time window
 * (`withinMs`). The occurrence of that other run may be at most this much earlier than the window. The limit keeps the
 * search for such a run short.
 */
const OCCURRENCE_LOOKBACK = `interval '30 days'`;

const selectUnmet = statement<Values, { id: number }>(
  'find-unmet-dependencies',
  `select dependency.id from ${dependencies.source}
   where not exists (
     select from carillon.schedules s join carillon.runs r on r.schedule_id = s.id
     where s.project_id = dependency.project_id and s.key = dependency.key and r.status = 'succeeded'
       and r.finished_at >= dependency.since_at and r.occurrence_at >= dependency.since_at - ${OCCURRENCE_LOOKBACK}
   )`,
);

async function findUnmetDependencies(
  tx: Transaction,
  schedules: readonly CountedSchedule[],
  nowAt: number,
): Promise<Set<number>> {
  const rows = schedules.flatMap(({ id, projectId, plan: { dependsOn } }) =>
    dependsOn ? [{ id, projectId, key: dependsOn.schedule, sinceAt: nowAt - dependsOn.withinMs }] : [],
  );
  if (rows.length === 0) return new Set();
  return new Set((await selectUnmet(tx, dependencies.of(rows))).map(({ id }) => id));
}

const selectQueues = statement<{ scheduleIds: string }, { scheduleId: number }>(
  'find-schedules-with-queue',
  `select distinct schedule_id as "scheduleId" from carillon.runs
   where schedule_id = any(:scheduleIds::bigint[]) and next_attempt_at is not null and status = 'queued'
     and next_attempt_at = 'infinity'
   order by schedule_id`,
);

/** Returns the ids of the schedules, among the given ones, that have queued runs. */
export async function findSchedulesWithQueue(
  db: Database,
  scheduleIds: readonly number[],
): Promise<number[]> {
  if (scheduleIds.length === 0) return [];
  const rows = await selectQueues(db, { scheduleIds: arrayOf(scheduleIds) });
  return rows.map(({ scheduleId }) => scheduleId);
}

/**
 * Finds active schedules that have queued runs and no other open run. Normally the worker that closes a run lets the
 * next queued run start. If that worker was lost before it could, the sweep does this instead. The search is not
 * limited to schedules with an overlap, concurrency or dependency policy, because an edit may have removed the policy
 * while runs were queued. One sweep takes at most 200 schedules, in random order, so that no project can keep the
 * others waiting.
 */
const selectStuckQueues = statement<object, { scheduleId: number }>(
  'read-stuck-queues',
  `with waiting as materialized (
     select schedule_id from carillon.runs where next_attempt_at is not null
     group by schedule_id having bool_and(status = 'queued' and next_attempt_at = 'infinity')
   )
   select s.id as "scheduleId" from waiting join carillon.schedules s on s.id = waiting.schedule_id
   where s.status = 'active'
     and not exists (select from ${IN_FLIGHT} where r.schedule_id = s.id)
   order by random() limit 200`,
);

export async function readStuckQueues(pool: Pool): Promise<number[]> {
  return (await inFireTransaction(pool, (tx) => selectStuckQueues(tx, {}))).map(
    ({ scheduleId }) => scheduleId,
  );
}
