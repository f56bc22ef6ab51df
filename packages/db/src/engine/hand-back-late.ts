import type { Plan } from '@carillon/shared';
import type { Pool } from 'pg';
import { inTransaction } from '../database.js';
import { NOW } from '../instants.js';
import { handBack, isSameRun, mayTake, RUN_KEY_COLUMNS, type RunKey } from '../runs/run-transitions.js';
import { batch, statement, type Values } from '../statement.js';
import type { Holder } from './fencing.js';
import { lockSchedulesOf } from './lock-waiting.js';

/** An attempt that a worker has claimed, but has not begun and will not begin. */
export interface UnbegunAttempt extends RunKey {
  epoch: number;
  /** True if an earlier attempt of the run has begun. Then the lateness of the run is known, and is kept. */
  hasBegun: boolean;
  plan: Pick<Plan, 'overlap'>;
}

const attempts = batch<Omit<UnbegunAttempt, 'plan'> & { place: number; isReplaceable: boolean }>('unbegun', {
  ...RUN_KEY_COLUMNS,
  epoch: 'bigint',
  hasBegun: 'boolean',
  place: 'int',
  isReplaceable: 'boolean',
});

const LOST_RUNS = `${attempts.source} join carillon.runs r on ${isSameRun('r', 'unbegun')}`;

/**
 * SQL: true if this attempt is still the latest of its run, a sweep has recorded it as `unknown`, and the run has not
 * changed since.
 */
const IS_LOST = `r.epoch = unbegun.epoch and r.worker_id = :workerId and ${mayTake('handBack')}
  and r.outcome = 'unknown' and r.reason_code is null`;

/** `startWaiting` in claim-waiting.ts says why one statement must not both lock and change. */
const lockLost = statement<Values, { place: number; scheduleId: number }>(
  'lock-unbegun-runs',
  `select unbegun.place, r.schedule_id as "scheduleId" from ${LOST_RUNS}
   where ${IS_LOST} order by r.schedule_id, r.occurrence_at for update of r skip locked`,
);

interface LostRun extends RunKey {
  place: number;
  hasBegun: boolean;
  isCounted: boolean;
}

/**
 * Reads the runs whose lost attempt need not count. The worker's id, token and generation prove that the attempt
 * belongs to this worker. Runs of a cancelled schedule are left out, and so are runs of a schedule whose cancel by SQL
 * is requested. A failed run is also left out if its overlap policy is `cancel` and a later run exists that was not
 * skipped, because that run would have replaced it.
 */
const readLost = statement<Values, LostRun>(
  'read-unbegun-runs',
  `select unbegun.place, r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin, r.month,
          unbegun.has_begun as "hasBegun", s.is_counted as "isCounted"
   from ${LOST_RUNS} join carillon.schedules s on s.id = r.schedule_id
   where ${IS_LOST} and s.status <> 'cancelled'
     and not exists (select from carillon.sql_requests q where q.project_id = s.project_id and q.key = s.key and q.action = 'cancel')
     and not (unbegun.is_replaceable and r.status = 'failed' and exists (
       select from carillon.runs later where later.schedule_id = r.schedule_id and later.origin = 'rule'
         and later.occurrence_at > r.occurrence_at and later.status <> 'skipped'
     ))
     and exists (select from carillon.workers w where w.id = :workerId and w.token = :token)
     and exists (select from carillon.installation where generation = :generation)`,
);

const given = batch<Omit<LostRun, 'place'>>('given', {
  ...RUN_KEY_COLUMNS,
  hasBegun: 'boolean',
  isCounted: 'boolean',
});

const handAllBack = statement<Values>(
  'hand-back-unbegun-runs',
  `update carillon.runs r set ${handBack({ at: NOW, hasBegun: 'given.has_begun', isCounted: 'given.is_counted' })}
   from ${given.source} where ${isSameRun('r', 'given')} and ${mayTake('handBack')}`,
);

/**
 * Corrects attempts that a sweep has recorded as `unknown` because their worker was frozen or cut off. The worker has
 * come back and knows that these attempts never began, so they must not count. A run that has failed because of such an
 * attempt is tried again. If a policy of its schedule (such as overlap) counts the open runs, the run is queued until a
 * sweep lets it start. Nothing changes if the run was claimed again, replayed, cancelled or reported meanwhile.
 *
 * The transaction waits for no lock. It locks the runs, then their schedules, so that no cancel by SQL is committed
 * between the check and the change. Returns how many runs were corrected, and the attempts for which the caller must
 * call again, because another transaction had locked their run or schedule.
 */
export function handBackUnbegun(
  pool: Pool,
  { unbegun, ...rest }: Holder & { unbegun: readonly UnbegunAttempt[]; now: number | null },
): Promise<{ runs: number; left: UnbegunAttempt[] }> {
  const rows = unbegun.map(({ plan, ...attempt }, place) => ({
    ...attempt,
    place,
    isReplaceable: plan.overlap === 'cancel',
  }));
  const parameters = { ...rest, ...attempts.of(rows) };
  return inTransaction(pool, async (tx) => {
    const locked = await lockLost(tx, parameters);
    const schedules = await lockSchedulesOf(tx, locked);
    const free = new Set(
      locked.filter(({ scheduleId }) => schedules.has(scheduleId)).map(({ place }) => place),
    );
    const lost = await readLost(tx, parameters);
    const back = lost.filter(({ place }) => free.has(place));
    if (back.length > 0) await handAllBack(tx, { now: rest.now, ...given.of(back) });
    const leftPlaces = new Set(lost.filter(({ place }) => !free.has(place)).map(({ place }) => place));
    return { runs: back.length, left: unbegun.filter((_, place) => leftPlaces.has(place)) };
  });
}
