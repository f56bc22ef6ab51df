import {
  promoteQueued,
  readMissed,
  readSlots,
  readStuckQueues,
  recordSweep,
  rescueRuns,
  retimeStale,
  type Slot,
} from '@carillon/db';
import { SLOT_MS } from '@carillon/queue';
import type { WorkerContext } from '../context.js';
import { noteLost } from '../targets/receipt.js';

/** What a sweep found that should not have been there. */
export interface Drift {
  overdue: number;
  missingBells: number;
  expiredLeases: number;
}

/** What changed less than this ago may still be on its way to Redis: not drift. */
const ON_ITS_WAY_MS = 2_000;

/**
 * Makes up for any bell that did not ring and any worker that did not come back: claims what is overdue, rescues the
 * runs of expired leases, lets queues go on that nobody did, arms every slot of the horizon that Redis does not hold, times
 * anew what goes by an older calendar.
 */
export async function sweep(context: WorkerContext, ring: () => Promise<void>): Promise<Drift> {
  const { pool, log, metrics, sweepIntervalMs } = context;
  const rescued = await rescueRuns(pool, null);
  const failed = rescued.filter((run) => run.failed);
  for (const { scheduleId } of failed) await promoteQueued(pool, scheduleId, null);
  if (failed.length > 0) await noteLost(context, failed);
  for (const scheduleId of await readStuckQueues(pool)) await promoteQueued(pool, scheduleId, null);
  const missed = await readMissed(pool, { olderThanMs: sweepIntervalMs, now: null });
  await ring();
  const missingBells = await armMissing(context);
  await recordSweep(pool, null);
  await retime(context);
  // What an earlier try or a lost worker left over; new ones are sent as their runs end.
  context.receipts.send();
  const drift = { overdue: missed.count, missingBells, expiredLeases: rescued.length };
  for (const [kind, count] of Object.entries(drift)) {
    if (count > 0) metrics.count('carillon_drift_total', count, `kind="${kind}"`);
  }
  if (drift.overdue + drift.missingBells + drift.expiredLeases > 0) log.warn({ drift }, 'Sweep found drift');
  return drift;
}

/** Last, and by itself: a definition that can't be timed must not keep bells from being armed. */
async function retime({ pool, bells, log }: WorkerContext): Promise<void> {
  try {
    const { retimed, dueAts } = await retimeStale(pool);
    if (retimed > 0) log.info({ retimed }, 'Schedules timed anew by a calendar that had changed');
    await bells.arm(dueAts);
  } catch (error) {
    log.error({ err: error }, 'Schedules could not be timed anew by their calendars');
  }
}

/** Arms what Redis lacks; answers how much of that it ought to have had. While Redis is away there is nothing to arm. */
async function armMissing({ pool, bells, horizonMs, sweepIntervalMs, log }: WorkerContext): Promise<number> {
  const { slots, nowAt } = await readSlots(pool, { horizonMs, slotMs: SLOT_MS, now: null });
  if (slots.length === 0) return 0;
  try {
    const held = await bells.readArmed(nowAt, horizonMs);
    const missing = slots.filter(({ ringAt }) => !held.has(ringAt));
    await bells.rearm(missing.map(({ ringAt }) => ringAt));
    // What has come within the horizon since the last sweep was nobody's to arm before.
    const isDrift = ({ ringAt, touchedAt }: Slot) =>
      ringAt - nowAt > ON_ITS_WAY_MS &&
      ringAt - nowAt < horizonMs - 2 * sweepIntervalMs &&
      nowAt - touchedAt > ON_ITS_WAY_MS;
    return missing.filter(isDrift).length;
  } catch (error) {
    log.warn({ err: error }, 'Bells could not be armed: Redis is away');
    return 0;
  }
}
