import { CALENDAR_BEGINS_AT, CALENDAR_ENDS_AT } from './calendar.js';
import { type Compiled, compileTiming } from './compile-timing.js';
import { lastInstant } from './instant-set.js';
import { RecentCache } from './recent-cache.js';
import { type Timing, timingKey } from './timing.js';
import type { WallClockInstants } from './wall-clock.js';

/** The first occurrence strictly after an instant, or null. Throws UnusableRule for a timing that makes no sense. */
export function nextOccurrence(timing: Timing, afterAt: number): number | null {
  if (isArithmetic(timing)) return compileTiming(timing).instants.next(inCalendar(afterAt), CALENDAR_ENDS_AT);
  const { instants, nextAfter } = answersFor(timing);
  return nextAfter.get(afterAt, () => instants.next(inCalendar(afterAt), CALENDAR_ENDS_AT));
}

export function nextOccurrences(timing: Timing, afterAt: number, limit: number): number[] {
  const { instants } = compiled(timing);
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
  return lastInstant(compiled(timing).instants, inCalendar(afterAt), inCalendar(untilAt));
}

/** How many occurrences lie in (afterAt, untilAt]. Costs by the day, however many there are. */
export function countOccurrences(timing: Timing, afterAt: number, untilAt: number): number {
  const after = inCalendar(afterAt);
  const until = inCalendar(untilAt);
  return after < until ? compiled(timing).instants.count(after, until) : 0;
}

/** The first occurrence of a schedule's life: `at` even when that is past, everything else after it was made. */
export function firstOccurrence(timing: Timing): number | null {
  return nextOccurrence(timing, timing.rule.kind === 'at' ? CALENDAR_BEGINS_AT - 1 : timing.anchorAt);
}

/** How the rule meets its zone's clock; null for rules that do not look at one. */
export function wallClockOf(timing: Timing): WallClockInstants | null {
  return compiled(timing).wallClock;
}

interface Answers extends Compiled {
  nextAfter: RecentCache<number, number | null>;
}

// A herd shares its rule, and its members ask about the same few instants.
const answers = new RecentCache<string, Answers>(1000);
const ANSWERS_KEPT = 64;

function answersFor(timing: Timing): Answers {
  return answers.get(timingKey(timing), () => ({
    ...compileTiming(timing),
    nextAfter: new RecentCache<number, number | null>(ANSWERS_KEPT),
  }));
}

/** Cheaper to work out than to look up, and nearly every such schedule has an anchor of its own. */
function isArithmetic({ rule, exclusions }: Timing): boolean {
  return (rule.kind === 'at' || rule.kind === 'every') && exclusions.length === 0;
}

function compiled(timing: Timing): Compiled {
  return isArithmetic(timing) ? compileTiming(timing) : answersFor(timing);
}

function inCalendar(at: number): number {
  return Math.min(Math.max(Math.floor(at), CALENDAR_BEGINS_AT - 1), CALENDAR_ENDS_AT);
}
