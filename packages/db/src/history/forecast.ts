import type { Database } from '../database.js';
import { instant, NOW } from '../instants.js';
import { agendaOfMatching } from '../schedules/match-schedules.js';
import type { ScheduleFilter } from '../schedules/schedule-filter.js';
import { batch, query, statement, type Values } from '../statement.js';

/**
 * Recurring schedules with the same rule and the same next occurrence: all of them have the same future occurrences.
 */
export interface ForecastGroup {
  /** Canonical JSON; `readTiming` reads it. */
  timing: string;
  occurrenceAt: number;
  /** Number of runs that each schedule of the group has left; null without a limit. */
  runsLeft: number | null;
  /**
   * When the first and the last schedule of the group are due. Both times equal the occurrence, unless jitter or a
   * reschedule moved a schedule.
   */
  dueFromAt: number;
  dueToAt: number;
  schedules: number;
}

/** Maximum number of schedules that one forecast reads. */
const MAX_SCHEDULES = 250_000;

interface Range {
  projectId: number;
  toAt: number;
}

const IS_AHEAD = `a.project_id = :projectId and not a.is_held and a.due_at <= ${instant(':toAt')}`;
const IS_RECURRING = `s.timing not like '%"kind":"at"%'`;
const RUNS_LEFT = `case when s.plan not like '%"maxRuns"%' then null
  else greatest(0, (s.plan::json ->> 'maxRuns')::int - a.runs_total) end`;

/** Counts an overdue schedule as due now. The statement is an index-only scan, however many schedules there are. */
const selectNext = statement<Values, { at: number; fires: number }>(
  'read-next-fires',
  `select date_bin('1 minute', greatest(a.due_at, ${NOW}), 'epoch') as at, count(*) as fires
   from carillon.agenda a where ${IS_AHEAD} group by 1 order by 1`,
);

/** Counts the next fire of every schedule, by minute. Later fires of recurring schedules are not counted here. */
export async function readNextFires(db: Database, { projectId, toAt }: Range): Promise<Map<number, number>> {
  const minutes = await selectNext(db, { projectId, toAt, now: null });
  return new Map(minutes.map(({ at, fires }) => [at, fires]));
}

/**
 * All one-shots form a single group without a timing. They are counted only to find out whether there are more than
 * `MAX_SCHEDULES` schedules.
 */
const GROUPS = (source: string) => `
  select case when ${IS_RECURRING} then s.timing end as timing, case when ${IS_RECURRING} then a.occurrence_at end as "occurrenceAt",
         case when ${IS_RECURRING} then ${RUNS_LEFT} end as "runsLeft", min(a.due_at) as "dueFromAt", max(a.due_at) as "dueToAt",
         count(*) as schedules
  from (${source} limit ${MAX_SCHEDULES + 1}) as a
  join carillon.schedules s on s.id = a.schedule_id
  group by 1, 2, 3`;

type GroupRow = ForecastGroup | (Omit<ForecastGroup, 'timing'> & { timing: null });
const isRecurring = (row: GroupRow): row is ForecastGroup => row.timing !== null;

const selectGroups = statement<Range, GroupRow>(
  'read-forecast',
  // The inner query has no `order by`. With one, Postgres would follow the index of due times and read the table row by
  // row.
  `${GROUPS(`select * from carillon.agenda a where ${IS_AHEAD}`)} order by schedules desc`,
);

/**
 * Groups the recurring schedules that are due until an instant, the largest group first. `isComplete` is false if there
 * are more schedules than one forecast reads.
 */
export async function readForecastGroups(
  db: Database,
  range: Range,
): Promise<{ groups: ForecastGroup[]; isComplete: boolean }> {
  const rows = await selectGroups(db, range);
  const read = rows.reduce((sum, { schedules }) => sum + schedules, 0);
  return { groups: rows.filter(isRecurring), isComplete: read <= MAX_SCHEDULES };
}

/** Maximum number of schedules whose fires the dry run of a bulk action counts. */
const MAX_MATCHING = 20_000;

/**
 * Groups the schedules that match a filter. One-shots are included, with a `runsLeft` of 1. `isComplete` is false if
 * there are more schedules than the dry run of a bulk action counts.
 */
export async function readForecastOfMatching(
  db: Database,
  { projectId, filter, beforeId, toAt }: Range & { filter: ScheduleFilter; beforeId: number | null },
): Promise<{ groups: ForecastGroup[]; isComplete: boolean }> {
  const { head, source, parameters } = agendaOfMatching({ projectId, filter, beforeId });
  const groups = await query<ForecastGroup>(
    db,
    `${head} select s.timing, a.occurrence_at as "occurrenceAt", case when ${IS_RECURRING} then ${RUNS_LEFT} else 1 end as "runsLeft",
            min(a.due_at) as "dueFromAt", max(a.due_at) as "dueToAt", count(*) as schedules
     from (${source} and a.due_at <= ${instant(':toAt')} limit ${MAX_MATCHING}) as a
     cross join lateral (select a.timing, a.plan) as s
     group by 1, 2, 3`,
    { ...parameters, toAt },
  );
  return { groups, isComplete: groups.reduce((sum, group) => sum + group.schedules, 0) < MAX_MATCHING };
}

/** A schedule that fires in a certain minute. */
export interface MinuteSchedule {
  key: string;
  name: string | null;
  rule: unknown;
  targetType: string;
  nextRunAt: number;
}

const MINUTE_COLUMNS = `s.key, s.name, s.rule, s.target_type as "targetType", a.due_at as "nextRunAt"`;

const selectDueWithin = statement<Values, MinuteSchedule>(
  'read-due-within',
  `select ${MINUTE_COLUMNS}
   from (
     select * from carillon.agenda a
     where a.project_id = :projectId and not a.is_held and a.due_at >= ${instant(':fromAt')} and a.due_at < ${instant(':toAt')}
     order by a.due_at, a.schedule_id limit :limit
   ) as a join carillon.schedules s on s.id = a.schedule_id
   order by a.due_at, a.schedule_id`,
);

/**
 * The schedules whose next fire lies within a range of time: the first `limit` of them, in the order of their due
 * times.
 */
export function readDueWithin(
  db: Database,
  range: { projectId: number; fromAt: number; toAt: number; limit: number },
): Promise<MinuteSchedule[]> {
  return selectDueWithin(db, range);
}

const pickedGroups = batch<Omit<ForecastGroup, 'schedules'>>('picked', {
  timing: 'text',
  occurrenceAt: 'instant',
  runsLeft: 'int',
  dueFromAt: 'instant',
  dueToAt: 'instant',
});

const selectOfGroups = statement<Values, MinuteSchedule>(
  'read-schedules-of-groups',
  `select ${MINUTE_COLUMNS}
   from ${pickedGroups.source} cross join lateral (
     select * from carillon.agenda a
     where a.project_id = :projectId and not a.is_held and a.occurrence_at = picked.occurrence_at
       and a.due_at between picked.due_from_at and picked.due_to_at
     order by a.due_at, a.schedule_id limit 1000
   ) as a join carillon.schedules s on s.id = a.schedule_id and s.timing = picked.timing
     and ${RUNS_LEFT} is not distinct from picked.runs_left
   order by a.due_at, a.schedule_id limit :limit`,
);

/** Up to `limit` schedules of these groups, in the order in which they are due. */
export function readSchedulesOfGroups(
  db: Database,
  { projectId, picked, limit }: { projectId: number; picked: readonly ForecastGroup[]; limit: number },
): Promise<MinuteSchedule[]> {
  return selectOfGroups(db, { projectId, limit, ...pickedGroups.of(picked) });
}
