import type { Database } from '../database.js';
import { monthOf, NOW } from '../instants.js';
import { statement, type Values } from '../statement.js';
import { hasPartitions } from './partitions.js';

/** Figures of the installation that only monitoring needs. */
export interface InstallationFigures {
  /** How far the clock of each live worker is ahead of Postgres's. */
  clockOffsets: { workerId: number; offsetMs: number }[];
  /** Number of consecutive months that have their partitions, from the current one on. */
  partitionsReady: number;
  /** The age of the oldest open transaction in this database, among those that our database role may see. */
  longestTransactionMs: number;
}

/**
 * Number of months that are checked for partitions, and so the maximum of `partitionsReady`. Normally three months have
 * their partitions: the current one and the next two.
 */
const MONTHS_LOOKED_AT = 12;

const selectFigures = statement<{ now: number | null }, InstallationFigures>(
  'read-installation-figures',
  `with live as (
     select id, clock_offset_ms from carillon.workers
     where stopped_at is null and alive_until > ${NOW} order by id limit 1000
   ), month as (
     select n, ${hasPartitions(`${monthOf(NOW)} + n * interval '1 month'`)} as is_ready
     from generate_series(0, ${MONTHS_LOOKED_AT - 1}) as n
   )
   select coalesce((select json_agg(json_build_object('workerId', id, 'offsetMs', clock_offset_ms)) from live), '[]') as "clockOffsets",
          coalesce((select min(n) from month where not is_ready), ${MONTHS_LOOKED_AT})::int as "partitionsReady",
          coalesce((select max(extract(epoch from clock_timestamp() - xact_start)) * 1000 from pg_stat_activity
                    where datname = current_database() and pid <> pg_backend_pid()), 0)::float8 as "longestTransactionMs"`,
);

export async function readInstallationFigures(
  db: Database,
  now: number | null,
): Promise<InstallationFigures> {
  const [figures] = await selectFigures(db, { now });
  return figures as InstallationFigures;
}

/** Recurring schedules of all projects with the same rule and the same next occurrence. */
export interface ComingGroup {
  timing: string;
  occurrenceAt: number;
  runsLeft: number | null;
  schedules: number;
}

export interface ComingFires {
  now: number;
  /** For each number of minutes that the caller passed: how many next fires and retries are due within that time. */
  next: number[];
}

const selectNext = statement<Values, ComingFires>(
  'count-coming-fires',
  `with clock as materialized (select ${NOW} as now),
   due as (
     select due_at as at from carillon.agenda, clock
     where not is_held and due_at > clock.now and due_at <= clock.now + make_interval(mins => :longest)
     union all
     select next_attempt_at from carillon.runs, clock
     where next_attempt_at > clock.now and next_attempt_at <= clock.now + make_interval(mins => :longest)
   )
   select clock.now, array(
     select (select count(*)::int from due where at <= clock.now + make_interval(mins => minutes))
     from unnest(:minutes::int[]) with ordinality as wanted (minutes, place) order by place
   ) as next
   from clock`,
);

/**
 * Counts the next fires and the retries of all projects that are due soon: one count for each number of minutes in
 * `minutes`.
 */
export async function countComingFires(
  db: Database,
  { minutes, now }: { minutes: readonly number[]; now: number | null },
): Promise<ComingFires> {
  const [coming] = await selectNext(db, { minutes, longest: Math.max(...minutes), now });
  return coming as ComingFires;
}

/**
 * Maximum numbers of schedules and of groups (schedules with the same rule and next occurrence) whose later fires are
 * counted. Every other schedule counts with its next fire only.
 */
const MAX_SCHEDULES = 200_000;
const MAX_GROUPS = 5_000;

const selectGroups = statement<Values, ComingGroup>(
  'read-coming-groups',
  `select s.timing, a.occurrence_at as "occurrenceAt",
          case when s.plan like '%"maxRuns"%' then greatest(0, (s.plan::json ->> 'maxRuns')::int - a.runs_total) end as "runsLeft",
          count(*)::int as schedules
   from (
     select schedule_id, occurrence_at, runs_total from carillon.agenda
     where not is_held and due_at <= ${NOW} + make_interval(mins => :minutes) order by due_at limit ${MAX_SCHEDULES}
   ) as a join carillon.schedules s on s.id = a.schedule_id
   where s.timing not like '%"kind":"at"%'
   group by 1, 2, 3 order by 4 desc limit ${MAX_GROUPS}`,
);

/** The recurring schedules of all projects that are due within `minutes`, grouped by rule and next occurrence. */
export function readComingGroups(
  db: Database,
  parameters: { minutes: number; now: number | null },
): Promise<ComingGroup[]> {
  return selectGroups(db, parameters);
}
