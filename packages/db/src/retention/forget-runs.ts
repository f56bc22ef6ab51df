import type { Cutoffs } from '@carillon/shared';
import type { Pool } from 'pg';
import { instant, monthOf, NOW } from '../instants.js';
import { totals } from '../schedules/schedule-transitions.js';
import { statement } from '../statement.js';
import type { KeptMonth } from './drop-months.js';
import { deleteInBatches, inOneBatchByKey, ROWS_PER_TRANSACTION } from './in-batches.js';

interface Old {
  projectId: number;
  /** Only runs that last changed before this instant are deleted. */
  before: number;
  /** The only partition to search; null for all partitions. */
  month: string | null;
  now: number | null;
}

/**
 * Deletes ended runs with their attempts and deferrals. The run of a future occurrence (it was skipped or run early) is
 * kept. Without it, an edit of the schedule could make the same occurrence due again.
 */
const deleteBatch = statement<Old, object>(
  'forget-runs',
  `with old as materialized (
     select r.schedule_id, r.occurrence_at, r.origin, r.month, r.status, r.recorded_at from carillon.runs r
     where r.project_id = :projectId and r.happened_at < ${instant(':before::bigint')}
       and r.month <= ${monthOf(instant(':before::bigint'))} and (:month::date is null or r.month = :month)
       and r.next_attempt_at is null and r.status <> 'running' and r.occurrence_at <= ${NOW}
     limit ${ROWS_PER_TRANSACTION} for update skip locked
   ), totals as (
     update carillon.schedules s set ${totals({ runs: '1', lastRunAt: 'old.occurrence_at', lastClaimedAt: 'old.recorded_at' })}
     from old where s.id = old.schedule_id and old.origin = 'rule' and old.status <> 'skipped' and s.runs_total is null
       and not exists (select from carillon.agenda a where a.schedule_id = s.id)
   ), tries as (
     delete from carillon.attempts a using old
     where a.schedule_id = old.schedule_id and a.occurrence_at = old.occurrence_at and a.origin = old.origin
   ), waits as (
     delete from carillon.deferrals d using old
     where d.schedule_id = old.schedule_id and d.occurrence_at = old.occurrence_at and d.origin = old.origin
   )
   delete from carillon.runs r using old
   where r.schedule_id = old.schedule_id and r.occurrence_at = old.occurrence_at and r.origin = old.origin
     and r.month = old.month
   returning 1`,
);

/**
 * Deletes single runs where whole months can't be dropped: the runs of a project with a retention of its own, and runs
 * in a month that is kept for another project.
 */
export async function forgetRuns(
  pool: Pool,
  { projects, kept, now }: { projects: readonly Cutoffs[]; kept: readonly KeptMonth[]; now: number | null },
): Promise<number> {
  let deleted = 0;
  for (const { projectId, runsBefore, hasOwnRuns } of projects) {
    if (runsBefore === null) continue;
    const before = Math.floor(runsBefore);
    const months = hasOwnRuns
      ? [null]
      : kept.filter(({ endAt }) => endAt <= runsBefore).map(({ month }) => month);
    for (const month of months)
      deleted += await deleteInBatches(
        pool,
        (tx) => deleteBatch(tx, { projectId, before, month, now }),
        inOneBatchByKey,
      );
  }
  return deleted;
}
