import { closingOf, type RunIdentity, readPlan } from '@carillon/shared';
import type { Pool } from 'pg';
import { type Database, inFireTransaction, type Transaction } from '../database.js';
import { asMilliseconds, instant, milliseconds, NOW } from '../instants.js';
import {
  type Closing,
  close,
  closings,
  groupClosings,
  type RunKey,
  sharedBy,
} from '../runs/run-transitions.js';
import { definitionOf } from '../schedules/definition.js';
import { arrayOf, statement, type Values } from '../statement.js';
import type { FailedRun } from './claim.js';
import { type Holder, isHeldBy } from './fencing.js';

const extend = statement<Values, { epoch: number }>(
  'extend-leases',
  `update carillon.leases l set held_until = ${NOW} + ${milliseconds(':leaseMs::float8')}
   where l.epoch = any(:epochs::bigint[]) and ${isHeldBy('l')}
   returning epoch`,
);

/** Extends leases of a worker. Returns the epochs (the numbers) of the leases that it still holds. */
export async function extendLeases(
  db: Database,
  { epochs, ...rest }: Holder & { epochs: readonly number[]; leaseMs: number; now: number | null },
): Promise<number[]> {
  return (await extend(db, { ...rest, epochs: arrayOf(epochs) })).map(({ epoch }) => epoch);
}

const selectCancelled = statement<{ epochs: string }, RunIdentity>(
  'find-cancelled',
  `select schedule_id as "scheduleId", occurrence_at as "occurrenceAt", origin from carillon.runs
   where epoch = any(:epochs::bigint[]) and status = 'cancelled'`,
);

/** The runs under the leases with these numbers (epochs) that were cancelled while they were in flight. */
export function findCancelled(pool: Pool, epochs: readonly number[]): Promise<RunIdentity[]> {
  return inFireTransaction(pool, (tx) => selectCancelled(tx, { epochs: arrayOf(epochs) }));
}

const lockExpired = statement<
  { token: string | null; epochs: string; now: number | null },
  { epoch: number; nowAt: number }
>(
  'lock-expired-leases',
  `select epoch, ${NOW} as "nowAt" from carillon.leases
   where held_until < ${NOW} and not (token is not distinct from :token::uuid and epoch = any(:epochs::bigint[]))
   order by epoch limit 1000 for update skip locked`,
);

interface LostRun extends RunKey {
  projectId: number;
  scheduleKey: string;
  epoch: number;
  attempt: number;
  freeAttempts: number;
  /**
   * The time from when the run was due to the claim. Null if an earlier attempt has begun, because the lateness is then
   * known already.
   */
  sinceDueMs: number | null;
  plan: string;
}

/**
 * Locks the runs, so that the next statement can close them. `startWaiting` in claim-waiting.ts says why one statement
 * must not do both.
 */
const lockLostRuns = statement<{ epochs: string }, LostRun>(
  'lock-lost-runs',
  `select lost.schedule_id as "scheduleId", lost.occurrence_at as "occurrenceAt", lost.origin, lost.month, lost.epoch, lost.attempt,
          lost.free_attempts as "freeAttempts", lost.project_id as "projectId", definition.key as "scheduleKey", definition.plan,
          case when lost.lateness_ms is null
            then greatest(0, ${asMilliseconds('lost.claimed_at')} - ${asMilliseconds('lost.due_at')}) end as "sinceDueMs"
   from (
     select * from carillon.runs r where r.epoch = any(:epochs::bigint[]) and r.status = 'running'
     order by r.schedule_id, r.occurrence_at for update
   ) as lost
   ${definitionOf('lost')}`,
);

const closeLost = statement<Values>('close-lost-runs', close(instant(':now')));
const deleteLeases = statement<{ epochs: string }>(
  'delete-leases',
  `delete from carillon.leases where epoch = any(:epochs::bigint[])`,
);

/** A run that was taken back from a lost worker. */
export interface RescuedRun extends FailedRun {
  hasFailed: boolean;
  /** The lateness of the run, if the lost attempt was its first. */
  latenessMs: number | null;
}

/**
 * Takes back the runs of expired leases. It is not known how their attempts ended, so each attempt is closed as
 * `unknown`, and the run is tried again at once if it has attempts left. The transaction that locks a lease is the only
 * one that rescues its runs. It deletes the lease, so that late writes of the worker that held it are refused.
 *
 * A worker does not rescue the runs that it has in flight itself (`inHand`). Their lease may have expired because the
 * process was blocked or starved, but the process can still report how the attempts end.
 */
export function rescueRuns(
  pool: Pool,
  now: number | null,
  inHand: { token: string; epochs: readonly number[] } | null = null,
): Promise<RescuedRun[]> {
  return inFireTransaction(pool, async (tx) => {
    const own = { token: inHand?.token ?? null, epochs: arrayOf(inHand?.epochs ?? []) };
    const expired = await lockExpired(tx, { ...own, now });
    const nowAt = expired[0]?.nowAt;
    if (nowAt === undefined) return [];
    const closed = await endLeases(tx, {
      epochs: expired.map(({ epoch }) => epoch),
      nowAt,
      toClosing: toUnknown,
    });
    return closed.map(({ run, closing }) => toRescued(run, closing));
  });
}

/** Closes every run that is still running under these locked leases, and deletes the leases. */
async function endLeases(
  tx: Transaction,
  {
    epochs,
    nowAt,
    toClosing,
  }: { epochs: readonly number[]; nowAt: number; toClosing: (run: LostRun) => Closing },
): Promise<{ run: LostRun; closing: Closing }[]> {
  const lost = await lockLostRuns(tx, { epochs: arrayOf(epochs) });
  const closed = lost.map((run) => ({ run, closing: toClosing(run) }));
  for (const group of groupClosings(closed.map(({ closing }) => closing))) {
    await closeLost(tx, { now: nowAt, ...sharedBy(group), ...closings.of(group) });
  }
  await deleteLeases(tx, { epochs: arrayOf(epochs) });
  return closed;
}

/** A lease younger than this may belong to a claim whose answer has not reached the worker yet. */
const ANSWER_MAY_BE_ON_ITS_WAY = `interval '2 seconds'`;

const lockUnknown = statement<Values, { epoch: number; nowAt: number; isOld: boolean }>(
  'lock-unknown-leases',
  `select l.epoch, ${NOW} as "nowAt", l.claimed_at < ${NOW} - ${ANSWER_MAY_BE_ON_ITS_WAY} as "isOld" from carillon.leases l
   where ${isHeldBy('l')} and l.epoch <> all(:epochs::bigint[])
   order by l.epoch for update skip locked`,
);

/**
 * Hands back the runs of leases that belong to this worker in Postgres, but that the worker does not know. Such a lease
 * exists if the connection breaks after a claim has committed and before its answer arrives. Nothing was sent, so the
 * attempt does not count. A lease younger than two seconds may belong to a claim whose answer is still on its way. It
 * is left alone, and `areMoreLikely` tells the caller to try again later.
 */
export function handBackUnknownLeases(
  pool: Pool,
  { epochs, ...rest }: Holder & { epochs: readonly number[]; now: number | null },
): Promise<{ runs: number; areMoreLikely: boolean }> {
  return inFireTransaction(pool, async (tx) => {
    const unknown = await lockUnknown(tx, { ...rest, epochs: arrayOf(epochs) });
    const old = unknown.filter(({ isOld }) => isOld);
    const areMoreLikely = old.length < unknown.length;
    const nowAt = old[0]?.nowAt;
    if (nowAt === undefined) return { runs: 0, areMoreLikely };
    const closed = await endLeases(tx, {
      epochs: old.map(({ epoch }) => epoch),
      nowAt,
      toClosing: toHandedBack,
    });
    return { runs: closed.length, areMoreLikely };
  });
}

const WITHOUT_RESULT = {
  durationMs: null,
  httpStatus: null,
  response: null,
  externalId: null,
  latenessMs: null,
};

const keyOf = ({ scheduleId, occurrenceAt, origin, month, epoch }: LostRun) => ({
  scheduleId,
  occurrenceAt,
  origin,
  month,
  epoch,
});

const toHandedBack = (run: LostRun): Closing => ({
  ...keyOf(run),
  ...WITHOUT_RESULT,
  status: 'retrying',
  outcome: 'handed_back',
  errorCode: null,
  error: null,
  retryInMs: 0,
});

/**
 * Closes a lost attempt as `unknown`. The time of the claim is the best estimate of when its first byte was sent, so
 * the lateness is measured up to the claim.
 */
function toUnknown(run: LostRun): Closing {
  const { attempt, freeAttempts, plan, sinceDueMs } = run;
  const error = 'the worker was lost before it could report how the attempt ended';
  const { retry } = readPlan(plan);
  const { status } = closingOf(
    { kind: 'failed', isTransient: true, errorCode: 'worker_lost', error },
    { retry, attempt: attempt - freeAttempts, random: 0 },
  );
  return {
    ...keyOf(run),
    ...WITHOUT_RESULT,
    latenessMs: sinceDueMs,
    status,
    outcome: 'unknown',
    errorCode: 'worker_lost',
    error,
    retryInMs: status === 'retrying' ? 0 : null,
  };
}

function toRescued(
  { scheduleId, occurrenceAt, origin, projectId, scheduleKey, attempt, plan }: LostRun,
  { status, errorCode, error, latenessMs }: Closing,
): RescuedRun {
  return {
    scheduleId,
    occurrenceAt,
    origin,
    projectId,
    scheduleKey,
    targetType: readPlan(plan).target.type,
    attempt,
    errorCode: errorCode ?? 'worker_lost',
    error: error ?? '',
    hasFailed: status === 'failed',
    latenessMs,
  };
}
