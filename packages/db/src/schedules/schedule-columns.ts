/** A schedule's status as people see it. */
export type ScheduleStatus = 'active' | 'paused' | 'finished' | 'cancelled';

/**
 * SQL expressions about a schedule, over the aliases `s` (schedules) and `a` (agenda, outer joined). Other code uses
 * these expressions and need not know which of the two tables holds a value.
 */

/** An active schedule that has left the agenda is finished. */
export const SCHEDULE_STATUS = `(case when s.status = 'active' and a.schedule_id is null then 'finished' else s.status::text end)`;

/**
 * A schedule that leaves the agenda after exactly one run stores no totals (see the table `schedules`). So missing
 * totals mean one run.
 */
export const RUNS_TOTAL = `coalesce(a.runs_total, s.runs_total, 1)`;

const FIRED_ONCE = 'a.schedule_id is null and s.runs_total is null';
const onlyRun = (column: string) =>
  `(select r.${column} from carillon.runs r
    where ${FIRED_ONCE} and r.schedule_id = s.id and r.origin = 'rule' and r.status <> 'skipped'
    order by r.occurrence_at desc limit 1)`;

export const LAST_RUN_AT = `coalesce(a.last_run_at, s.last_run_at, ${onlyRun('occurrence_at')})`;
export const LAST_CLAIMED_AT = `coalesce(a.last_claimed_at, s.last_claimed_at, ${onlyRun('recorded_at')})`;
