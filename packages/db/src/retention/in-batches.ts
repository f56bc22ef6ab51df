import type { Pool } from 'pg';
import { inFireTransaction, inTransaction, type Transaction } from '../database.js';
import { isConflict } from '../errors.js';

/**
 * Maximum number of rows that one transaction of retention deletes. A transaction of this size holds its locks for well
 * under a second.
 */
export const ROWS_PER_TRANSACTION = 5_000;

/** How long a batch waits for a lock. If it does not get the lock, it fails, and the next prune tries again. */
const LOCK_TIMEOUT = '500ms';

type Work<T> = (tx: Transaction) => Promise<T>;

/** Runs one batch in a transaction of its own. */
export function inOneBatch<T>(pool: Pool, work: Work<T>): Promise<T> {
  return inTransaction(pool, givingWay(work));
}

/**
 * Runs one batch in a transaction in which Postgres looks rows up by key, even if the statistics of a table are outdated.
 */
export function inOneBatchByKey<T>(pool: Pool, work: Work<T>): Promise<T> {
  return inFireTransaction(pool, givingWay(work));
}

const givingWay =
  <T>(work: Work<T>): Work<T> =>
  async (tx) => {
    await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    return work(tx);
  };

/**
 * Deletes batch after batch until one is not full, and returns the number of deleted rows. Stops early if another
 * transaction holds a lock for too long.
 */
export async function deleteInBatches(
  pool: Pool,
  deleteBatch: Work<{ length: number }>,
  runBatch = inOneBatch,
): Promise<number> {
  for (let total = 0; ; ) {
    const deleted = await runBatch(pool, deleteBatch).catch((error: unknown) => {
      if (isConflict(error)) return { length: 0 };
      throw error;
    });
    total += deleted.length;
    if (deleted.length < ROWS_PER_TRANSACTION) return total;
  }
}
