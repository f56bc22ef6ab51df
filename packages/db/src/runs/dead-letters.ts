import type { Database } from '../database.js';
import { query } from '../statement.js';
import {
  type FailedRunFilter,
  latestFailed,
  matchFailedRuns,
  PLAN_OF_RUN,
  RUN_ERROR,
  receiverOf,
  sourceOf,
} from './failed-runs.js';

/** Failed runs with the same receiver and the same error. */
export interface DeadLetterGroup {
  receiver: string;
  error: string;
  runs: number;
  schedules: number;
  /** Keys of some schedules in the group: those with the latest failures. */
  examples: string[];
  oldestAt: number;
  latestAt: number;
}

export interface DeadLetters {
  groups: DeadLetterGroup[];
  /** Number of failed runs in all groups, including the groups that the answer leaves out. */
  runs: number;
  /** False if there are more failed runs, or more groups, than one call reads. */
  isComplete: boolean;
}

interface Totals {
  allRuns: number | null;
  allGroups: number | null;
  /** Number of failed runs that were read. */
  lookedAt: number;
}

/** Maximum number of groups in one answer. The smallest groups are left out. */
const MAX_GROUPS = 200;
const MAX_EXAMPLES = 3;

/**
 * Groups the latest failed runs of a project, at most `maxRuns`, by receiver and error, the largest group first. The
 * number is limited because failed runs are scattered over the table: reading 100,000 of them takes seconds.
 */
export async function readDeadLetters(
  db: Database,
  { projectId, filter, maxRuns }: { projectId: number; filter: FailedRunFilter; maxRuns: number },
): Promise<DeadLetters> {
  const { where } = matchFailedRuns(projectId, filter);
  // The receiver is computed once for each combination of schedule, version and error, not for every run.
  const rows = await query<DeadLetterGroup & Totals>(
    db,
    `with latest as materialized (${latestFailed(':maxRuns')}), failed as (
       select r.schedule_id, r.version, r.failed_at, ${RUN_ERROR} as error from ${sourceOf('latest')} where ${where.sql}
     ), by_schedule as (
       select schedule_id, version, error, count(*) as runs, min(failed_at) as oldest_at, max(failed_at) as latest_at
       from failed group by 1, 2, 3
     ), named as (
       select s.key, ${receiverOf(PLAN_OF_RUN)} as receiver, r.error, r.runs, r.oldest_at, r.latest_at
       from by_schedule r join carillon.schedules s on s.id = r.schedule_id
     ), grouped as (
       select receiver, error, sum(runs)::bigint as runs, count(distinct key) as schedules,
              (array_agg(key order by latest_at desc))[1:${MAX_EXAMPLES}] as examples, min(oldest_at) as "oldestAt",
              max(latest_at) as "latestAt", (sum(sum(runs)) over ())::bigint as "allRuns", count(*) over () as "allGroups"
       from named group by receiver, error order by runs desc, "latestAt" desc, receiver, error limit ${MAX_GROUPS}
     )
     select grouped.*, "lookedAt" from (select count(*) as "lookedAt" from latest) as looked left join grouped on true
     order by runs desc, "latestAt" desc, receiver, error`,
    { ...where.parameters, maxRuns },
  );
  const { allRuns = null, allGroups = null, lookedAt = 0 } = rows[0] ?? {};
  // If no run matches, the only row has no group, just the number of runs that were read.
  const groups = (allGroups === null ? [] : rows).map(
    ({ allRuns: _allRuns, allGroups: _allGroups, lookedAt: _lookedAt, ...group }) => ({
      ...group,
      examples: [...new Set(group.examples)],
    }),
  );
  return {
    groups,
    runs: allRuns ?? 0,
    isComplete: lookedAt < maxRuns && (allGroups ?? 0) <= MAX_GROUPS,
  };
}
