import {
  type ClaimedRun,
  claimDue,
  claimWaiting,
  closeRuns,
  type RunStatus,
  registerWorker,
} from '@carillon/db';
import { closingOf, type Outcome } from '@carillon/shared';
import type { TestDatabase } from './database.js';

export interface RunRow {
  occurrenceAt: number;
  origin: string;
  status: RunStatus;
  attempt: number;
  version: number;
  outcome: string | null;
  reasonCode: string | null;
  reason: string | null;
  nextAttemptAt: number | null;
}

const FAILED: Outcome = { kind: 'failed', isTransient: true, errorCode: 'test', error: 'failed on purpose' };

/** The engine's statements on real Postgres, with time as an argument: what a worker does, one step at a time. */
export function useEngine(database: TestDatabase) {
  let workerId: number | null = null;
  const LEASE_MS = 15_000;

  const claim = async (now: number, limit = 100): Promise<ClaimedRun[]> => {
    workerId ??= await registerWorker(database.pool, { host: 'test', pid: 1 });
    const options = { workerId, leaseMs: LEASE_MS, limit, now };
    const due = await claimDue(database.pool, { ...options, fairTo: [] });
    const waiting = await claimWaiting(database.pool, options);
    return [...due.runs, ...waiting.runs];
  };

  const close = async (run: ClaimedRun, outcome: Outcome, now: number): Promise<number> => {
    const closing = closingOf(outcome, {
      retry: run.plan.retry,
      attempt: run.attempt - run.freeAttempts,
      random: 0,
    });
    const closed = {
      scheduleId: run.scheduleId,
      occurrenceAt: run.occurrenceAt,
      origin: run.origin,
      epoch: run.epoch,
      status: closing.status,
      outcome: outcome.kind === 'deferred' ? null : outcome.kind,
      durationMs: 1,
      httpStatus: null,
      errorCode: outcome.kind === 'failed' ? outcome.errorCode : null,
      error: outcome.kind === 'failed' ? outcome.error : null,
      response: null,
      externalId: null,
      retryInMs: closing.retryInMs,
    };
    // As a worker does: the lease is given up with the last of the runs that were claimed under it.
    const { rowCount } = await database.pool.query(
      `select from runs where epoch = $1 and status = 'running'`,
      [run.epoch],
    );
    const doneEpochs = (rowCount ?? 0) > 1 ? [] : [run.epoch];
    return closeRuns(database.pool, [closed], { doneEpochs, now });
  };

  return {
    claim,
    /** Answers 1 if the run was still this claim's to close, else 0. */
    succeed: (run: ClaimedRun, now: number) => close(run, { kind: 'succeeded' }, now),
    fail: (run: ClaimedRun, now: number) => close(run, FAILED, now),
    /** The runs of a schedule, by occurrence. */
    async runsOf(scheduleId: number): Promise<RunRow[]> {
      const { rows } = await database.pool.query<RunRow>(
        `select round(date_part('epoch', occurrence_at) * 1000)::bigint as "occurrenceAt", origin, status, attempt, version,
                outcome, reason_code as "reasonCode", reason,
                round(date_part('epoch', next_attempt_at) * 1000)::bigint as "nextAttemptAt"
         from runs where schedule_id = $1 order by occurrence_at, origin`,
        [scheduleId],
      );
      return rows;
    },
  };
}
