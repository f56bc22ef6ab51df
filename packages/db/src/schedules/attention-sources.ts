import { NOW } from '../instants.js';

/**
 * Maximum number of rows that a query reads from an index, so that a project with a million failures gets its answer
 * quickly too.
 */
const MAX_ROWS_PER_SOURCE = 2_000;

/**
 * The schedules that need a person, by reason. Each reason has a query with the columns id, at and note, the most
 * urgent schedule first, and with the parameters `:projectId` and `:now`. The count and the list of a reason use the
 * same query.
 */
export const ATTENTION_SOURCES = {
  /** A run failed for good within the last day. */
  failing: `
    select id, at, note from (
      select distinct on (r.schedule_id) r.schedule_id as id, r.failed_at as at, coalesce(r.error, r.reason) as note
      from (
        select schedule_id, failed_at, error, reason from carillon.runs
        where project_id = :projectId and failed_at is not null and failed_at > ${NOW} - interval '1 day'
        order by failed_at desc limit ${MAX_ROWS_PER_SOURCE}
      ) as r
      order by r.schedule_id, r.failed_at desc
    ) as latest
    order by at desc`,
  /** The engine has paused the schedule: after failures, after 410 Gone, or for a rule that can't be evaluated. */
  paused: `
    select s.id, stopped.paused_by_engine_at as at, s.pause_note as note
    from carillon.stopped_schedules stopped join carillon.schedules s on s.id = stopped.schedule_id
    where stopped.project_id = :projectId and stopped.paused_by_engine_at is not null
    order by stopped.paused_by_engine_at desc`,
  /**
   * The occurrence has been due for 15 s, which is three sweeps at the default interval, and no worker has claimed it.
   * A lost wake-up alone cannot cause that, because a sweep would have claimed the occurrence.
   */
  overdue: `
    select schedule_id as id, due_at as at, null::text as note from carillon.agenda
    where project_id = :projectId and not is_held and due_at < ${NOW} - interval '15 seconds'
    order by due_at`,
  /** The runs of the schedule wait because the circuit breaker of their receiver is open. */
  blocked: `
    select id, at, note from (
      select distinct on (schedule_id) schedule_id as id, happened_at as at, reason as note
      from (
        select schedule_id, happened_at, reason, reason_code from carillon.runs
        where project_id = :projectId and next_attempt_at is not null and next_attempt_at < 'infinity'
        order by next_attempt_at limit ${MAX_ROWS_PER_SOURCE}
      ) as waiting
      where reason_code = 'circuit_open' order by schedule_id, happened_at desc
    ) as latest
    order by at desc`,
  /** The schedule misses one of its objectives now, so it has an open alert. */
  breaching: `
    select schedule_id as id, max(opened_at) as at, (array_agg(sentence order by id desc))[1] as note
    from (
      select id, schedule_id, opened_at, sentence from carillon.alerts
      where project_id = :projectId and resolved_at is null order by id desc limit ${MAX_ROWS_PER_SOURCE}
    ) as open
    group by schedule_id order by 2 desc`,
} as const;

export type AttentionKind = keyof typeof ATTENTION_SOURCES;
/**
 * Maximum count of a reason, and maximum number of schedules in its list. A count of exactly this number means "at
 * least".
 */
export const MAX_ATTENTION_COUNT = 1_000;
