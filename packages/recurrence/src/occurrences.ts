import { CALENDAR_BEGINS_AT, CALENDAR_ENDS_AT } from './calendar/civil-date.js';
import { type CompiledTiming, compileTiming } from './compile-timing.js';
import { RecentCache } from './recent-cache.js';
import { lastInstant } from './sets/instant-set.js';
import { resetStepBudget } from './step-budget.js';
import { excludedDates, type Timing, timingKey } from './timing.js';
import type { WallClockInstants } from './zone/wall-clock.js';

// Each function below throws UnusableRule for a timing that cannot be evaluated.

/** The first occurrence strictly after an instant, or null. */
export function nextOccurrence(timing: Timing, afterAt: number): number | null {
  if (isArithmetic(timing)) return compileTiming(timing).instants.next(inCalendar(afterAt), CALENDAR_ENDS_AT);
  const { instants, nextAfter } = cachedTiming(timing);
  return nextAfter.get(afterAt, () => {
    resetStepBudget();
    return instants.next(inCalendar(afterAt), CALENDAR_ENDS_AT);
  });
}

/** The first `limit` occurrences strictly after an instant. */
export function nextOccurrences(timing: Timing, afterAt: number, limit: number): number[] {
  return occurrencesWithin(timing, { afterAt, untilAt: CALENDAR_ENDS_AT, limit });
}

/** The first `limit` occurrences in (afterAt, untilAt]. */
export function occurrencesWithin(
  timing: Timing,
  { afterAt, untilAt, limit }: { afterAt: number; untilAt: number; limit: number },
): number[] {
  const { instants } = compiled(timing);
  const occurrences: number[] = [];
  const lastAt = inCalendar(untilAt);
  let at = inCalendar(afterAt);
  while (occurrences.length < limit) {
    resetStepBudget();
    const next = instants.next(at, lastAt);
    if (next === null) break;
    occurrences.push(next);
    at = next;
  }
  return occurrences;
}

/**
 * The first `limit` instants in (afterAt, untilAt] that are left out because their days are excluded. The search ends
 * with the `limit`-th occurrence if that comes before `untilAt`. Empty if the rule moves its occurrences to other days,
 * or fires only on certain business days.
 */
export function excludedOccurrences(
  timing: Timing,
  { afterAt, untilAt, limit }: { afterAt: number; untilAt: number; limit: number },
): number[] {
  if (excludedDates(timing).length === 0 || timing.onExcluded !== 'skip' || timing.businessDays.length > 0)
    return [];
  const occurrences = occurrencesWithin(timing, { afterAt, untilAt, limit });
  const endAt = occurrences.length === limit ? (occurrences.at(-1) ?? afterAt) : untilAt;
  const named = new Set(occurrences);
  // The search for `all` ignores the exclusions. Up to `endAt`, at most `limit` of its instants are occurrences, so its
  // first `2 * limit` instants include the first `limit` excluded ones.
  const all = { afterAt, untilAt: endAt, limit: 2 * limit };
  return occurrencesWithin({ ...timing, exclusions: [], calendars: {} }, all)
    .filter((at) => !named.has(at))
    .slice(0, limit);
}

/** The latest occurrence in (afterAt, untilAt], or null. */
export function lastOccurrence(timing: Timing, afterAt: number, untilAt: number): number | null {
  const { instants } = compiled(timing);
  resetStepBudget();
  return lastInstant(instants, inCalendar(afterAt), inCalendar(untilAt));
}

/**
 * The number of occurrences in (afterAt, untilAt]. The cost depends on the number of days in the range, not on the
 * number of occurrences per day.
 */
export function countOccurrences(timing: Timing, afterAt: number, untilAt: number): number {
  const after = inCalendar(afterAt);
  const until = inCalendar(untilAt);
  if (after >= until) return 0;
  const { instants } = compiled(timing);
  resetStepBudget();
  return instants.count(after, until);
}

/**
 * The first occurrence of a schedule. For a rule `at` it may be in the past; for any other rule it is after the
 * creation of the schedule.
 */
export function firstOccurrence(timing: Timing): number | null {
  return nextOccurrence(timing, timing.rule.kind === 'at' ? CALENDAR_BEGINS_AT - 1 : timing.anchorAt);
}

/**
 * The instants that the cron pattern or the RRULE line names, before anything is added or left out. Null for a rule
 * that does not use the local clock.
 */
export function wallClockOf(timing: Timing): WallClockInstants | null {
  const { wallClock } = compiled(timing);
  resetStepBudget();
  return wallClock;
}

/** The excluded local day from which an occurrence was moved; null if the rule itself names the instant. */
export function movedFromDay(timing: Timing, at: number): number | null {
  if (timing.onExcluded === 'skip') return null;
  const { moved } = compiled(timing);
  resetStepBudget();
  return moved?.movedFrom(at) ?? null;
}

interface CachedTiming extends CompiledTiming {
  nextAfter: RecentCache<number, number | null>;
}

const NEXT_INSTANTS_CACHED = 64;
// Measured with hostile rules: a compiled rule takes up to 15 kB for its objects and its cached results (64 in each of
// the two generations of `nextAfter`), about 10 bytes for each character of its text (EXDATE, exclusions), and 70 kB
// for the tables of a long sub-daily INTERVAL.
const OBJECT_BYTES = 16_384;
const BYTES_PER_CHARACTER = 12;
const INTERVAL_TABLE_BYTES = 70_000;

/**
 * Compiled timings. Schedules with the same rule share an entry. Such schedules often ask for the next occurrence after
 * the same instant, so each entry also caches these answers (`nextAfter`).
 */
const compiledTimings = new RecentCache<string, CachedTiming>({
  maxEntries: 1000,
  maxBytes: 32_000_000,
  bytesOf: (key) =>
    OBJECT_BYTES +
    BYTES_PER_CHARACTER * key.length +
    (/FREQ=(?:HOUR|MINUTE|SECOND)LY/i.test(key) && /INTERVAL=/i.test(key) ? INTERVAL_TABLE_BYTES : 0),
});

function cachedTiming(timing: Timing): CachedTiming {
  return compiledTimings.get(timingKey(timing), () => {
    resetStepBudget();
    return {
      ...compileTiming(timing),
      nextAfter: new RecentCache<number, number | null>(NEXT_INSTANTS_CACHED),
    };
  });
}

/**
 * True for a rule whose occurrences are cheaper to compute than to look up in the cache. Most schedules with such a
 * rule have an anchor of their own, so they could rarely share a cache entry.
 */
function isArithmetic({ rule, exclusions, calendars, settledAts, businessDays }: Timing): boolean {
  const isFixed = rule.kind === 'at' || rule.kind === 'every';
  const listed = exclusions.length + settledAts.length + businessDays.length;
  const hasExceptions = listed + Object.keys(calendars).length > 0;
  return isFixed && !hasExceptions;
}

function compiled(timing: Timing): CompiledTiming {
  return isArithmetic(timing) ? compileTiming(timing) : cachedTiming(timing);
}

function inCalendar(at: number): number {
  return Math.min(Math.max(Math.floor(at), CALENDAR_BEGINS_AT - 1), CALENDAR_ENDS_AT);
}
