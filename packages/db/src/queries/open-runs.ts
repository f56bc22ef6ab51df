import { type Admission, admitRun, type OpenRuns, type Plan } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Transaction } from '../database.js';
import { fromMs } from '../sql-text.js';

/** What a counting policy looks at. The caller holds the row lock of the schedule, so nothing starts meanwhile. */
interface Counted {
  id: number;
  projectId: number;
  plan: Plan;
}

export async function admit(tx: Transaction, schedule: Counted, nowAt: number): Promise<Admission> {
  const isDependencyMet = schedule.plan.dependsOn === null || (await hasSucceededWithin(tx, schedule, nowAt));
  return admitRun(schedule.plan, await countOpenRuns(tx, schedule.id), isDependencyMet);
}

export async function countOpenRuns(tx: Transaction, scheduleId: number): Promise<OpenRuns> {
  const { rows } = await tx.query<{ started: number; queued: number }>({
    name: 'count-open-runs',
    // A queued run whose turn has come counts as started, though no worker has taken it yet.
    text: `select (count(*) filter (where status <> 'queued' or next_attempt_at is not null))::int as started,
                  (count(*) filter (where status = 'queued' and next_attempt_at is null))::int as queued
           from runs where schedule_id = $1 and open`,
    values: [scheduleId],
  });
  return rows[0] as OpenRuns;
}

/** An occurrence may succeed long after its time, but past this its success is no news that others wait for. */
const LATEST_SUCCESS = `interval '30 days'`;

async function hasSucceededWithin(
  tx: Transaction,
  { projectId, plan }: Counted,
  nowAt: number,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'has-succeeded-within',
    text: `select from every_schedule s
           join runs r on r.schedule_id = s.id
           where s.project_id = $1 and s.key = $2 and r.status = 'succeeded'
             and r.finished_at >= ${fromMs('$3::bigint - $4::bigint')}
             and r.occurrence_at >= ${fromMs('$3::bigint - $4::bigint')} - ${LATEST_SUCCESS}
           limit 1`,
    values: [projectId, plan.dependsOn?.schedule, nowAt, plan.dependsOn?.withinMs],
  });
  return (rowCount ?? 0) > 0;
}

/** Closes every open run of a schedule: those that wait, and those in flight, whose late answer will be refused. */
export async function cancelOpenRuns(
  tx: Transaction,
  scheduleId: number,
  reason: string,
  nowAt: number,
): Promise<void> {
  await tx.query({
    name: 'cancel-open-runs',
    text: `update runs
           set status = 'cancelled', open = null, next_attempt_at = null, finished_at = ${fromMs('$2::bigint')},
               outcome = (case when status = 'running' then 'cancelled' else outcome::text end)::attempt_outcome,
               reason_code = 'overlap', reason = $3
           where schedule_id = $1 and open`,
    values: [scheduleId, nowAt, reason],
  });
}

/**
 * Schedules of which runs wait for their turn though none is under way. Whoever closed the last one was to let the next
 * begin, and was lost in between.
 */
export async function readStuckQueues(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ schedule_id: number }>({
    name: 'read-stuck-queues',
    // Few are open, so these first: begun from the other side, it would look at every schedule.
    text: `with waiting as materialized (
             select schedule_id from runs where open
             group by schedule_id having bool_and(status = 'queued' and next_attempt_at is null)
           )
           select s.id as schedule_id from waiting join schedules s on s.id = waiting.schedule_id
           where s.counted and s.status in ('active', 'finished')
           order by s.id limit 1000`,
  });
  return rows.map((row) => row.schedule_id);
}
