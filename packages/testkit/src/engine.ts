import { randomUUID } from 'node:crypto';
import {
  type Claimant,
  type ClaimedRun,
  type ClosedRun,
  claimDue,
  claimWaiting,
  closeRuns,
  type RunStatus,
  registerWorker,
  toClosedRun,
} from '@carillon/db';
import type { Outcome, ScheduleInput } from '@carillon/shared';
import type { TestDatabase } from './database.js';
import { insertSchedules } from './schedules.js';

export interface RunRow {
  occurrenceAt: number;
  origin: string;
  status: RunStatus;
  attempt: number;
  version: number;
  outcome: string | null;
  reasonCode: string | null;
  reason: string | null;
  /**
   * When the next attempt may begin. Infinity while a pause holds the run, or while it is queued behind another run.
   */
  nextAttemptAt: number | null;
}

/** A claimed run and the outcome of its delivery. */
export interface EndedDelivery {
  run: ClaimedRun;
  outcome: Outcome;
  /** The time at which the first byte of the attempt was sent; absent if nothing was sent. */
  sentAt?: number;
}

const FAILED: Outcome = { kind: 'failed', isTransient: true, errorCode: 'error', error: 'failed on purpose' };
const LEASE_MS = 15_000;

/** Registers a worker in the database, without a process that runs it. */
export const registerTestWorker = (database: TestDatabase): Promise<Claimant> =>
  registerWorker(database.pool, {
    host: 'test',
    pid: 1,
    token: randomUUID(),
    handlers: ['noop', 'log'],
    tzdata: process.versions.tz ?? 'unknown',
    heartbeatIntervalMs: 5_000,
  });

/** Every handler that a schedule or a waiting run names. The worker of a test claims as if it had all of them. */
async function allHandlers({ pool }: TestDatabase): Promise<string[]> {
  const { rows } = await pool.query<{ handler: string }>(
    `select handler from carillon.agenda where handler is not null
     union select handler from carillon.runs where next_attempt_at is not null and handler is not null`,
  );
  return rows.map(({ handler }) => handler);
}

/** The steps of a worker, one at a time: the engine's own statements on a real Postgres, with time as an argument. */
export function useEngine(database: TestDatabase) {
  let registered: Promise<Claimant> | null = null;
  const holder = () => {
    registered ??= registerTestWorker(database);
    return registered;
  };

  const claim = async (now: number, limit = 100): Promise<ClaimedRun[]> => {
    const handlers = await allHandlers(database);
    const options = { ...(await holder()), leaseMs: LEASE_MS, limit, handlers, now };
    const due = await claimDue(database.pool, { ...options, fairTo: [] });
    const waiting = await claimWaiting(database.pool, options);
    return [...due.runs, ...waiting.runs];
  };

  /**
   * Closes runs and returns how many of them this worker could still close. A run is refused if meanwhile it was
   * cancelled, or a sweep has rescued it (taken it back because its lease had expired).
   */
  const closeAll = async (ended: readonly EndedDelivery[], now: number): Promise<number> => {
    const options = { ...(await holder()), now };
    return (
      await closeRuns(
        database.pool,
        ended.map((each) => toEndedRow(each, now)),
        options,
      )
    ).length;
  };

  return {
    holder,
    claim,
    closeAll,
    /**
     * Closes a run as succeeded. Returns 1, or 0 if the close was refused because the run no longer belongs to this
     * claim.
     */
    succeed: (run: ClaimedRun, now: number) => closeAll([{ run, outcome: { kind: 'succeeded' } }], now),
    /**
     * Creates schedules as if at `fromAt`, and lets their runs of the next `minutes` minutes succeed. Returns the ids
     * of the schedules.
     */
    async insertWithHistory(
      inputs: readonly ScheduleInput[],
      { fromAt, minutes }: { fromAt: number; minutes: number },
    ): Promise<number[]> {
      const ids = await insertSchedules(database, inputs, { nowAt: fromAt });
      await database.pool.query(
        'update carillon.schedules set defined_at = $2, created_at = $2 where id = any($1)',
        [ids, new Date(fromAt)],
      );
      for (let minute = 1; minute <= minutes; minute++) {
        const at = fromAt + minute * 60_000;
        const runs = await claim(at);
        await closeAll(
          runs.map((run) => ({ run, outcome: { kind: 'succeeded' } })),
          at,
        );
      }
      return ids;
    },
    fail: (run: ClaimedRun, now: number) => closeAll([{ run, outcome: FAILED }], now),
    /** The runs of a schedule, ordered by occurrence. */
    async runsOf(scheduleId: number): Promise<RunRow[]> {
      const { rows } = await database.pool.query<RunRow>(
        `select occurrence_at as "occurrenceAt", origin, status, attempt, version, outcome, reason_code as "reasonCode", reason,
                next_attempt_at as "nextAttemptAt"
         from carillon.runs where schedule_id = $1 order by occurrence_at, origin`,
        [scheduleId],
      );
      return rows;
    },
  };
}

/** Closes the attempt as a worker does, but without receipts (the messages about an ended run) and without jitter. */
const toEndedRow = ({ run, outcome, sentAt }: EndedDelivery, nowAt: number): ClosedRun =>
  toClosedRun(run, outcome, {
    nowAt,
    durationMs: 1,
    latenessMs: sentAt === undefined ? null : sentAt - run.dueAt,
    random: 0,
    receiptOf: () => null,
  });
