import { CALENDAR_BEGINS_AT, CALENDAR_ENDS_AT } from './calendar.js';
import { type Compiled, compileTiming } from './compile-timing.js';
import { lastInstant } from './instant-set.js';
import { RecentCache } from './recent-cache.js';
import { type Timing, timingKey } from './timing.js';
import type { WallClockInstants } from './wall-clock.js';

/** The first occurrence strictly after an instant, or null. Throws UnusableRule for a timing that makes no sense. */
export function nextOccurrence(timing: Timing, afterAt: number): number | null {
  const known = answersFor(timing);
  return known.next.get(afterAt, () => known.instants.next(inCalendar(afterAt), CALENDAR_ENDS_AT));
}

export function nextOccurrences(timing: Timing, afterAt: number, limit: number): number[] {
  const { instants } = answersFor(timing);
  const found: number[] = [];
  let at = inCalendar(afterAt);
  while (found.length < limit) {
    const next = instants.next(at, CALENDAR_ENDS_AT);
    if (next === null) break;
    found.push(next);
    at = next;
  }
  return found;
}

/** The latest occurrence in (afterAt, untilAt], or null. */
export function lastOccurrence(timing: Timing, afterAt: number, untilAt: number): number | null {
  return lastInstant(answersFor(timing).instants, inCalendar(afterAt), inCalendar(untilAt));
}

/** How many occurrences lie in (afterAt, untilAt]. Costs by the day, however many there are. */
export function countOccurrences(timing: Timing, afterAt: number, untilAt: number): number {
  const after = inCalendar(afterAt);
  const until = inCalendar(untilAt);
  return after < until ? answersFor(timing).instants.count(after, until) : 0;
}

/** The first occurrence of a schedule's life: `at` even when that is past, everything else after it was made. */
export function firstOccurrence(timing: Timing): number | null {
  return nextOccurrence(timing, timing.rule.kind === 'at' ? CALENDAR_BEGINS_AT - 1 : timing.anchorAt);
}

/** How the rule meets its zone's clock; null for rules that do not look at one. */
export function wallClockOf(timing: Timing): WallClockInstants | null {
  return answersFor(timing).wallClock;
}

interface Answers extends Compiled {
  next: { get(afterAt: number, make: () => number | null): number | null };
}

// A herd shares its rule, and its members ask about the same few instants.
const answers = new RecentCache<string, Answers>(1000);
const ANSWERS_KEPT = 64;
const forgetful: Answers['next'] = { get: (_afterAt, make) => make() };

function answersFor(timing: Timing): Answers {
  const { kind } = timing.rule;
  // Cheaper to work out than to look up, and nearly every one has an anchor of its own.
  if ((kind === 'at' || kind === 'every') && timing.exclusions.length === 0) {
    return { ...compileTiming(timing), next: forgetful };
  }
  return answers.get(timingKey(timing), () => ({
    ...compileTiming(timing),
    next: new RecentCache<number, number | null>(ANSWERS_KEPT),
  }));
}

function inCalendar(at: number): number {
  return Math.min(Math.max(Math.floor(at), CALENDAR_BEGINS_AT - 1), CALENDAR_ENDS_AT);
}
