import { readSlots, readUnchangedSlots } from '@carillon/db';
import { SLOT_MS } from '@carillon/queue';
import { CLOCKS, type Installation } from '../harness/installation.js';

/**
 * A slot that ends within this time is not checked, because its bell may have rung already. Nor is a slot with a row
 * that was written within this time, because its bell may still be on its way to Redis.
 */
const BELL_GRACE_MS = 1_500;

/**
 * Returns the slots (5 ms of time each) whose bell (the delayed job in Redis that wakes a worker) will ring in time. A
 * bell whose delay contradicts its id does not count.
 */
export async function readArmed({
  redis,
  bellsKey,
}: Pick<Installation, 'redis' | 'bellsKey'>): Promise<Set<number>> {
  const idsAndScores = await redis.zrange(`${bellsKey}:delayed`, 0, '-1', 'WITHSCORES');
  const armed = new Set<number>();
  for (let i = 0; i < idsAndScores.length; i += 2) {
    const ringAt = Number(idsAndScores[i]?.split('-')[1]);
    const rings = Math.floor(Number(idsAndScores[i + 1]) / SCORE_PER_MS);
    if (Math.abs(rings - ringAt) <= SLOT_MS) armed.add(ringAt);
  }
  return armed;
}

/**
 * BullMQ's score of a delayed job is its time in milliseconds times this factor, plus a number that distinguishes jobs
 * of the same millisecond.
 */
const SCORE_PER_MS = 0x1000;

/**
 * Checks promise I8: Redis has a bell (a delayed job that wakes a worker) for each slot in which Postgres has something
 * due. Returns a violation for each slot without one. A bell for a slot in which nothing is due any more is harmless.
 */
export async function checkBells({ pool, redis, bellsKey }: Installation): Promise<string[]> {
  const { ringAts, nowAt } = await readSlots(pool, {
    horizonMs: CLOCKS.horizonMs,
    slotMs: SLOT_MS,
    now: null,
  });
  if (ringAts.length === 0) return [];
  const armed = await readArmed({ redis, bellsKey });
  const missing = ringAts.filter(
    (ringAt) =>
      ringAt > nowAt + BELL_GRACE_MS &&
      // Slots that come within the horizon get their bells from the next sweep. So the slots at the end of the horizon
      // may not have a bell yet.
      ringAt < nowAt + CLOCKS.horizonMs - 3 * CLOCKS.sweepMs &&
      !armed.has(ringAt),
  );
  const unchanged = await readUnchangedSlots(pool, {
    ringAts: missing,
    slotMs: SLOT_MS,
    unchangedForMs: BELL_GRACE_MS,
    now: null,
  });
  return unchanged.map((ringAt) => `I8 no bell for what is due in ${ringAt - nowAt} ms`);
}
