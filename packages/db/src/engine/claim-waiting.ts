import type { Pool } from 'pg';
import { inFireTransaction, type Transaction } from '../database.js';
import { instant, NOW } from '../instants.js';
import {
  cancel,
  HOLD,
  isSameRun,
  mayTake,
  RUN_KEY_COLUMNS,
  type RunKey,
  setAside,
} from '../runs/run-transitions.js';
import { arrayOf, batch, statement, type Values } from '../statement.js';
import { type Claim, type FailedRun, isDeliverable, NOTHING_CLAIMED } from './claim.js';
import { claimApart } from './claim-apart.js';
import { type Claimant, INSTALLATION_IS_RELEASED } from './fencing.js';
import {
  lockSchedulesOf,
  lockWaitingRuns,
  type WaitingRun,
  type WaitingSchedule,
  withinBytes,
} from './lock-waiting.js';
import type { ProjectShare } from './project-shares.js';
import { reopenRuns } from './reopen-runs.js';

export interface ClaimWaitingOptions extends Claimant {
  limit: number;
  /**
   * The projects that share the batch; other projects get nothing. If empty, the earliest runs of all projects are
   * claimed.
   */
  fairTo?: readonly ProjectShare[];
  /** Maximum size of all payloads together, in bytes. Further runs stay for the next batch (default: no limit). */
  maxBytes?: number;
  leaseMs: number;
  now: number | null;
}

export interface WaitingClaim extends Claim {
  /** True if a pause has reached its end, so that its schedule must be resumed. */
  hasPauseEnded: boolean;
}

/**
 * Checks whether any run or ended pause waits for a worker. The statement runs each time that a worker is woken for a
 * due time, and it nearly always finds nothing. So it only reads the first entries of two indexes (of the one on `runs`
 * in each partition).
 */
const look = statement<
  { handlers: string; now: number | null },
  { isWaiting: boolean; hasPauseEnded: boolean }
>(
  'look-for-waiting',
  `select exists (select from carillon.runs r where r.next_attempt_at <= ${NOW} and ${isDeliverable('r')}) and ${INSTALLATION_IS_RELEASED} as "isWaiting",
          exists (select from carillon.stopped_schedules where paused_until <= ${NOW}) and ${INSTALLATION_IS_RELEASED} as "hasPauseEnded"`,
);

/**
 * Claims waiting runs: retries, manual runs, backfilled runs, and queued runs whose turn has come. For each run, the
 * claim locks its schedule and checks the schedule's status. If the schedule is paused, the run goes on waiting. If the
 * schedule is cancelled, the run is cancelled too.
 */
export async function claimWaiting(pool: Pool, options: ClaimWaitingOptions): Promise<WaitingClaim> {
  const handlers = arrayOf(options.handlers);
  const [{ isWaiting, hasPauseEnded } = { isWaiting: false, hasPauseEnded: false }] = await inFireTransaction(
    pool,
    (tx) => look(tx, { handlers, now: options.now }),
  );
  const canClaim = isWaiting && options.limit > 0;
  const claim = canClaim ? await claimOrSetAside(pool, options) : NOTHING_CLAIMED;
  return { ...claim, hasPauseEnded };
}

/**
 * Claims waiting runs. If one run makes the claim fail, that run is closed as failed with the reason, and the others
 * are claimed.
 */
function claimOrSetAside(pool: Pool, options: ClaimWaitingOptions): Promise<Claim> {
  // The runs that the latest try locked. `claimApart` calls `setAside` only after a try with one run has failed.
  let tried: readonly WaitingRun[] = [];
  return claimApart({
    limit: options.limit,
    claim: (limit) =>
      inFireTransaction(pool, async (tx) => {
        tried = await lockWaitingRuns(tx, { ...options, limit });
        return startWaiting(tx, tried, { ...options, limit });
      }),
    setAside: async (error) => {
      const reason = `it could not be claimed: ${error.message}`;
      const [failed = null] = await setAsideRuns(pool, {
        now: options.now,
        reason,
        ...runs.of(tried.slice(0, 1)),
      });
      const setAside = failed && { ...failed, errorCode: 'unclaimable', error: reason };
      return { ...NOTHING_CLAIMED, isFull: failed !== null, isBlocked: failed === null, setAside };
    },
  });
}

/**
 * Starts the next attempt of runs that `lockWaitingRuns` has locked. The runs are locked and changed by separate
 * statements. A single statement could meet a row that another transaction has changed since its snapshot. Postgres 18
 * then evaluates the statement again for this row, and can crash, because the table is partitioned
 * (docs/decisions/lock-then-change.md).
 */
async function startWaiting(
  tx: Transaction,
  locked: readonly WaitingRun[],
  options: ClaimWaitingOptions,
): Promise<Claim> {
  const { limit } = options;
  const waiting = await withinBytes(tx, locked, options.maxBytes);
  const nowAt = waiting[0]?.nowAt ?? 0;
  const schedules = await lockSchedulesOf(tx, waiting);
  const byStatus = (status: WaitingSchedule['status']) =>
    waiting.filter(({ scheduleId }) => schedules.get(scheduleId)?.status === status);
  await stopAll(tx, { held: byStatus('paused'), cancelled: byStatus('cancelled'), nowAt });
  const claim = {
    ...NOTHING_CLAIMED,
    nowAt,
    isFull: (locked.length >= limit || locked.length > waiting.length) && schedules.size > 0,
    isBlocked: waiting.some(({ scheduleId }) => !schedules.has(scheduleId)),
  };
  const runs = byStatus('active');
  if (runs.length === 0) return claim;
  return { ...claim, runs: await reopenRuns(tx, runs, schedules, { ...options, nowAt }) };
}

const runs = batch<RunKey>('run', RUN_KEY_COLUMNS);

const holdRuns = statement<Values>(
  'hold-runs',
  `update carillon.runs r set ${HOLD} from ${runs.source} where ${isSameRun('r', 'run')} and ${mayTake('hold')}`,
);

const cancelRuns = statement<Values>(
  'cancel-runs',
  `update carillon.runs r
   set ${cancel({ at: instant(':now'), reasonCode: `'schedule_cancelled'`, reason: `'its schedule was cancelled'` })}
   from ${runs.source} where ${isSameRun('r', 'run')} and ${mayTake('cancel')}`,
);

const setAsideRuns = statement<Values, Omit<FailedRun, 'errorCode' | 'error'>>(
  'set-aside-runs',
  `update carillon.runs r
   set ${setAside({ at: NOW, reasonCode: `'unclaimable'`, reason: ':reason' })}
   from ${runs.source} where ${isSameRun('r', 'run')} and ${mayTake('setAside')}
   returning r.schedule_id as "scheduleId", r.occurrence_at as "occurrenceAt", r.origin, r.project_id as "projectId", r.attempt,
     (select key from carillon.schedules s where s.id = r.schedule_id) as "scheduleKey",
     (select target_type from carillon.schedules s where s.id = r.schedule_id) as "targetType"`,
);

async function stopAll(
  tx: Transaction,
  { held, cancelled, nowAt }: { held: WaitingRun[]; cancelled: WaitingRun[]; nowAt: number },
): Promise<void> {
  if (held.length > 0) await holdRuns(tx, runs.of(held));
  if (cancelled.length > 0) await cancelRuns(tx, { now: nowAt, ...runs.of(cancelled) });
}
