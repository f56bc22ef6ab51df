import {
  encodeRunId,
  endedAtOf,
  PAUSE_CHANGES,
  RUN_CHANGES,
  type RunIdentity,
  SCHEDULE_CHANGES,
  type StoryRun,
  TZDATA_ACTOR,
} from '@carillon/shared';
import type { Database } from '../database.js';
import { asMilliseconds } from '../instants.js';
import { batch, statement, type Values } from '../statement.js';
import { firstSteps } from './ledger.js';

/** A change that a person or the engine made to a schedule or one of its runs, or a restore of the installation. */
export interface ScheduleChange {
  at: number;
  actor: string;
  action: string;
  detail: Record<string, unknown> | null;
}

/** The key of a schedule, and the range of time whose changes are read. */
export interface ChangesRange {
  key: string;
  fromAt: number;
  untilAt: number;
}

/**
 * Maximum number of audit entries that each search outside of the range reads. The last pause is searched among the
 * latest entries before the range, and among the latest entries of all. A paused schedule writes few entries, so a
 * pause that still holds is among them. Late reports of jobs are searched among the first entries after the range.
 */
const MAX_ENTRIES_AROUND_RANGE = 2_000;
/**
 * Maximum number of audit entries that are searched in the range. The audit log has an entry for each ping, and a job
 * that pings Carillon does so about twice for each run.
 */
const MAX_ENTRIES_IN_RANGE = 100_000;
/** Maximum number of changes of a schedule that are returned for the range. */
const MAX_CHANGES = 10_000;
/** Maximum number of earlier changes that have moved single occurrences. */
const MAX_MOVES = 1_000;

const ranges = batch<ChangesRange>('subject', { key: 'text', fromAt: 'instant', untilAt: 'instant' });

const quoted = (actions: Iterable<string>) => [...actions].map((action) => `'${action}'`).join(', ');

/**
 * SQL for the audit entries of one schedule from one id (included) until another (excluded). The conditions and the
 * order name all columns of the index `audit_log_subject`, so that Postgres reads that index. Sorted by the id alone,
 * Postgres might walk through the entries of all other schedules.
 */
const entries = (fromId: string, untilId: string, order: 'asc' | 'desc', limit: number) =>
  `select id, at, actor, action, detail from carillon.audit_log
   where (project_id, subject, id) >= (:projectId::bigint, subject.key, ${fromId})
     and (project_id, subject, id) < (:projectId::bigint, subject.key, ${untilId})
   order by project_id ${order}, subject ${order}, id ${order} limit ${limit}`;

const MAX_ID = '9223372036854775807';

/**
 * SQL for the ids of a schedule's entries at both ends of its range. No index finds audit entries by time, so this is a
 * binary search over the ids, which grow with time. It reads about 30 entries for each end, however many there are. The
 * range is a minute longer at each end, because the clock of Postgres may have been set.
 */
const BOUNDS = `
  search (is_start, target, low, high) as (
    select side.*, coalesce((select id from (${entries('0', MAX_ID, 'asc', 1)}) as first), 1),
           coalesce((select id from (${entries('0', MAX_ID, 'desc', 1)}) as last), 0) + 1
    from (values (true, subject.from_at - interval '1 minute'),
                 (false, subject.until_at + interval '1 minute')) as side(is_start, target)
    union all
    select is_start, target, case when middle.at < target then middle.id + 1 else low end,
           case when middle.at < target then high else (low + high) / 2 end
    from search left join lateral (${entries('(low + high) / 2', 'high', 'asc', 1)}) as middle on true
    where low < high
  ), bounds as (
    select max(low) filter (where is_start) as first_id, max(low) filter (where not is_start) as end_id
    from search where low >= high
  )`;
const FIRST_ID = '(select first_id from bounds)';
const END_ID = '(select end_id from bounds)';

const selectChanges = statement<Values, ScheduleChange & { key: string }>(
  'read-schedule-changes',
  `select subject.key, change.at, change.actor, change.action, change.detail
   from ${ranges.source} cross join lateral (
     with recursive ${BOUNDS}, earlier as (
       ${entries('0', FIRST_ID, 'desc', MAX_ENTRIES_AROUND_RANGE)}
     ), during as (
       ${entries(FIRST_ID, END_ID, 'asc', MAX_ENTRIES_IN_RANGE)}
     ), latest as (
       ${entries(END_ID, MAX_ID, 'desc', MAX_ENTRIES_AROUND_RANGE)}
     )
     (select * from latest where action in (${quoted(PAUSE_CHANGES)}) order by id desc limit 1)
     union all
     (select * from earlier where action in (${quoted(PAUSE_CHANGES)}) order by id desc limit 1)
     union all
     (select * from earlier
      where action in ('schedule.rescheduled', 'schedule.next_skipped')
        or (action = 'schedule.edited' and starts_with(actor, '${TZDATA_ACTOR}'))
      order by id desc limit ${MAX_MOVES})
     union all
     (select * from during where action in (${quoted(SCHEDULE_CHANGES)}) limit ${MAX_CHANGES})
     union all
     (select -generation, decided_at, decided_by, 'installation.restored', json_build_object('mode', mode,
               'heldAt', ${asMilliseconds('held_at')}, 'lostFromAt', ${asMilliseconds('lost_from')},
               'lostUntilAt', ${asMilliseconds('lost_until')})
      from carillon.restores order by generation desc limit 100)
   ) as change order by change.id`,
);

/**
 * Reads the changes of schedules while the given runs were due or open, and in the ranges `others`. Changes of single
 * runs are left out, because `readRunChanges` reads them.
 *
 * For each schedule, the list begins with all restores of the installation. Any occurrence may lie in the time whose
 * transactions Postgres has lost, so the restores concern every schedule. The changes follow, oldest first. They
 * include the last pause or resume before the range, the last one after the range, and the changes before the range
 * that have moved single occurrences.
 */
export async function readScheduleChanges(
  db: Database,
  {
    projectId,
    runs,
    others = [],
    nowAt,
  }: { projectId: number; runs: readonly SpannedRun[]; others?: readonly ChangesRange[]; nowAt: number },
): Promise<Map<string, ScheduleChange[]>> {
  const of = joinRanges([...runs.map((run) => spanOf(run, nowAt)), ...others]);
  const changes = new Map<string, ScheduleChange[]>(of.map(({ key }) => [key, []]));
  if (of.length === 0) return changes;
  const rows = await selectChanges(db, { projectId, ...ranges.of(of) });
  for (const { key, ...change } of rows) changes.get(key)?.push(change);
  return changes;
}

/** A change of a run by a person or its job, such as a replay or a report, or the request that has started the run. */
export interface RunChange extends ScheduleChange, RunIdentity {}

type SpannedRun = StoryRun & { scheduleKey: string };

const changedRuns = batch<RunIdentity & { id: string }>('run', {
  id: 'text',
  scheduleId: 'bigint',
  occurrenceAt: 'instant',
  origin: 'text',
});

const selectRunChanges = statement<Values, RunChange>(
  'read-run-changes',
  firstSteps(
    `select change.*, run.schedule_id as "scheduleId", run.occurrence_at as "occurrenceAt", run.origin
     from (
       select entry.* from ${ranges.source} cross join lateral (
         with recursive ${BOUNDS}
         (${entries(FIRST_ID, END_ID, 'asc', MAX_ENTRIES_IN_RANGE)})
         union all
         (${entries(END_ID, MAX_ID, 'asc', MAX_ENTRIES_AROUND_RANGE)})
       ) as entry
       where entry.action in (${quoted(RUN_CHANGES)})
     ) as change
     join ${changedRuns.source} on run.id = coalesce(change.detail ->> 'run', change.detail ->> 'runId')
     order by run.occurrence_at`,
    '"occurrenceAt", id',
  ),
);

/** The time from when a run was due, or was recorded if that was earlier, until it ended; until now if it is open. */
const spanOf = (run: SpannedRun, nowAt: number): ChangesRange => ({
  key: run.scheduleKey,
  fromAt: Math.min(run.dueAt, run.recordedAt),
  untilAt: endedAtOf(run) ?? nowAt,
});

/**
 * Joins the ranges of each schedule into one, from the earliest start to the latest end. The bounds are rounded to
 * whole milliseconds, because the statements take no fractions.
 */
function joinRanges(of: readonly ChangesRange[]): ChangesRange[] {
  const joined = new Map<string, ChangesRange>();
  for (const { key, fromAt, untilAt } of of) {
    const range = joined.get(key);
    joined.set(key, {
      key,
      fromAt: Math.floor(Math.min(fromAt, range?.fromAt ?? fromAt)),
      untilAt: Math.ceil(Math.max(untilAt, range?.untilAt ?? untilAt)),
    });
  }
  return [...joined.values()];
}

/** Reads the changes of runs, earliest occurrence first, up to `MAX_STEPS_PER_PAGE`. */
export async function readRunChanges(
  db: Database,
  { projectId, runs, nowAt }: { projectId: number; runs: readonly SpannedRun[]; nowAt: number },
): Promise<RunChange[]> {
  if (runs.length === 0) return [];
  const spans = joinRanges(runs.map((run) => spanOf(run, nowAt)));
  const of = runs.map((run) => ({ ...run, id: encodeRunId(run) }));
  return selectRunChanges(db, { projectId, ...ranges.of(spans), ...changedRuns.of(of) });
}
