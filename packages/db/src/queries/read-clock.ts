import type { Database } from '../database.js';
import { toMs } from '../sql-text.js';

export async function readClock(db: Database): Promise<{ nowAt: number }> {
  const { rows } = await db.query<{ nowAt: number }>(`select ${toMs('clock_timestamp()')} as "nowAt"`);
  return rows[0] as { nowAt: number };
}
