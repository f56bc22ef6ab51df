import type { ClientBase, Pool } from 'pg';
import { nowOr } from '../sql-text.js';

const MONTHS_AHEAD = 3;

/**
 * Makes the monthly partitions of `runs` and `attempts` for this month and those ahead. What already lies in the
 * default partition stays there: a month that has rows in it can't be made any more, and needn't be.
 */
export async function ensurePartitions(db: Pool | ClientBase, now: number | null): Promise<void> {
  const { rows } = await db.query<{ suffix: string; from: string; to: string }>(
    `select to_char(month, 'YYYY_MM') as suffix, month::date::text as from, (month + interval '1 month')::date::text as to
     from generate_series(0, $2) as ahead,
          lateral (select date_trunc('month', ${nowOr('$1')} at time zone 'UTC') + ahead * interval '1 month' as month) as months
     where to_regclass('runs_' || to_char(month, 'YYYY_MM')) is null`,
    [now, MONTHS_AHEAD],
  );
  for (const { suffix, from, to } of rows) {
    const range = `for values from ('${from}T00:00:00Z') to ('${to}T00:00:00Z')`;
    // Most runs are written once; the room is for those that are tried again or wait their turn (a HOT update).
    await createUnlessTaken(
      db,
      `create table if not exists runs_${suffix} partition of runs ${range} with (fillfactor = 90)`,
    );
    await createUnlessTaken(
      db,
      `create table if not exists attempts_${suffix} partition of attempts ${range}`,
    );
  }
}

async function createUnlessTaken(db: Pool | ClientBase, statement: string): Promise<void> {
  try {
    await db.query(statement);
  } catch (error) {
    const DEFAULT_HOLDS_SUCH_ROWS = '23514';
    if ((error as { code?: string }).code !== DEFAULT_HOLDS_SUCH_ROWS) throw error;
  }
}
