import { LATENESS_BOUNDS_MS, MINUTE_MS } from '@carillon/shared';
import type { Database } from '../database.js';
import { instant, milliseconds, NOW } from '../instants.js';
import { statement, type Values } from '../statement.js';

const BUCKETS = LATENESS_BOUNDS_MS.length + 1;
const isInBucket = (bucket: number) => {
  const above = LATENESS_BOUNDS_MS[bucket - 1];
  const upTo = LATENESS_BOUNDS_MS[bucket];
  return [
    'r.lateness_ms is not null',
    above === undefined ? null : `r.lateness_ms > ${above}`,
    upTo === undefined ? null : `r.lateness_ms <= ${upTo}`,
  ]
    .filter((condition) => condition !== null)
    .join(' and ');
};
const forEachBucket = (sql: (bucket: number) => string) =>
  Array.from({ length: BUCKETS }, (_, bucket) => sql(bucket)).join(', ');

/**
 * A run counts in the minute of `happened_at`. While the run is running, and after a success that took less than two
 * seconds, that is the time of its claim. For any other run it is the time of the last change.
 */
const MINUTE = `date_bin('1 minute', r.happened_at, 'epoch')`;
const isStatus = (status: string) => `count(*) filter (where r.status = '${status}')::int`;
/** The lateness of a run is counted once: not while the run waits for a retry, and not again after a replay. */
const HAS_LATENESS = `r.status in ('succeeded', 'failed', 'cancelled') and r.replays = 0`;

const COUNTS = `
  ${isStatus('succeeded')} as succeeded, ${isStatus('failed')} as failed, ${isStatus('skipped')} as skipped,
  ${isStatus('cancelled')} as cancelled, ${isStatus('running')} as open,
  array[${forEachBucket((bucket) => `count(*) filter (where ${HAS_LATENESS} and ${isInBucket(bucket)})`)}]::int[] as lateness`;
const IS_COUNTED = `r.status not in ('queued', 'retrying')`;

/**
 * A run that is replayed counts again in a later minute. Its earlier result stays counted in the old minute, because it
 * did happen. So no count decreases.
 */
const MERGE = `
  succeeded = greatest(s.succeeded, excluded.succeeded), failed = greatest(s.failed, excluded.failed),
  skipped = greatest(s.skipped, excluded.skipped), cancelled = greatest(s.cancelled, excluded.cancelled),
  open = excluded.open, computed_at = excluded.computed_at,
  lateness = case when excluded.succeeded + excluded.failed + excluded.cancelled >= s.succeeded + s.failed + s.cancelled
    then excluded.lateness else s.lateness end`;

/**
 * A minute is computed this long after its end, so that its transactions have time to commit. Later commits are not
 * waited for.
 */
const COMMIT_MARGIN_MS = 15_000;
/** Maximum number of minutes that one call computes. A larger backlog is computed in several sweeps. */
const MAX_MINUTES_AT_ONCE = 10;
/** On an installation without statistics, the first ones are computed for this many past minutes. */
const FIRST_MINUTES = 60;
/**
 * The number of an advisory lock that keeps two workers from computing the statistics at once. Any number will do, as
 * long as every process uses the same one.
 */
const STATS_LOCK = 0x73746174;

const computeNew = statement<{ now: number | null }, { minutes: number }>(
  'compute-stats',
  `with clock as materialized (select ${NOW} as now),
   due as materialized (
     select from_at, least(from_at + ${MAX_MINUTES_AT_ONCE} * interval '1 minute',
                           date_bin('1 minute', now - ${milliseconds(String(COMMIT_MARGIN_MS))}, 'epoch')) as to_at
     from clock, (
       select coalesce(i.stats_until, date_bin('1 minute', now, 'epoch') - ${FIRST_MINUTES} * interval '1 minute') as from_at
       from carillon.installation i, clock
     ) as began
     where pg_try_advisory_xact_lock(${STATS_LOCK})
   ), counted as (
     insert into carillon.run_stats as s
       (project_id, minute, succeeded, failed, skipped, cancelled, open, lateness, computed_at)
     select p.id, c.minute, c.succeeded, c.failed, c.skipped, c.cancelled, c.open, c.lateness, (select now from clock)
     from carillon.projects p cross join lateral (
       select ${MINUTE} as minute, ${COUNTS} from carillon.runs r
       where r.project_id = p.id and r.happened_at >= (select from_at from due) and r.happened_at < (select to_at from due)
         and ${IS_COUNTED}
       group by 1
     ) as c
     on conflict (project_id, minute) do update set ${MERGE}
   )
   update carillon.installation set stats_until = due.to_at from due where due.to_at > due.from_at
   returning (extract(epoch from due.to_at - due.from_at) / 60)::int as minutes`,
);

/**
 * Maximum number of minutes with open runs that one call computes again. The minute whose last computation is oldest
 * comes first.
 */
const MAX_REOPENED_AT_ONCE = 10;

/**
 * A minute with open runs is computed again after a minute, and less often the older it gets, because a run may take
 * hours.
 */
const IS_RECHECK_DUE = `s.computed_at < ${NOW} - greatest(interval '1 minute', (${NOW} - s.minute) / 10)`;

const computeOpen = statement<{ now: number | null }>(
  'compute-open-stats',
  `with reopened as materialized (
     select project_id, minute from carillon.run_stats s where s.open > 0 and ${IS_RECHECK_DUE}
     order by s.computed_at limit ${MAX_REOPENED_AT_ONCE}
   )
   insert into carillon.run_stats as s
     (project_id, minute, succeeded, failed, skipped, cancelled, open, lateness, computed_at)
   select reopened.project_id, reopened.minute, c.succeeded, c.failed, c.skipped, c.cancelled, c.open, c.lateness, ${NOW}
   from reopened cross join lateral (
     select ${COUNTS} from carillon.runs r
     where r.project_id = reopened.project_id and r.happened_at >= reopened.minute
       and r.happened_at < reopened.minute + interval '1 minute' and ${IS_COUNTED}
   ) as c
   order by 1, 2
   on conflict (project_id, minute) do update set ${MERGE}`,
);

/**
 * Computes the statistics of the minutes that have passed, from the runs themselves. A crash loses nothing: the next
 * sweep computes the minutes that are missing, and computing a minute twice changes nothing.
 */
export async function computeStats(db: Database, now: number | null): Promise<void> {
  await computeNew(db, { now });
  await computeOpen(db, { now });
}

/** The runs of one step of time, counted by outcome. */
export interface StatsRow {
  at: number;
  succeeded: number;
  failed: number;
  skipped: number;
  cancelled: number;
  running: number;
  /** Number of runs per bucket of `LATENESS_BOUNDS_MS`. The last bucket has no upper bound. */
  lateness: number[];
}

export interface StatsRange {
  projectId: number;
  fromAt: number;
  toAt: number;
  stepMs: number;
  now: number | null;
}

/**
 * Maximum number of recent minutes that a request counts from the runs, because the sweep has not computed them yet.
 */
const MAX_LIVE_MINUTES = 5;
const LIVE_FROM = `greatest(${instant(':fromAt')}, ${NOW} - ${MAX_LIVE_MINUTES} * interval '1 minute',
  (select coalesce(stats_until, '-infinity') from carillon.installation))`;

const select = statement<Values, StatsRow>(
  'read-stats',
  `select (floor(extract(epoch from minute) * 1000 / :stepMs::bigint) * :stepMs::bigint)::bigint as at,
          sum(succeeded)::bigint as succeeded, sum(failed)::bigint as failed, sum(skipped)::bigint as skipped,
          sum(cancelled)::bigint as cancelled, sum(open)::bigint as running,
          array[${forEachBucket((bucket) => `sum(lateness[${bucket + 1}])`)}]::float8[] as lateness
   from (
     select minute, succeeded, failed, skipped, cancelled, open, lateness from carillon.run_stats
     where project_id = :projectId and minute >= ${instant(':fromAt')} and minute < ${instant(':toAt')}
       and minute < (select coalesce(stats_until, '-infinity') from carillon.installation)
     union all
     select ${MINUTE}, ${COUNTS} from carillon.runs r
     where r.project_id = :projectId and r.happened_at >= (select ${LIVE_FROM}) and r.happened_at < ${instant(':toAt')}
       and ${IS_COUNTED}
     group by 1
   ) as counted
   group by 1 order by 1`,
);

const selectUntil = statement<{ now: number | null }, { untilAt: number | null; nowAt: number }>(
  'read-stats-until',
  `select stats_until as "untilAt", ${NOW} as "nowAt" from carillon.installation`,
);

/** Reads the statistics of a project, step by step; steps without a run are left out. */
export async function readStats(
  db: Database,
  range: StatsRange,
): Promise<{ rows: StatsRow[]; isComplete: boolean }> {
  const [until] = await selectUntil(db, { now: range.now });
  const rows = await select(db, { ...range });
  const { untilAt, nowAt } = until as { untilAt: number | null; nowAt: number };
  // A request counts only the last `MAX_LIVE_MINUTES` from the runs. If the sweep has computed nothing for longer than
  // that, the minutes in between are missing, and the answer is not complete.
  const liveFromAt = nowAt - MAX_LIVE_MINUTES * MINUTE_MS;
  return { rows, isComplete: range.toAt <= (untilAt ?? 0) || (untilAt ?? 0) >= liveFromAt };
}
