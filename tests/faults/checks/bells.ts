import { readSlots } from '@carillon/db';
import { SLOT_MS } from '@carillon/queue';
import { CLOCKS, type Installation } from '../harness/installation.js';

/**
 * A slot nearer than this may be ringing already. A row written less than this ago may have a bell that is on its way
 * to Redis.
 */
const SETTLED_MS = 1_500;

/** The slots for which a bell will ring in time. A bell whose delay disagrees with its id does not count. */
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
 * BullMQ scores a delayed job by its time in milliseconds, times this factor, plus a number that keeps jobs of one
 * moment apart.
 */
const SCORE_PER_MS = 0x1000;

/**
 * I8: each slot in which Postgres says that something is due has its bell in Redis. Returns the slots that have none.
 * A bell for a slot in which nothing is due any more is harmless.
 */
export async function checkBells({ pool, redis, bellsKey }: Installation): Promise<string[]> {
  const { slots, nowAt } = await readSlots(pool, { horizonMs: CLOCKS.horizonMs, slotMs: SLOT_MS, now: null });
  if (slots.length === 0) return [];
  const armed = await readArmed({ redis, bellsKey });
  const missing = slots.filter(
    ({ ringAt, touchedAt }) =>
      ringAt > nowAt + SETTLED_MS &&
      // A slot that has entered the horizon since the last sweep is armed by the next one.
      ringAt < nowAt + CLOCKS.horizonMs - 3 * CLOCKS.sweepMs &&
      touchedAt < nowAt - SETTLED_MS &&
      !armed.has(ringAt),
  );
  return missing.map(({ ringAt }) => `I8 no bell for what is due in ${ringAt - nowAt} ms`);
}
