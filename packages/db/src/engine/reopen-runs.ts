import { type RunIdentity, type RunOrigin, readPlan } from '@carillon/shared';
import type { Transaction } from '../database.js';
import { UnreadableDefinition } from '../errors.js';
import { instant, monthOf } from '../instants.js';
import { isSameRun, mayTake, RUN_KEY_COLUMNS, type RunKey, reopen } from '../runs/run-transitions.js';
import { definitionOf } from '../schedules/definition.js';
import { batch, statement, type Values } from '../statement.js';
import type { ClaimedRun } from './claim.js';
import { type Claimant, StaleGeneration } from './fencing.js';
import type { WaitingRun, WaitingSchedule } from './lock-waiting.js';

const runs = batch<RunKey>('run', RUN_KEY_COLUMNS);

const AT = instant(':now');

/**
 * Copies the previous attempt of each run to `attempts`, opens the next attempt under a new lease, and reads the
 * definition with which the run began.
 */
const reopenAll = statement<
  Values,
  {
    scheduleId: number;
    occurrenceAt: number;
    origin: RunOrigin;
    epoch: number;
    plan: string;
    payload: string | null;
  }
>(
  'reopen-runs',
  `with run as materialized (select * from ${runs.source}),
   lease as (
     insert into carillon.leases (worker_id, token, generation, claimed_at, open_runs, held_until)
     select :workerId, :token, :generation, ${AT}, (select count(*) from run), ${instant(':now::bigint + :leaseMs::bigint')}
     from carillon.installation where generation = :generation
     returning epoch
   ), archived as (
     insert into carillon.attempts (schedule_id, occurrence_at, origin, month, number, epoch, worker_id, claimed_at,
                                    finished_at, outcome, http_status, duration_ms, error_code, error, response, external_id)
     select r.schedule_id, r.occurrence_at, r.origin, ${monthOf(AT)}, r.attempt, r.epoch, r.worker_id, r.claimed_at,
            r.finished_at, r.outcome, r.http_status, r.duration_ms, r.error_code, r.error, r.response, r.external_id
     from run join carillon.runs r on ${isSameRun('r', 'run')}
     where r.outcome is not null and r.attempt > 0
     on conflict do nothing
   ), reopened as (
     update carillon.runs r
     set ${reopen({ at: AT, epoch: 'lease.epoch', workerId: ':workerId' })}
     from run, lease
     where ${isSameRun('r', 'run')} and ${mayTake('reopen')}
     returning r.schedule_id, r.occurrence_at, r.origin, r.epoch, r.version
   )
   select reopened.schedule_id as "scheduleId", reopened.occurrence_at as "occurrenceAt", reopened.origin, reopened.epoch,
          definition.plan, definition.payload
   from reopened ${definitionOf('reopened')}`,
);

/** Starts the next attempt of each run under one new lease. */
export async function reopenRuns(
  tx: Transaction,
  waiting: readonly WaitingRun[],
  schedules: ReadonlyMap<number, WaitingSchedule>,
  { nowAt, leaseMs, workerId, token, generation }: Claimant & { leaseMs: number; nowAt: number },
): Promise<ClaimedRun[]> {
  const sorted = waiting.toSorted((a, b) => a.scheduleId - b.scheduleId || a.occurrenceAt - b.occurrenceAt);
  const rows = await reopenAll(tx, { now: nowAt, leaseMs, workerId, token, generation, ...runs.of(sorted) });
  if (rows.length === 0) throw new StaleGeneration();
  const byIdentity = new Map(waiting.map((run) => [nameOf(run), run]));
  return rows.map(({ epoch, plan, payload, ...identity }) => {
    const { nowAt: _, version: __, ...run } = byIdentity.get(nameOf(identity)) as WaitingRun;
    const { key, isCounted } = schedules.get(run.scheduleId) as WaitingSchedule;
    return {
      ...run,
      scheduleKey: key,
      isCounted,
      attempt: run.attempt + 1,
      claimedAt: nowAt,
      epoch,
      plan: readPlanOf(run, plan),
      payload,
    };
  });
}

function readPlanOf({ scheduleId }: RunIdentity, plan: string): ClaimedRun['plan'] {
  try {
    return readPlan(plan);
  } catch (error) {
    throw new UnreadableDefinition(
      `the definition of schedule ${scheduleId} could not be read: ${(error as Error).message}`,
    );
  }
}

const nameOf = ({ scheduleId, occurrenceAt, origin }: RunIdentity) =>
  `${scheduleId} ${occurrenceAt} ${origin}`;
