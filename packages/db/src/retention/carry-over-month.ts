import type { Pool } from 'pg';
import { monthOf, NOW } from '../instants.js';
import { totals } from '../schedules/schedule-transitions.js';
import { arrayOf, statement } from '../statement.js';
import { inOneBatchByKey, ROWS_PER_TRANSACTION } from './in-batches.js';

/**
 * Finds the schedules that have runs in the month, by one index lookup per schedule. Reading the runs themselves would
 * take too long, because a month may hold many millions.
 */
const selectSchedules = statement<{ month: string; afterId: number }, { id: number }>(
  'schedules-of-month',
  `with recursive next(id) as (
     (select schedule_id from carillon.runs where month = :month::date and schedule_id > :afterId order by schedule_id limit 1)
     union all
     select (select r.schedule_id from carillon.runs r where r.month = :month::date and r.schedule_id > next.id
             order by r.schedule_id limit 1)
     from next where next.id is not null
   )
   select id from next where id is not null limit ${ROWS_PER_TRANSACTION}`,
);

/**
 * Saves the totals of schedules that fired exactly once. Until now they were computed from the single run, which is
 * about to be dropped.
 */
const keepTotals = statement<{ month: string; ids: string }>(
  'keep-totals',
  `with fired as materialized (
     select s.id from carillon.schedules s where s.id = any(:ids::bigint[]) and s.runs_total is null
       and not exists (select from carillon.agenda a where a.schedule_id = s.id)
   )
   update carillon.schedules s
   set ${totals({ runs: '1', lastRunAt: 'once.occurrence_at', lastClaimedAt: 'once.recorded_at' })}
   from fired, lateral (
     select r.occurrence_at, r.recorded_at from carillon.runs r
     where r.month = :month::date and r.schedule_id = fired.id and r.origin = 'rule' and r.status <> 'skipped' limit 1
   ) as once
   where s.id = fired.id`,
);

/**
 * Moves runs of future occurrences (they were skipped or run early) out of the month that is about to be dropped.
 * Without these runs, an edit of their schedule could make the same occurrences due again.
 */
const moveComing = statement<{ month: string; ids: string; now: number | null }>(
  'move-coming-runs',
  `update carillon.runs set month = ${monthOf(NOW)}
   where month = :month::date and schedule_id = any(:ids::bigint[]) and occurrence_at > ${NOW}`,
);

/** Saves what must be kept when a month of runs is dropped: totals of schedules, and runs of future occurrences. */
export async function carryOverMonth(
  pool: Pool,
  { month, now }: { month: string; now: number | null },
): Promise<void> {
  for (let afterId = 0; ; ) {
    const last = await inOneBatchByKey(pool, async (tx) => {
      const schedules = await selectSchedules(tx, { month, afterId });
      const values = { month, ids: arrayOf(schedules.map(({ id }) => id)), now };
      await keepTotals(tx, values);
      await moveComing(tx, values);
      return schedules.at(-1);
    });
    if (!last) return;
    afterId = last.id;
  }
}
