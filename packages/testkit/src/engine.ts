import {
  type ClaimedRun,
  type ClosedRun,
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

/** A claimed run, and how its delivery went. */
export interface Ended {
  run: ClaimedRun;
  outcome: Outcome;
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

  /** Answers how many of the runs were still their claims' to close. */
  const closeAll = async (ended: readonly Ended[], now: number): Promise<number> => {
    const kept = await closeRuns(database.pool, ended.map(toClosedRun), { doneEpochs: [], now });
    // As a worker does: a lease is given up with the last of the runs that were claimed under it.
    await database.pool.query(
      `delete from leases l where epoch = any($1::bigint[])
         and not exists (select from every_run r where r.epoch = l.epoch and r.status = 'running')`,
      [ended.map(({ run }) => run.epoch)],
    );
    return kept;
  };

  return {
    claim,
    closeAll,
    /** Answers 1 if the run was still this claim's to close, else 0. */
    succeed: (run: ClaimedRun, now: number) => closeAll([{ run, outcome: { kind: 'succeeded' } }], now),
    fail: (run: ClaimedRun, now: number) => closeAll([{ run, outcome: FAILED }], now),
    /** The runs of a schedule, by occurrence. */
    async runsOf(scheduleId: number): Promise<RunRow[]> {
      const { rows } = await database.pool.query<RunRow>(
        `select round(date_part('epoch', occurrence_at) * 1000)::bigint as "occurrenceAt", origin, status, attempt, version,
                outcome, reason_code as "reasonCode", reason,
                round(date_part('epoch', next_attempt_at) * 1000)::bigint as "nextAttemptAt"
         from every_run where schedule_id = $1 order by occurrence_at, origin`,
        [scheduleId],
      );
      return rows;
    },
  };
}

function toClosedRun({ run, outcome }: Ended): ClosedRun {
  const closing = closingOf(outcome, {
    retry: run.plan.retry,
    attempt: run.attempt - run.freeAttempts,
    random: 0,
  });
  return {
    scheduleId: run.scheduleId,
    occurrenceAt: run.occurrenceAt,
    origin: run.origin,
    epoch: run.epoch,
    projectId: run.projectId,
    version: run.version,
    dueAt: run.dueAt,
    isWritten: run.isWritten,
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
}
