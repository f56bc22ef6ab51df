import { readInstallationState, readLatestChange, readLatestEvidence, type Witness } from '@carillon/db';
import { OutsideMark, type RedisClient, untilReady } from '@carillon/queue';
import type { Pool } from 'pg';

/** How long a starting API waits for Redis. After that, the API starts without `compareMark`. */
const REDIS_WAIT_MS = 500;

/**
 * Before the first request, compares Postgres with the mark in Redis: the latest heartbeat that a worker knew to be
 * committed. A Postgres that lacks this heartbeat has lost transactions, for instance in a failover. The installation
 * is then held (workers claim nothing until an operator decides), and the sequences of Postgres are moved on, so that
 * the API does not issue the id of a lost schedule again.
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
 * Verifies that Postgres still has the rows that this process remembers. Then remembers the latest heartbeat of any
 * worker and the latest entry of the audit log.
 */
export async function keepEvidence(pool: Pool, witness: Witness): Promise<void> {
  const verdict = await witness.verify(pool);
  // Postgres has lost transactions. The rows that this process remembered before the loss prove it, so they are not
  // replaced by newer rows until an operator has decided what to do about the loss.
  if (verdict === 'lost') return;
  witness.remember(await readLatestEvidence(pool));
  witness.rememberRow(await readLatestChange(pool));
}
