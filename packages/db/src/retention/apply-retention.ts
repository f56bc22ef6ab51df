import type { RetentionDays } from '@carillon/shared';
import type { Pool } from 'pg';
import { isConflict, isTimeout } from '../errors.js';
import { dropOldMonths, type KeptMonth } from './drop-months.js';
import { forgetOld } from './fixed-retentions.js';
import { forgetAudit } from './forget-audit.js';
import { forgetRecords } from './forget-records.js';
import { forgetRuns } from './forget-runs.js';
import { forgetSchedules } from './forget-schedules.js';
import { readCutoffs, recordHistoryStart } from './read-cutoffs.js';

export interface RetentionReport {
  /** The months of history that were dropped, as 2026_01. */
  months: string[];
  /** Rows that were deleted one by one, by table. Tables from which nothing was deleted are left out. */
  deleted: Record<string, number>;
  /** Why the months that are past their retention could not be dropped now; null if nothing prevented it. */
  postponed: string | null;
}

/**
 * Removes all rows that are past their retention: whole months of runs where possible, other rows in batches. Each
 * batch is a transaction that waits only briefly for locks. docs/retention.md lists the retention of every table.
 */
export async function applyRetention(
  pool: Pool,
  { defaults, now }: { defaults: RetentionDays; now: number | null },
): Promise<RetentionReport> {
  const deleted: Record<string, number> = await forgetOld(pool, { now });
  const projects = await readCutoffs(pool, { defaults, now });
  await recordHistoryStart(pool, projects);
  // Finished schedules are deleted first. Otherwise the month of their runs could be dropped before them, and their
  // totals would have to be saved first.
  deleted.schedules = await forgetSchedules(pool, projects);
  const months = await dropMonths(pool, { projects, now });
  deleted.runs = await forgetRuns(pool, { projects, kept: months.kept, now });
  Object.assign(deleted, await forgetRecords(pool, projects));
  deleted.audit_log = await forgetAudit(pool, projects);
  return {
    months: months.dropped,
    deleted: Object.fromEntries(Object.entries(deleted).filter(([, count]) => count > 0)),
    postponed: months.postponed,
  };
}

/**
 * Drops old months. If that fails because a long read of a month is in progress, the other tables must still be pruned.
 * So the error is not thrown, but returned as `postponed`.
 */
async function dropMonths(
  pool: Pool,
  options: Parameters<typeof dropOldMonths>[1],
): Promise<{ dropped: string[]; kept: KeptMonth[]; postponed: string | null }> {
  try {
    return { ...(await dropOldMonths(pool, options)), postponed: null };
  } catch (error) {
    const { message } = error as Error;
    if (!isConflict(error) && !isTimeout(error)) throw error;
    return { dropped: [], kept: [], postponed: message };
  }
}
