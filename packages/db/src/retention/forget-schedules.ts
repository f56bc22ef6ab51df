import { type Cutoffs, setTag } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Transaction } from '../database.js';
import { isConflict } from '../errors.js';
import {
  RUNS_PER_STATEMENT,
  removeAttempts,
  removeRuns,
  removeSchedules,
} from '../schedules/remove-schedules.js';
import { arrayOf, statement, type Values } from '../statement.js';
import { inOneBatch, inOneBatchByKey } from './in-batches.js';
import { CUTOFFS, cutoffValues } from './read-cutoffs.js';

/**
 * Number of schedules per page, and maximum number of pages per prune. With a prune every hour, 100 million schedules
 * are checked in a day.
 */
const SCHEDULES_PER_PAGE = 10_000;
const PAGES_PER_PRUNE = 500;
/** Maximum number of schedules that one transaction deletes. */
const SCHEDULES_PER_TRANSACTION = 1_000;

/**
 * SQL for schedules that ended before the cutoff of their project. They are cancelled or have no future occurrence, and
 * none of their runs is open or changed after the cutoff. A schedule that is declared in code or in a file is kept: if
 * it were deleted, the next deploy would create it again, and it would fire again.
 */
const endedAmong = (schedules: string) => `
  select s.id, s.runs_total is not null as "hasManyRuns" from ${schedules} s join ${CUTOFFS} on cutoff.project_id = s.project_id
  where s.status <> 'paused' and s.declared_hash is null
    and not exists (select from unnest(s.tags) as tag where starts_with(tag, '${setTag('')}'))
    and greatest(s.updated_at, s.last_claimed_at) < cutoff.before
    and not exists (select from carillon.agenda a where a.schedule_id = s.id)
    and not exists (
      select from carillon.runs r where r.schedule_id = s.id
        and (r.happened_at >= cutoff.before or r.next_attempt_at is not null or r.status = 'running'))`;

const selectPageEnd = statement<{ afterId: number }, { id: number | null }>(
  'end-of-schedule-page',
  `select max(id) as id from (select id from carillon.schedules where id > :afterId order by id limit ${SCHEDULES_PER_PAGE}) as page`,
);

const selectEnded = statement<Values, { id: number }>(
  'find-ended-schedules',
  `${endedAmong('carillon.schedules')} and s.id > :afterId and s.id <= :lastId order by s.id`,
);

const lockSchedules = statement<{ ids: string }, { id: number }>(
  'lock-ended-schedules',
  'select id from carillon.schedules where id = any(:ids::bigint[]) order by id for update skip locked',
);

const confirmEnded = statement<Values, { id: number; hasManyRuns: boolean }>(
  'confirm-ended-schedules',
  `${endedAmong('carillon.schedules')} and s.id = any(:ids::bigint[])`,
);

const readCursor = statement<object, { cursor: number }>(
  'read-retention-cursor',
  'select retention_cursor as cursor from carillon.installation',
);
const saveCursor = statement<{ cursor: number }>(
  'save-retention-cursor',
  'update carillon.installation set retention_cursor = :cursor',
);

/**
 * Deletes schedules that ended longer ago than their project's retention, with everything that belongs to them except
 * the audit log. Returns the number of deleted schedules. No index finds ended schedules: the last fire of a one-shot,
 * for example, does not change the row of its schedule. So each call checks a part of all schedules, and the next call
 * continues after that part.
 */
export async function forgetSchedules(
  pool: Pool,
  projects: readonly Cutoffs[],
  { pages = PAGES_PER_PRUNE }: { pages?: number } = {},
): Promise<number> {
  const cutoffs = cutoffValues(projects, 'schedulesBefore');
  if (!cutoffs) return 0;
  let deleted = 0;
  let [{ cursor: afterId } = { cursor: 0 }] = await readCursor(pool, {});
  for (let page = 0; page < pages; page++) {
    const [end] = await selectPageEnd(pool, { afterId });
    const lastId = end?.id ?? null;
    if (lastId === null) {
      afterId = 0;
      break;
    }
    const ended = await inOneBatch(pool, (tx) => selectEnded(tx, { ...cutoffs, afterId, lastId }));
    for (let from = 0; from < ended.length; from += SCHEDULES_PER_TRANSACTION) {
      const ids = ended.slice(from, from + SCHEDULES_PER_TRANSACTION).map(({ id }) => id);
      deleted += await remove(pool, { ids, cutoffs });
    }
    afterId = lastId;
  }
  await saveCursor(pool, { cursor: afterId });
  return deleted;
}

/**
 * Deletes schedules, except those that were changed or got another run since they were found. Schedules that another
 * transaction has locked are kept until the next prune.
 */
async function remove(
  pool: Pool,
  { ids, cutoffs }: { ids: readonly number[]; cutoffs: Values },
): Promise<number> {
  try {
    for (;;) {
      const deleted = await inOneBatchByKey(pool, async (tx) => {
        const locked = await lockSchedules(tx, { ids: arrayOf(ids) });
        // The lock comes first, so that this statement sees every change that was committed before the lock was
        // granted.
        const ended = await confirmEnded(tx, { ...cutoffs, ids: arrayOf(locked.map(({ id }) => id)) });
        return removeLocked(tx, ended);
      });
      if (deleted !== null) return deleted;
    }
  } catch (error) {
    if (isConflict(error)) return 0;
    throw error;
  }
}

/**
 * Deletes the runs of the schedules and then the schedules. Returns null if the schedules have too many runs for one
 * transaction; the caller must then call again. The totals of a schedule with a single run are computed from that run,
 * so the run is deleted only together with the schedule.
 */
async function removeLocked(
  tx: Transaction,
  ended: readonly { id: number; hasManyRuns: boolean }[],
): Promise<number | null> {
  const many = arrayOf(ended.filter(({ hasManyRuns }) => hasManyRuns).map(({ id }) => id));
  for (const removeBatch of [removeAttempts, removeRuns])
    if ((await removeBatch(tx, { ids: many })).length === RUNS_PER_STATEMENT) return null;
  const ids = arrayOf(ended.map(({ id }) => id));
  for (const removeBatch of [removeAttempts, removeRuns])
    while ((await removeBatch(tx, { ids })).length === RUNS_PER_STATEMENT);
  return (await removeSchedules(tx, { ids })).length;
}
