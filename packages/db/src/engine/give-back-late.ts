import type { Pool } from 'pg';
import { inTransaction } from '../database.js';
import { NOW } from '../instants.js';
import { giveBack, isSameRun, mayTake, RUN_KEY_COLUMNS, type RunKey } from '../runs/run-transitions.js';
import { promoteQueued } from '../schedules/promote-queued.js';
import { batch, statement, type Values } from '../statement.js';
import { findSchedulesWithQueue } from './admit-runs.js';
import type { Holder } from './fencing.js';

/** An attempt that a worker claimed, did not begin, and will not begin. */
export interface UnbegunAttempt extends RunKey {
  epoch: number;
  /** True if an earlier attempt of the run has begun, so its lateness is known. */
  hasBegun: boolean;
}

const attempts = batch<UnbegunAttempt>('unbegun', {
  ...RUN_KEY_COLUMNS,
  epoch: 'bigint',
  hasBegun: 'boolean',
});

interface LockedRun extends RunKey {
  hasBegun: boolean;
  isCounted: boolean;
}

/**
 * Locks the runs whose latest attempt is still the lost one. The worker's token and generation prove that the attempt
 * was its own. The comment of `startWaiting` says why one statement must not both lock and change.
 */
const lockLost = statement<Values, LockedRun>(
  'lock-unbegun-runs',
  `select r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin, r.month,
          unbegun.has_begun as "hasBegun", s.is_counted as "isCounted"
   from ${attempts.source} join carillon.runs r on ${isSameRun('r', 'unbegun')}
   join carillon.schedules s on s.id = r.schedule_id
   where r.epoch = unbegun.epoch and r.worker_id = :workerId and ${mayTake('giveBack')} and r.outcome = 'unknown' and r.reason_code is null
     and s.status <> 'cancelled'
     and exists (select from carillon.workers w where w.id = :workerId and w.token = :token)
     and exists (select from carillon.installation where generation = :generation)
   order by r.schedule_id, r.occurrence_at for update of r`,
);

const given = batch<LockedRun>('given', { ...RUN_KEY_COLUMNS, hasBegun: 'boolean', isCounted: 'boolean' });

const giveAllBack = statement<Values>(
  'give-back-unbegun-runs',
  `update carillon.runs r set ${giveBack({ at: NOW, hasBegun: 'given.has_begun', isCounted: 'given.is_counted' })}
   from ${given.source} where ${isSameRun('r', 'given')} and ${mayTake('giveBack')}`,
);

/**
 * Makes attempts free that a sweep has recorded as `unknown`, because the worker that held them was frozen or cut off.
 * The worker has come back and knows that these attempts had not begun. A run that the lost attempt has failed waits
 * for an attempt again. Nothing changes if the run was claimed again, replayed, cancelled or reported meanwhile.
 * Returns the number of runs that got their attempt back.
 */
export async function giveBackUnbegun(
  pool: Pool,
  { unbegun, ...rest }: Holder & { unbegun: readonly UnbegunAttempt[]; now: number | null },
): Promise<number> {
  const runs = await inTransaction(pool, async (tx) => {
    const locked = await lockLost(tx, { ...rest, ...attempts.of(unbegun) });
    if (locked.length > 0) await giveAllBack(tx, { now: rest.now, ...given.of(locked) });
    return locked;
  });
  const counted = [...new Set(runs.filter(({ isCounted }) => isCounted).map(({ scheduleId }) => scheduleId))];
  if (counted.length > 0) await promoteQueued(pool, await findSchedulesWithQueue(pool, counted), rest.now);
  return runs.length;
}
