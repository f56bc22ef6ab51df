import { readTiming } from '@carillon/shared';
import type { Database } from '../database.js';
import { instant } from '../instants.js';
import { query, statement } from '../statement.js';
import type { FeedScope } from '../tenancy/feeds.js';

/** A schedule of an iCal feed, with its next occurrence. */
export interface FeedSchedule {
  id: number;
  key: string;
  name: string | null;
  tags: string[];
  timing: ReturnType<typeof readTiming>;
  maxRuns: number | null;
  runsTotal: number;
  occurrenceAt: number | null;
  dueAt: number | null;
  isPaused: boolean;
  updatedAt: number;
}

/** The schedules of a feed, in the order in which they are due. Schedules without a next occurrence come last. */
export async function readFeedSchedules(
  db: Database,
  { projectId, scheduleKey, tag, limit }: FeedScope & { projectId: number; limit: number },
): Promise<FeedSchedule[]> {
  // The condition is spelled out for each kind of feed, so that each kind is searched by its own index.
  const isInScope =
    scheduleKey !== null ? 's.key = :scheduleKey' : tag !== null ? 's.tags @> array[:tag]::text[]' : 'true';
  const rows = await query<Omit<FeedSchedule, 'timing'> & { timing: string }>(
    db,
    `select s.id, s.key, s.name, s.tags, s.timing, (s.plan::json ->> 'maxRuns')::int as "maxRuns",
            coalesce(a.runs_total, s.runs_total, 0) as "runsTotal", a.occurrence_at as "occurrenceAt", a.due_at as "dueAt",
            coalesce(a.is_held, false) as "isPaused", s.updated_at as "updatedAt"
     from carillon.schedules s left join carillon.agenda a on a.schedule_id = s.id
     where s.project_id = :projectId and s.status <> 'cancelled' and ${isInScope}
     order by a.due_at nulls last, s.id desc limit :limit`,
    { projectId, scheduleKey, tag, limit },
  );
  return rows.map((row) => ({ ...row, timing: readTiming(row.timing) }));
}

/** A run of the past, with its outcome. */
export interface FeedRun {
  scheduleId: number;
  occurrenceAt: number;
  origin: string;
  status: string;
  reason: string | null;
  error: string | null;
  happenedAt: number;
}

/** The latest runs of some schedules within a range of time, newest first. */
export const readFeedRuns = statement<
  { projectId: number; scheduleIds: number[]; fromAt: number; toAt: number; limit: number },
  FeedRun
>(
  'read-feed-runs',
  `select r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin, r.status, r.reason, r.error,
          r.happened_at as "happenedAt"
   from unnest(:scheduleIds::bigint[]) as wanted(id) cross join lateral (
     select * from carillon.runs
     where schedule_id = wanted.id and project_id = :projectId
       and occurrence_at between ${instant(':fromAt')} and ${instant(':toAt')}
     order by occurrence_at desc limit 100
   ) as r
   order by r.occurrence_at desc limit :limit`,
);

/** A stretch of occurrences of the past that did not run. */
export interface FeedGap {
  scheduleId: number;
  fromAt: number;
  toAt: number;
  count: number;
  reason: string;
  createdAt: number;
}

/**
 * The latest gaps (stretches of occurrences that did not run) of some schedules that overlap a range of time, newest
 * first.
 */
export const readFeedGaps = statement<
  { projectId: number; scheduleIds: number[]; fromAt: number; toAt: number; limit: number },
  FeedGap
>(
  'read-feed-gaps',
  `select g.schedule_id as "scheduleId", g.from_at as "fromAt", g.to_at as "toAt", g.count, g.reason, g.created_at as "createdAt"
   from unnest(:scheduleIds::bigint[]) as wanted(id) cross join lateral (
     select * from carillon.gaps
     where schedule_id = wanted.id and project_id = :projectId
       and to_at >= ${instant(':fromAt')} and from_at <= ${instant(':toAt')}
     order by from_at desc limit 100
   ) as g
   order by g.from_at desc limit :limit`,
);
