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
import { HOUR_MS, type LedgerEntry, nextOccurrences, RUN_ORIGINS } from '@carillon/shared';
import type { Pool } from 'pg';
import type { z } from 'zod';
import { composeLedger, type LedgerStretch, type PlacedEntry } from './compose-ledger.js';
import { readSteps } from './read-steps.js';

type Entry = z.infer<typeof LedgerEntry>;

export interface LedgerRequest extends LedgerStretch {
  projectId: number;
  schedule: ScheduleView;
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
  return toPage(await readStretch(pool, request));
}

interface PlacedPage {
  placed: PlacedEntry[];
  endedAt: number | null;
}

const toPage = ({ placed, endedAt }: PlacedPage): LedgerPage => ({
  items: placed.map(({ entry }) => entry),
  endedAt,
});

async function readStretch(pool: Pool, request: LedgerRequest): Promise<PlacedPage> {
  const { projectId, schedule, fromAt, toAt, isEarliest, limit, nowAt } = request;
  const range = { projectId, scheduleId: schedule.id, fromAt, toAt };
  // If there are more runs than this, the page ends before the instant of the last one, so that the entries of one
  // instant are never split between two pages. The runs of the first instant always fit, so the page goes forward.
  const maxRuns = limit + RUN_ORIGINS.length;
  const runs = await readRunsBetween(pool, { ...range, limit: maxRuns });
  const lastRunAt = runs.length < maxRuns ? null : (runs.at(-1)?.occurrenceAt ?? toAt);
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
  // A change may concern the next occurrence until a worker claims this occurrence, and the claim may be late. So all
  // changes until now are read if the page lists the next occurrence.
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
  const placed: PlacedEntry[] = [];
  for (const next of composeLedger(sources, { fromAt, toAt: untilAt, isEarliest })) {
    if (isFull(placed, limit, next)) return { placed, endedAt: placed.at(-1)?.at ?? null };
    placed.push(next);
  }
  return { placed, endedAt: untilAt < toAt ? untilAt : null };
}

/** True if the page ends before this entry. The entries of one instant are never split between two pages. */
const isFull = (placed: readonly PlacedEntry[], limit: number, next: PlacedEntry) =>
  placed.length >= limit && placed.at(-1)?.at !== next.at;

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
  const placed: PlacedEntry[] = [];
  let untilAt = toAt;
  let spanMs = firstSpan(request);
  while (untilAt >= fromAt) {
    const sinceAt = Math.max(fromAt, untilAt - spanMs);
    const step = await readStretch(pool, {
      ...request,
      fromAt: sinceAt,
      toAt: untilAt,
      isEarliest: sinceAt === fromAt,
      limit: MAX_ENTRIES_PER_STEP,
    });
    if (step.endedAt !== null && spanMs > 1) {
      spanMs = Math.max(1, Math.floor(spanMs / SPAN_GROWTH_FACTOR));
      continue;
    }
    for (const next of step.placed.toReversed()) {
      if (isFull(placed, limit, next)) return toPage({ placed, endedAt: placed.at(-1)?.at ?? null });
      placed.push(next);
    }
    untilAt = sinceAt - 1;
    spanMs *= SPAN_GROWTH_FACTOR;
  }
  return toPage({ placed, endedAt: null });
}

/** Estimates the time over which a page of the rule's occurrences is spread, from the interval between two of them. */
function firstSpan({ schedule, toAt, limit }: LedgerRequest): number {
  const [first, second] = nextOccurrences(schedule.timing, toAt - HOUR_MS, 2);
  const intervalMs = first !== undefined && second !== undefined ? second - first : HOUR_MS;
  return Math.max(1_000, intervalMs * limit);
}
