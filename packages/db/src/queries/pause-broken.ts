import type { Transaction } from '../database.js';
import { fromMs } from '../sql-text.js';

/** Pauses a schedule that can't go on, with the reason where a person will look for it. */
export async function pauseBroken(
  tx: Transaction,
  row: { id: number },
  note: string,
  nowAt: number,
): Promise<void> {
  await tx.query(
    `update schedules
     set status = 'paused', version = version + 1, paused_at = ${fromMs('$2::bigint')}, paused_until = null,
         paused_by = 'carillon', pause_note = $3, updated_at = ${fromMs('$2::bigint')}
     where id = $1 and status = 'active'`,
    [row.id, nowAt, note],
  );
}
