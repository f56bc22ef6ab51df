import {
  bringWatchesForward,
  computeStats,
  findSchedulesWithQueue,
  promoteQueued,
  readMissed,
  readMissingHandlers,
  readSlots,
  readStuckQueues,
  readUnchangedSlots,
  recordSweep,
  rescueRuns,
} from '@carillon/db';
import { SLOT_MS } from '@carillon/queue';
import type { WorkerContext } from '../context.js';
import { storeLostRunReceipts } from '../delivery/receipts/receipt.js';
import type { InFlight } from '../pipeline/in-flight.js';
import { reportFailure } from '../pipeline/report-failure.js';
import { retimeStep } from '../systems/keep-calendars.js';
import { keepTzdata } from './keep-tzdata.js';
import { warnOfMissingHandlers } from './warn-of-missing-handlers.js';

/** How many overdue runs, lost wake-ups (missing bells) and runs with an expired lease a sweep found. */
export interface Drift {
  overdue: number;
  missingBells: number;
  expiredLeases: number;
}

/**
 * If a row was changed less than this ago, its bell (its wake-up) may still be on its way to Redis, so it is not
 * counted as missing.
 */
const ON_ITS_WAY_MS = 2_000;

/**
 * Repairs the effects of lost wake-ups and lost workers. The sweep takes back the runs of expired leases, lets a queued
 * run start once the previous run of its schedule has ended, claims overdue runs, adds the wake-ups (bells) that Redis
 * lacks, and recomputes schedules whose calendar has changed.
 */
export async function sweep(
  context: WorkerContext,
  inFlight: Pick<InFlight, 'epochs'>,
  ring: () => Promise<void>,
): Promise<Drift> {
  const { pool, log, metrics, holder, sweepIntervalMs } = context;
  const rescued = await rescueRuns(pool, null, { token: holder.token, epochs: inFlight.epochs });
  const failed = rescued.filter((run) => run.hasFailed);
  for (const run of failed) reportFailure(context, run);
  for (const { latenessMs } of rescued)
    if (latenessMs !== null) metrics.observe('carillon_lateness_seconds', latenessMs);
  const endedOf = [...new Set(failed.map(({ scheduleId }) => scheduleId))];
  await promoteQueued(pool, await findSchedulesWithQueue(pool, endedOf), null);
  if (failed.length > 0) await storeLostRunReceipts(context, failed);
  if (endedOf.length > 0) await bringWatchesForward(pool, { failed: endedOf, ended: endedOf, now: null });
  await promoteQueued(pool, await readStuckQueues(pool), null);
  // No sweep can start a run whose handler no live worker has, so such a run does not count as overdue.
  const missingHandlers = await readMissingHandlers(pool);
  const missed = await readMissed(pool, { olderThanMs: sweepIntervalMs, missingHandlers, now: null });
  await ring();
  const missingBells = await armMissing(context);
  await recordSweep(pool, { now: null });
  await retime(context);
  await computeAnew(context);
  warnOfMissingHandlers(context, missingHandlers);
  await count(context);
  // A receipt (a message to `onSuccess` or `onFailure`) is usually sent when its run ends. This call sends the receipts
  // that an earlier try or a lost worker left over.
  context.receipts.send();
  const drift = { overdue: missed.count, missingBells, expiredLeases: rescued.length };
  for (const [kind, count] of Object.entries(drift)) {
    if (count > 0) metrics.count('carillon_drift_total', count, `kind="${kind}"`);
  }
  if (drift.overdue + drift.missingBells + drift.expiredLeases > 0)
    log.warn({ drift }, 'Sweep repaired drift: overdue runs, missing bells or expired leases');
  return drift;
}

/**
 * Recomputes the next occurrence of schedules whose calendar has changed. Errors are only logged, because a schedule
 * that can't be recomputed must not fail the sweep.
 */
async function retime(context: WorkerContext): Promise<void> {
  try {
    await retimeStep(context);
  } catch (error) {
    context.postgres.report(error, 'Schedules could not be re-timed by their calendars');
  }
}

/**
 * Recomputes the agenda (the next occurrences of all schedules) if the time zone data has changed. Errors are only
 * logged, because they must not fail the sweep.
 */
async function computeAnew(context: WorkerContext): Promise<void> {
  try {
    await keepTzdata(context);
  } catch (error) {
    context.postgres.report(
      error,
      'The agenda could not be recomputed with new time zone data: the next sweep tries again',
    );
  }
}

/** Computes the statistics. Errors are only logged: a later sweep computes them. */
async function count({ pool, postgres }: WorkerContext): Promise<void> {
  try {
    await computeStats(pool, null);
  } catch (error) {
    postgres.report(error, 'Statistics could not be computed: the next sweep tries again');
  }
}

/**
 * Adds the bells (wake-ups for due rows) that Redis lacks. Returns how many of them Redis should have had already,
 * which means that they were lost. Does nothing without Redis, or while Redis takes no writes.
 */
async function armMissing({ pool, bells, horizonMs, sweepIntervalMs, log }: WorkerContext): Promise<number> {
  const { ringAts, nowAt } = await readSlots(pool, { horizonMs, slotMs: SLOT_MS, now: null });
  if (ringAts.length === 0) return 0;
  try {
    const held = await bells.readArmed(nowAt, horizonMs);
    if (held === null) return 0;
    const missing = ringAts.filter((ringAt) => !held.has(ringAt));
    // This read comes before the bells are added. Adding bells takes time, and a row that has just changed would then
    // be old enough for its bell to count as missing.
    const unchanged = await readUnchangedSlots(pool, {
      ringAts: missing.filter((ringAt) => shouldBeArmed(ringAt - nowAt, { horizonMs, sweepIntervalMs })),
      slotMs: SLOT_MS,
      unchangedForMs: ON_ITS_WAY_MS,
      now: null,
    });
    await bells.rearm(missing);
    return unchanged.length;
  } catch (error) {
    // Logged at debug level only, because the worker warns once when Redis stops taking writes.
    log.debug({ err: error }, 'Bells could not be armed');
    return 0;
  }
}

/**
 * True if Redis should already hold the bell of a slot that ends in `inMs`. A slot near the end of the horizon was
 * still beyond the horizon at the last sweep. The bell of such a slot does not count as missing, because this sweep is
 * the first to add it.
 */
const shouldBeArmed = (
  inMs: number,
  { horizonMs, sweepIntervalMs }: { horizonMs: number; sweepIntervalMs: number },
) => inMs > ON_ITS_WAY_MS && inMs < horizonMs - 2 * sweepIntervalMs;
