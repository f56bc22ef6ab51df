import type { Pool } from 'pg';
import { fromMs, numberArray } from '../sql-text.js';
import type { Pause } from './pause-resume.js';

/** Which schedules to stop, and who says so. */
export interface StopRequest {
  projectId: number;
  ids: readonly number[];
  actor: string;
}

export interface Stopped {
  /** How many were stopped. */
  changed: number;
  /** Those that have to be looked at one by one: they are in another state, or something of theirs is overdue. */
  others: string[];
}

/**
 * The same as pausing or cancelling one, for many in one statement: whoever stops ten thousand schedules wants it done now.
 * Rows are locked in ascending order like everywhere else, and a claim that holds one of them is waited for; the time that
 * all is decided by is read once, when the locks are had.
 */
const stopMany = ({
  fits,
  set,
  runs,
  action,
}: {
  fits: string;
  set: string;
  runs: string;
  action: string;
}) => `
  with picked as materialized (
    select id, key, status, occurrence_at, next_run_at from schedules
    where project_id = $1 and id = any($2::bigint[]) order by id for update
  ), clock as materialized (
    select clock_timestamp()::timestamptz(3) as now from (select count(*) from picked) as locked
  ), stopped as (
    update schedules s set version = s.version + 1, updated_at = clock.now, ${set}
    from picked, clock where s.id = picked.id and ${fits}
    returning s.id, s.key
  ), waiting as (
    update runs r set ${runs} from stopped, clock
    where r.schedule_id = stopped.id and r.open and r.status in ('queued', 'retrying')
  ), audited as (
    insert into audit_log (project_id, actor, action, subject, detail)
    select $1, $3, '${action}', key, $4::json from stopped
  )
  select picked.key, stopped.id is not null as is_stopped from picked left join stopped on stopped.id = picked.id`;

const PAUSE_MANY = stopMany({
  fits: `picked.status in ('active', 'paused')`,
  set: `status = 'paused', paused_at = coalesce(s.paused_at, clock.now), paused_until = ${fromMs('$5::bigint')},
        paused_by = $3, pause_note = $6`,
  runs: 'next_attempt_at = null',
  action: 'schedule.paused',
});

/** Not where its rule has named something already, be it put off to later: that has to be accounted for. */
const CANCEL_MANY = stopMany({
  fits: `picked.status in ('active', 'paused') and least(picked.occurrence_at, picked.next_run_at) > clock.now`,
  set: `status = 'cancelled', occurrence_at = null, next_run_at = null, paused_until = null`,
  runs: `status = 'cancelled', open = null, next_attempt_at = null, finished_at = clock.now,
         reason_code = 'schedule_cancelled', reason = 'its schedule was cancelled by ' || $3`,
  action: 'schedule.cancelled',
});

export function pauseMany(pool: Pool, request: StopRequest, pause: Pause): Promise<Stopped> {
  return stop(pool, PAUSE_MANY, [...valuesOf(request), JSON.stringify(pause), pause.untilAt, pause.note]);
}

export function cancelMany(pool: Pool, request: StopRequest): Promise<Stopped> {
  return stop(pool, CANCEL_MANY, [...valuesOf(request), null]);
}

const valuesOf = ({ projectId, ids, actor }: StopRequest) => [projectId, numberArray(ids), actor];

async function stop(pool: Pool, text: string, values: unknown[]): Promise<Stopped> {
  const { rows } = await pool.query<{ key: string; is_stopped: boolean }>(text, values);
  const others = rows.filter((row) => !row.is_stopped).map(({ key }) => key);
  return { changed: rows.length - others.length, others };
}
