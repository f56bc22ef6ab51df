import {
  MAX_DEFINITIONS,
  MAX_GAPS,
  readDefinitions,
  readGapsBetween,
  readLiveHandlers,
  readRunsBetween,
  readScheduleChanges,
  readTzdataPeriods,
  type ScheduleView,
} from '@carillon/db';
import { HOUR_MS, type LedgerEntry, nextOccurrences } from '@carillon/shared';
import type { Pool } from 'pg';
import type { z } from 'zod';
import { composeLedger } from './compose-ledger.js';
import { readSteps } from './read-steps.js';

type Entry = z.infer<typeof LedgerEntry>;

export interface LedgerRequest {
  projectId: number;
  schedule: ScheduleView;
  fromAt: number;
  toAt: number;
  limit: number;
  nowAt: number;
}

export interface LedgerPage {
  items: Entry[];
  /** The instant of the last entry of the page, if more entries may follow; null at the end of the range. */
  endedAt: number | null;
}

/** Reads a page of the ledger, oldest occurrence first. */
export async function readLedger(pool: Pool, request: LedgerRequest): Promise<LedgerPage> {
  const { projectId, schedule, fromAt, toAt, limit, nowAt } = request;
  const range = { projectId, scheduleId: schedule.id, fromAt, toAt };
  // Read one run more than fits. If there is one, the page ends before the instant of that run, so that the entries of
  // one instant are never split between two pages.
  const runs = await readRunsBetween(pool, { ...range, limit: limit + 1 });
  const lastRunAt = runs.length > limit ? (runs.at(-1)?.occurrenceAt ?? toAt) : null;
  const fitting = lastRunAt === null ? runs : runs.filter((run) => run.occurrenceAt < lastRunAt);
  const [definitions, gaps, steps, liveHandlers, tzdata] = await Promise.all([
    readDefinitions(pool, range),
    readGapsBetween(pool, range),
    readSteps(pool, { projectId, runs: fitting, nowAt }),
    readLiveHandlers(pool),
    readTzdataPeriods(pool),
  ]);
  // A query that has reached its limit may have left out rows of later occurrences, so the page ends before these.
  const untilAt = Math.min(
    toAt,
    lastRunAt === null ? toAt : lastRunAt - 1,
    steps.completeUntilAt,
    definitions.length < MAX_DEFINITIONS ? toAt : (definitions.at(-1)?.fromAt ?? toAt),
    gaps.length < MAX_GAPS ? toAt : (gaps.at(-1)?.toAt ?? toAt),
  );
  const complete = fitting.filter((run) => run.occurrenceAt <= untilAt);
  // A change may concern the next occurrence until it is claimed, which may be later than the occurrence itself.
  const isNextListed = schedule.occurrenceAt !== null && schedule.occurrenceAt <= untilAt;
  const others = [{ key: schedule.key, fromAt, untilAt: isNextListed ? Math.max(nowAt, fromAt) : untilAt }];
  const changes = await readScheduleChanges(pool, { projectId, runs: complete, others, nowAt });
  const sources = {
    schedule,
    definitions,
    runs: complete,
    gaps,
    steps,
    changes: changes.get(schedule.key) ?? [],
    liveHandlers,
    tzdata,
    nowAt,
  };
  const items: Entry[] = [];
  for (const entry of composeLedger(sources, { fromAt, toAt: untilAt })) {
    const last = items.at(-1);
    if (items.length >= limit && last && last.at !== entry.at)
      return { items, endedAt: Date.parse(last.until ?? last.at) };
    items.push(entry);
  }
  return { items, endedAt: untilAt < toAt ? untilAt : null };
}

/**
 * Maximum number of entries in one step of `readLedgerBackwards`. A step that finds more is repeated with a shorter
 * span.
 */
const MAX_ENTRIES_PER_STEP = 2_000;
/**
 * If a step of `readLedgerBackwards` finds too few entries to fill the page, the next step spans this many times as
 * much time.
 */
const SPAN_GROWTH_FACTOR = 4;

/**
 * Reads a page of the ledger, newest occurrence first. Rules can only be evaluated forwards, so this function goes back
 * in steps and evaluates each step forwards. The span of the first step is an estimate of the time over which a page of
 * occurrences is spread.
 */
export async function readLedgerBackwards(pool: Pool, request: LedgerRequest): Promise<LedgerPage> {
  const { fromAt, toAt, limit } = request;
  const items: Entry[] = [];
  let untilAt = toAt;
  let spanMs = firstSpan(request);
  while (untilAt >= fromAt) {
    const sinceAt = Math.max(fromAt, untilAt - spanMs);
    const step = await readLedger(pool, {
      ...request,
      fromAt: sinceAt,
      toAt: untilAt,
      limit: MAX_ENTRIES_PER_STEP,
    });
    if (step.endedAt !== null && spanMs > 1) {
      spanMs = Math.max(1, Math.floor(spanMs / SPAN_GROWTH_FACTOR));
      continue;
    }
    for (const entry of step.items.toReversed()) {
      const last = items.at(-1);
      if (items.length >= limit && last && last.at !== entry.at)
        return { items, endedAt: Date.parse(last.at) };
      items.push(entry);
    }
    // An entry in this step may be a gap that began before the step, so the next step ends before that gap.
    untilAt = Math.min(sinceAt, ...step.items.map(({ at }) => Date.parse(at))) - 1;
    spanMs *= SPAN_GROWTH_FACTOR;
  }
  return { items, endedAt: null };
}

/** Estimates the time over which a page of the rule's occurrences is spread, from the interval between two of them. */
function firstSpan({ schedule, toAt, limit }: LedgerRequest): number {
  const [first, second] = nextOccurrences(schedule.timing, toAt - HOUR_MS, 2);
  const intervalMs = first !== undefined && second !== undefined ? second - first : HOUR_MS;
  return Math.max(1_000, intervalMs * limit);
}
