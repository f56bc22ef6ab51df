import { NOW } from '../instants.js';

/** Rows of an index that each source reads: a million failures must not make the answer slow. */
const MAX_READ = 2_000;

/**
 * The schedules that need a person, by the reason why: a query with the columns id, at and note, the most urgent first. Its
 * parameters are `:projectId` and `:now`. A count and the list that it counts are made from the same source.
 */
export const ATTENTION_SOURCES = {
  /** A run failed for good within the last day. */
  failing: `
    select id, at, note from (
      select distinct on (r.schedule_id) r.schedule_id as id, r.failed_at as at, coalesce(r.error, r.reason) as note
      from (
        select schedule_id, failed_at, error, reason from carillon.runs
        where project_id = :projectId and failed_at is not null and failed_at > ${NOW} - interval '1 day'
        order by failed_at desc limit ${MAX_READ}
      ) as r
      order by r.schedule_id, r.failed_at desc
    ) as latest
    order by at desc`,
  /** The engine itself has paused it: after failures, after 410 Gone, or for a rule that can't be evaluated. */
  paused: `
    select id, paused_at as at, pause_note as note from (
      select id, paused_at, pause_note, paused_by from carillon.schedules
      where project_id = :projectId and status <> 'active' and status = 'paused'
      order by id desc limit ${MAX_READ}
    ) as paused
    where paused_by = 'carillon' order by paused_at desc`,
  /** The schedule has been due for three sweeps at their default interval: by then a sweep has claimed what no bell rang for. */
  overdue: `
    select schedule_id as id, due_at as at, null::text as note from carillon.agenda
    where project_id = :projectId and not is_held and due_at < ${NOW} - interval '15 seconds'
    order by due_at`,
  /** The runs of the schedule wait because the circuit of their receiver is open. */
  blocked: `
    select id, at, note from (
      select distinct on (schedule_id) schedule_id as id, happened_at as at, reason as note
      from (
        select schedule_id, happened_at, reason, reason_code from carillon.runs
        where project_id = :projectId and next_attempt_at is not null and next_attempt_at < 'infinity'
        order by next_attempt_at limit ${MAX_READ}
      ) as waiting
      where reason_code = 'circuit_open' order by schedule_id, happened_at desc
    ) as latest
    order by at desc`,
  /** The breach of an objective lasts. */
  breaching: `
    select schedule_id as id, max(opened_at) as at, (array_agg(sentence order by id desc))[1] as note
    from (
      select id, schedule_id, opened_at, sentence from carillon.alerts
      where project_id = :projectId and resolved_at is null order by id desc limit ${MAX_READ}
    ) as open
    group by schedule_id order by 2 desc`,
} as const;

export type AttentionKind = keyof typeof ATTENTION_SOURCES;
/** How far a count goes, and how many schedules a list has: this many means "at least". */
export const MAX_ATTENTION_COUNT = 1_000;
