import { instant } from '../instants.js';
import { addScheduleFilter, type ScheduleFilter } from '../schedules/schedule-filter.js';
import { Where } from '../where.js';

/** Selects some of the failed runs of a project. */
export interface FailedRunFilter {
  scheduleKeys?: readonly string[] | undefined;
  /** Only failed runs of the schedules that match this filter. */
  schedules?: ScheduleFilter | undefined;
  /** The receiver and the error, written as in a `DeadLetterGroup`. */
  receiver?: string | undefined;
  error?: string | undefined;
  /** Range of occurrences, both ends included. */
  from?: number | undefined;
  to?: number | undefined;
}

/** SQL: the error of a failed run, in words for people. */
export const RUN_ERROR = `coalesce(r.error, r.reason, 'no reason was recorded')`;

/**
 * SQL: the receiver of a plan as a short text: host and path of a webhook, or the type and name of any other target.
 */
export const receiverOf = (plan: string) => `(
  select case target ->> 'type'
    when 'webhook' then rtrim(substring(target ->> 'url' from '^[a-zA-Z]+://([^?#]*)'), '/')
    when 'queue' then 'queue ' || (target ->> 'queue')
    when 'handler' then 'handler ' || (target ->> 'name')
    else (target ->> 'type') || coalesce(' ' || (target ->> 'number'), '') end
  from (select ${plan}::json -> 'target') as defined(target))`;

/**
 * SQL: the plan (target and policies) that a run executes. A run keeps the definition with which it began, so an edit
 * of the schedule does not change its receiver.
 */
export const PLAN_OF_RUN = `coalesce((select plan from carillon.schedule_versions v
  where v.schedule_id = s.id and v.version = r.version and v.project_id = :projectId), s.plan)`;

/** SQL: the tables of a statement about failed runs. `runs` is the table or subquery from which the runs are read. */
export const sourceOf = (runs: string) =>
  `${runs} r join carillon.schedules s on s.id = r.schedule_id left join carillon.agenda a on a.schedule_id = s.id`;

/** SQL: the latest failed runs of the project `:projectId`. */
export const latestFailed = (limit: number | string) =>
  `select schedule_id, occurrence_at, origin, project_id, version, failed_at, replays, error, reason from carillon.runs
   where project_id = :projectId and failed_at is not null order by failed_at desc limit ${limit}`;

/**
 * SQL: true if the run was sent to `:receiver`. Parsing a plan is slow, so only plans that contain the text of the
 * receiver are parsed.
 */
const MATCHES_RECEIVER = `case when strpos(${PLAN_OF_RUN}, :receiverText) > 0 then ${receiverOf(PLAN_OF_RUN)} = :receiver else false end`;

/**
 * The part of a receiver's name that appears word for word in the JSON of a stored plan. A name looks like
 * `example.com/hook`, `queue mail` or `handler export`. If it begins with the type of the target (such as `queue`), the
 * type is left out, because it does not stand before the name in the JSON.
 */
const textInPlan = (receiver: string) => JSON.stringify(receiver.replace(/^\S+ /, '')).slice(1, -1);

/**
 * The tables and conditions that select the failed runs matching a filter. The aliases are `r` (runs), `s` (schedules)
 * and `a` (agenda).
 */
export function matchFailedRuns(
  projectId: number,
  filter: FailedRunFilter,
): { source: string; where: Where } {
  const { scheduleKeys, schedules, receiver, error, from, to } = filter;
  const where = new Where()
    .add('projectId', projectId, 'r.project_id = :projectId and s.project_id = :projectId')
    .always('r.failed_at is not null')
    .add('scheduleKeys', scheduleKeys, 's.key = any(:scheduleKeys::text[])')
    .add('from', from, `r.occurrence_at >= ${instant(':from::bigint')}`)
    .add('to', to, `r.occurrence_at <= ${instant(':to::bigint')}`)
    .add('error', error, `${RUN_ERROR} = :error`)
    .add('receiver', receiver, MATCHES_RECEIVER);
  if (receiver !== undefined) where.parameter('receiverText', textInPlan(receiver));
  if (schedules) addScheduleFilter(where, schedules);
  return { source: sourceOf('carillon.runs'), where };
}
