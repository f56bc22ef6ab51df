import { type Admission, encodeRunId, handlerOf, nextOccurrences } from '@carillon/shared';
import type { Database, Transaction } from '../database.js';
import { admitRuns } from '../engine/admit-runs.js';
import { REPLACED_BY_NEXT_RUN, unstartedRun } from '../engine/claim-due.js';
import { instant } from '../instants.js';
import { insertMissingRuns, type UnstartedRun } from '../runs/insert-unstarted.js';
import { cancelOpenRuns } from '../runs/stop-runs.js';
import { statement } from '../statement.js';
import { ChangeRefused, type ChangeRequest, type ChangeResult, changeSchedule } from './change-schedule.js';
import type { LockedSchedule } from './locked-schedule.js';

/**
 * Runs a schedule now, besides the occurrences of its rule. Its next occurrence stays the same. Returns the id of the
 * run.
 */
export function triggerSchedule(db: Database, request: ChangeRequest): Promise<ChangeResult<string>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    refuseCancelled(schedule, 'triggered');
    // Two triggers within one millisecond are two runs: the second gets the next free millisecond.
    let occurrenceAt = schedule.nowAt;
    while (!(await insertOne(tx, schedule, 'trigger', occurrenceAt))) occurrenceAt++;
    const runId = encodeRunId({ scheduleId: schedule.id, occurrenceAt, origin: 'trigger' });
    return {
      value: runId,
      dueAts: [schedule.nowAt],
      audit: { action: 'schedule.triggered', detail: { runId } },
    };
  });
}

/**
 * Runs locked schedules now, all of them by the same few statements. The key of a triggered run contains `nowAt`. So a
 * schedule that already has a triggered run of this millisecond is left out, and the caller must run it alone.
 */
export async function triggerLocked(
  tx: Transaction,
  schedules: readonly LockedSchedule[],
  nowAt: number,
): Promise<{ schedule: LockedSchedule; detail: { runId: string } }[]> {
  const counted = schedules.filter(({ isCounted }) => isCounted);
  const admissions = await admitRuns(tx, counted, nowAt);
  const replaced = counted.filter(({ id }) => admissions.get(id)?.kind === 'replace').map(({ id }) => id);
  if (replaced.length > 0)
    await cancelOpenRuns(tx, { scheduleIds: replaced, now: nowAt, ...REPLACED_BY_NEXT_RUN });
  const runs = schedules.map((schedule) =>
    runOf(schedule, 'trigger', nowAt, admissions.get(schedule.id) ?? { kind: 'start' }),
  );
  const inserted = await insertMissingRuns(tx, runs, nowAt);
  const insertedIds = new Set(inserted.map(({ scheduleId }) => scheduleId));
  return schedules
    .filter(({ id }) => insertedIds.has(id))
    .map((schedule) => ({
      schedule,
      detail: { runId: encodeRunId({ scheduleId: schedule.id, occurrenceAt: nowAt, origin: 'trigger' }) },
    }));
}

/**
 * Maximum number of occurrences in a backfill. A larger range is refused rather than cut, because a caller would not
 * notice what was left out.
 */
const MAX_BACKFILL = 10_000;
/**
 * Maximum number of occurrences in a backfill of a counted schedule (one whose policies count its open runs). Each run
 * needs statements of its own, which execute while the schedule is locked.
 */
const MAX_COUNTED_BACKFILL = 1_000;
/** Number of occurrences that are computed before other requests get their turn. */
const OCCURRENCES_PER_STEP = 500;

export interface Backfill {
  fromAt: number;
  toAt: number;
}

/** Runs the occurrences of a range that have neither an open nor a succeeded run. Returns how many it runs. */
export function backfillSchedule(
  db: Database,
  request: ChangeRequest,
  { fromAt, toAt }: Backfill,
): Promise<ChangeResult<number>> {
  return changeSchedule(db, request, async (tx, schedule) => {
    refuseCancelled(schedule, 'backfilled');
    const most = schedule.isCounted ? MAX_COUNTED_BACKFILL : MAX_BACKFILL;
    const named = await nameOccurrences(schedule.timing, { fromAt, toAt, limit: most + 1 });
    if (named.length > most)
      throw new ChangeRefused(`the range holds more than ${most} occurrences; backfill it in parts`);
    const done = new Set((await readDone(tx, { id: schedule.id, fromAt, toAt })).map(({ at }) => at));
    const missing = named.filter((at) => !done.has(at));
    const value = schedule.isCounted
      ? await insertOneByOne(tx, schedule, missing)
      : await insertInOneStatement(tx, schedule, missing);
    const detail = { from: new Date(fromAt).toISOString(), to: new Date(toAt).toISOString(), count: value };
    return { value, dueAts: [schedule.nowAt], audit: { action: 'schedule.backfilled', detail } };
  });
}

/** Computes the occurrences of a range in steps, and yields to other requests in between. */
async function nameOccurrences(
  timing: LockedSchedule['timing'],
  { fromAt, toAt, limit }: Backfill & { limit: number },
): Promise<number[]> {
  const named: number[] = [];
  let afterAt = fromAt - 1;
  while (named.length < limit) {
    const step = nextOccurrences(timing, afterAt, Math.min(OCCURRENCES_PER_STEP, limit - named.length));
    const within = step.filter((at) => at <= toAt);
    named.push(...within);
    afterAt = step.at(-1) ?? toAt;
    if (within.length < OCCURRENCES_PER_STEP) break;
    await new Promise(setImmediate);
  }
  return named;
}

const readDone = statement<{ id: number; fromAt: number; toAt: number }, { at: number }>(
  'read-done-occurrences',
  `select occurrence_at as at from carillon.runs
   where schedule_id = :id and occurrence_at between ${instant(':fromAt')} and ${instant(':toAt')}
     and origin <> 'trigger' and status in ('queued', 'running', 'retrying', 'succeeded')`,
);

export const cancelledRefusal =
  (what: string) =>
  ({ status }: LockedSchedule): string | null =>
    status === 'cancelled' ? `it is cancelled and can't be ${what}` : null;

function refuseCancelled(schedule: LockedSchedule, what: string): void {
  const refusal = cancelledRefusal(what)(schedule);
  if (refusal !== null) throw new ChangeRefused(refusal);
}

type Origin = 'trigger' | 'backfill';

async function insertInOneStatement(
  tx: Transaction,
  schedule: LockedSchedule,
  missing: readonly number[],
): Promise<number> {
  const runs = missing.map((at) => runOf(schedule, 'backfill', at, { kind: 'start' }));
  return (await insertMissingRuns(tx, runs, schedule.nowAt)).length;
}

/** Inserts runs one after the other, so that the policies of the schedule count the runs that were inserted before. */
async function insertOneByOne(
  tx: Transaction,
  schedule: LockedSchedule,
  missing: readonly number[],
): Promise<number> {
  let count = 0;
  for (const at of missing) if (await insertOne(tx, schedule, 'backfill', at)) count++;
  return count;
}

/** Inserts a run under the same policies as a claim, and lets it start as soon as they allow. */
async function insertOne(
  tx: Transaction,
  schedule: LockedSchedule,
  origin: Origin,
  occurrenceAt: number,
): Promise<boolean> {
  const { id, isCounted, nowAt } = schedule;
  const admissions = isCounted ? await admitRuns(tx, [schedule], nowAt) : null;
  const admission = admissions?.get(id) ?? { kind: 'start' };
  if (admission.kind === 'replace')
    await cancelOpenRuns(tx, { scheduleIds: [id], now: nowAt, ...REPLACED_BY_NEXT_RUN });
  const inserted = await insertMissingRuns(tx, [runOf(schedule, origin, occurrenceAt, admission)], nowAt);
  return inserted.length === 1;
}

function runOf(
  schedule: LockedSchedule,
  origin: Origin,
  occurrenceAt: number,
  admission: Admission,
): UnstartedRun {
  const { id: scheduleId, nowAt: dueAt, projectId, definitionVersion: version, plan } = schedule;
  const run = { scheduleId, occurrenceAt, origin, dueAt };
  if (admission.kind === 'queue' || admission.kind === 'skip')
    return { ...run, ...unstartedRun(schedule, admission) };
  return {
    ...run,
    projectId,
    version,
    handler: handlerOf(plan),
    status: 'queued',
    startsAt: dueAt,
    reasonCode: null,
    reason: null,
  };
}
