import { type Decision, decideDue, type Moment, type Plan } from '@carillon/shared';
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../database.js';
import { insertRun } from './insert-run.js';
import { moveOn, recordPassed } from './move-on.js';
import { admit, cancelOpenRuns } from './open-runs.js';
import { pauseBroken } from './pause-broken.js';
import { type DueRow, type ReadDueOptions, readDue } from './read-due.js';
import { type Start, startRuns } from './start-runs.js';

/** A run that is ours to deliver, with what it takes to do so. */
export interface ClaimedRun {
  scheduleId: number;
  projectId: number;
  scheduleKey: string;
  occurrenceAt: number;
  origin: 'rule' | 'trigger' | 'backfill';
  dueAt: number;
  attempt: number;
  freeAttempts: number;
  replays: number;
  epoch: number;
  counted: boolean;
  /** Of the definition that it runs under. */
  version: number;
  /** Whether it has its row; if not, only its lease names it until it ends. */
  isWritten: boolean;
  plan: Plan;
  payload: string | null;
}

export interface Claim {
  runs: ClaimedRun[];
  /** When Postgres says that the claim was made; 0 where nothing was due. */
  nowAt: number;
  /** When the schedules that were claimed fall due next. */
  nextDueAts: number[];
  /** Occurrences that somebody else had made a run of already. */
  lost: number;
  /** Of which schedules they were. */
  lostKeys: string[];
  /** Whether as much was due as was asked for: there may be more. */
  isFull: boolean;
}

export interface ClaimOptions extends ReadDueOptions {
  workerId: number;
  leaseMs: number;
}

/** Claims schedules that are due: reads and locks them, decides, and starts their runs, all in one transaction. */
export function claimDue(pool: Pool, options: ClaimOptions): Promise<Claim> {
  return inTransaction(pool, async (tx) => {
    const { rows, nowAt } = await readDue(tx, options);
    const nextDueAts: number[] = [];
    const starts: Start[] = [];
    for (const row of rows) {
      const decision: Decision =
        'unreadable' in row
          ? { kind: 'broken', reason: `its definition could not be read: ${row.unreadable}` }
          : decideDue(row, nowAt);
      if (decision.kind === 'broken') {
        await pauseBroken(tx, { id: row.id, note: decision.reason, now: nowAt });
        continue;
      }
      const { run, passed, next } = decision;
      const due = row as DueRow;
      // Nearly every row has nothing to it but a run to start: that is left to the batch.
      if (run && !passed && !due.counted) starts.push({ row: due, run, next });
      else {
        const start = await settle(tx, due, decision, nowAt);
        if (start) starts.push(start);
      }
      if (next) nextDueAts.push(next.dueAt);
    }
    const isFull = rows.length >= options.limit;
    if (starts.length === 0) return { runs: [], nowAt, nextDueAts, lost: 0, lostKeys: [], isFull };
    // Ascending ids: whoever else writes these rows in a batch locks them in the same order.
    starts.sort((a, b) => a.row.id - b.row.id);
    const started = await startRuns(tx, starts, { ...options, nowAt });
    const runs = started.starts.map((start) => toClaimedRun(start, started.epoch));
    const lostKeys = runs.length === starts.length ? [] : keysBeyond(starts, started.starts);
    return { runs, nowAt, nextDueAts, lost: lostKeys.length, lostKeys, isFull };
  });
}

function keysBeyond(starts: readonly Start[], started: readonly Start[]): string[] {
  const ours = new Set(started);
  return starts.filter((start) => !ours.has(start)).map(({ row }) => row.key);
}

/** Does what the decision asks for short of starting the run. */
async function settle(
  tx: Transaction,
  row: DueRow,
  { run, passed, next }: Extract<Decision, { kind: 'move' }>,
  nowAt: number,
): Promise<Start | null> {
  if (passed) await recordPassed(tx, row, passed, nowAt);
  if (!run) {
    await moveOn(tx, row, { next, runs: 0 });
    return null;
  }
  return row.counted ? settleCounted(tx, row, { run, next }, nowAt) : { row, run, next };
}

async function settleCounted(
  tx: Transaction,
  row: DueRow,
  { run, next }: { run: Moment; next: Moment | null },
  nowAt: number,
): Promise<Start | null> {
  const admission = await admit(tx, row, nowAt);
  if (admission.kind === 'replace') await cancelOpenRuns(tx, row.id, 'the next run took its place', nowAt);
  if (admission.kind === 'start' || admission.kind === 'replace') return { row, run, next };
  await insertRun(
    tx,
    {
      scheduleId: row.id,
      projectId: row.projectId,
      definitionVersion: row.definitionVersion,
      origin: 'rule',
      ...run,
      state:
        admission.kind === 'queue'
          ? { status: 'queued', nextAttemptAt: null }
          : { status: 'skipped', ...admission },
    },
    nowAt,
  );
  await moveOn(tx, row, { next, runs: admission.kind === 'queue' ? 1 : 0 });
  return null;
}

function toClaimedRun({ row, run }: Start, epoch: number): ClaimedRun {
  return {
    scheduleId: row.id,
    projectId: row.projectId,
    scheduleKey: row.key,
    occurrenceAt: run.occurrenceAt,
    origin: 'rule',
    dueAt: run.dueAt,
    attempt: 1,
    freeAttempts: 0,
    replays: 0,
    epoch,
    counted: row.counted,
    version: row.definitionVersion,
    isWritten: row.isWrittenAtOnce,
    plan: row.plan,
    payload: row.payload,
  };
}
