import { listZonedSchedules, type ZonedSchedule } from '@carillon/db';
import { DAY_MS, type DstChange, describeRule, dstChanges, RecentCache, timingKey } from '@carillon/shared';
import type { Pool } from 'pg';

/** The range in which DST changes are looked for. */
const LINT_RANGE_MS = 366 * DAY_MS;
/** Maximum number of schedules that one request evaluates. */
const MAX_SCHEDULES_PER_LINT = 5_000;
/**
 * Maximum time that one request spends. After that, the page ends, and the next page continues after the last evaluated
 * schedule.
 */
const MAX_LINT_MS = 400;
/** Number of schedules that are evaluated in one turn of the event loop. Other requests run between two turns. */
const SCHEDULES_PER_TURN = 20;

export interface LintedSchedule {
  id: number;
  key: string;
  name: string | null;
  timezone: string;
  text: string;
  changes: DstChange[];
}

export interface LintPage {
  schedules: LintedSchedule[];
  lookedAt: number;
  /** The internal id of the last schedule that was evaluated; null if there are no more. */
  lastId: number | null;
}

/**
 * Finds schedules with an occurrence in a DST gap or overlap in the next year. Many schedules share a rule, so the
 * result for each rule is cached.
 */
export async function lintRules(
  pool: Pool,
  {
    projectId,
    nowAt,
    limit,
    beforeId,
  }: { projectId: number; nowAt: number; limit: number; beforeId: number | null },
): Promise<LintPage> {
  const page = await listZonedSchedules(pool, { projectId, beforeId, limit: MAX_SCHEDULES_PER_LINT });
  const range = { fromAt: nowAt, toAt: nowAt + LINT_RANGE_MS };
  const known = new RecentCache<string, DstChange[]>(1_000);
  const affected: LintedSchedule[] = [];
  const beganAt = performance.now();
  let last: ZonedSchedule | undefined;
  let lookedAt = 0;
  for (const schedule of page) {
    if (affected.length >= limit || performance.now() - beganAt > MAX_LINT_MS) break;
    const { id, key, name, timing } = schedule;
    const changes = known.get(timingKey(timing), () => dstChanges(timing, range));
    if (changes.length > 0)
      affected.push({ id, key, name, timezone: timing.timezone, text: describeRule(timing), changes });
    last = schedule;
    lookedAt++;
    if (lookedAt % SCHEDULES_PER_TURN === 0) await new Promise(setImmediate);
  }
  const isComplete = lookedAt === page.length && page.length < MAX_SCHEDULES_PER_LINT;
  return { schedules: affected, lookedAt, lastId: isComplete ? null : (last?.id ?? null) };
}
