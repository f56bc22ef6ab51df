import { setImmediate as nextTurn } from 'node:timers/promises';
import { compareOccurrences, type OccurrenceDifference } from '@carillon/shared';
import type { Database } from '../database.js';
import { type AuditRange, readAuditPage } from './occurrence-audit.js';

/**
 * Maximum number of occurrences that one call of `auditOccurrences` compares, which takes about a quarter of a second.
 */
const MAX_OCCURRENCES = 20_000;

/**
 * The next page of the comparison begins at this schedule, after the instant `afterAt`. If `afterAt` is null, the
 * schedule is compared from the start of the window.
 */
export interface AuditPosition {
  scheduleId: number;
  afterAt: number | null;
}

export interface FoundDifference extends OccurrenceDifference {
  scheduleKey: string;
}

export interface AuditedPage {
  schedules: number;
  occurrences: number;
  differences: FoundDifference[];
  /** Null if all schedules of the project have been compared. */
  next: AuditPosition | null;
}

/**
 * Computes, from the rules of a page of schedules, their occurrences in a window, and compares them with the stored
 * runs and gaps. A gap is the record of consecutive occurrences that did not run.
 */
export async function auditOccurrences(
  db: Database,
  { position, ...range }: Omit<AuditRange, 'fromId'> & { position: AuditPosition | null },
): Promise<AuditedPage> {
  const afterAt = position?.afterAt ?? null;
  const fromAt = afterAt === null ? range.fromAt : Math.max(range.fromAt, afterAt + 1);
  const { schedules, readUntilAt, hasMore, nowAt } = await readAuditPage(db, {
    ...range,
    fromAt,
    fromId: position?.scheduleId ?? 0,
    // A schedule that did not fit on the previous page is continued alone.
    limit: afterAt === null ? range.limit : 1,
  });
  const differences: FoundDifference[] = [];
  let occurrences = 0;
  let last: AuditPosition | null = null;
  let compared = 0;
  for (const schedule of schedules) {
    const { definitions, gaps } = schedule;
    const window = { fromAt, toAt: Math.min(range.toAt, readUntilAt ?? range.toAt) };
    const runs = schedule.runs.filter(({ occurrenceAt }) => occurrenceAt <= window.toAt);
    const budget = Math.max(1, MAX_OCCURRENCES - occurrences);
    const result = compareOccurrences({ schedule, definitions, runs, gaps, window, nowAt, budget });
    occurrences += result.compared;
    compared++;
    for (const difference of result.differences)
      differences.push({ ...difference, scheduleKey: schedule.key });
    const stoppedAt = result.stoppedAt ?? readUntilAt;
    last =
      stoppedAt === null
        ? { scheduleId: schedule.id + 1, afterAt: null }
        : { scheduleId: schedule.id, afterAt: stoppedAt };
    if (stoppedAt !== null || occurrences >= MAX_OCCURRENCES) break;
    // Lets other work of this process run between two schedules.
    await nextTurn();
  }
  const isDone = last === null || (last.afterAt === null && compared === schedules.length && !hasMore);
  return { schedules: compared, occurrences, differences, next: isDone ? null : last };
}
