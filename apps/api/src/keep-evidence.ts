import { readInstallationState, readLatestChange, readLatestEvidence, type Witness } from '@carillon/db';
import { OutsideMark, type RedisClient, untilReady } from '@carillon/queue';
import type { Pool } from 'pg';

/** How long the start of an API waits for Redis before it goes on without the mark. */
const REDIS_WAIT_MS = 500;

/**
 * Compares Postgres with the mark in Redis before the first request. The API must not create a schedule under an id
 * that was issued in the lost time.
 */
export async function compareMark(
  pool: Pool,
  witness: Witness,
  { redis, prefix }: { redis: RedisClient | null; prefix: string },
): Promise<void> {
  if (redis) {
    await untilReady(redis, REDIS_WAIT_MS);
    const { id } = await readInstallationState(pool);
    witness.remember(await new OutsideMark({ redis, prefix }).read(id).catch(() => null));
  }
  await keepEvidence(pool, witness);
}

/**
 * Verifies what this process remembers, then remembers the latest heartbeat of any worker and the latest change by any
 * API.
 */
export async function keepEvidence(pool: Pool, witness: Witness): Promise<void> {
  const verdict = await witness.verify(pool);
  // After a loss, the remembered heartbeat stays until an operator has decided.
  if (verdict === 'lost') return;
  witness.remember(await readLatestEvidence(pool));
  witness.rememberRow(await readLatestChange(pool));
}
