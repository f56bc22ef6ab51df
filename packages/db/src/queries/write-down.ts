import type { Transaction } from '../database.js';
import { numberArray } from '../sql-text.js';

/**
 * Writes down what a schedule has under way, where only a lease knows of it yet: from here on its runs are found by their rows.
 * Who must be sure that none is claimed meanwhile holds the schedule's row lock.
 */
export async function writeDownOf(tx: Transaction, scheduleId: number): Promise<void> {
  const { rows } = await tx.query<{ epoch: number }>({
    name: 'lock-leases-of',
    text: `select epoch from leases where $1 = any(schedule_ids) order by epoch for update`,
    values: [scheduleId],
  });
  if (rows.length > 0) await writeDown(tx, { epochs: rows.map(({ epoch }) => epoch), scheduleId });
}

/** The caller has locked the leases, so that whoever holds them waits with what it would write about these runs. */
export async function writeDown(
  tx: Transaction,
  { epochs, scheduleId = null }: { epochs: readonly number[]; scheduleId?: number | null },
): Promise<void> {
  await tx.query({
    name: 'write-down',
    text: `insert into runs select unwritten.* from unwritten_runs as unwritten
           where epoch = any($1::bigint[]) and ($2::bigint is null or schedule_id = $2)
           on conflict do nothing`,
    values: [numberArray(epochs), scheduleId],
  });
}
