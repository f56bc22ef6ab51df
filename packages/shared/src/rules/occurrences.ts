import { CALENDAR_BEGINS_AT, CALENDAR_ENDS_AT } from './calendar.js';
import { parseCron } from './cron.js';
import { CronDays } from './cron-days.js';
import { parseExclusion, WithoutDays } from './exclusions.js';
import {
  BoundedInstants,
  EveryInstants,
  type InstantSet,
  ListedInstants,
  lastInstant,
} from './instant-set.js';
import { DaysAndTimes } from './local-set.js';
import { type Parsed, UnusableRule } from './parsed.js';
import { RecentCache } from './recent-cache.js';
import { recurrenceInstants } from './recurrence.js';
import { parseRecurrenceText } from './rrule.js';
import { ClockTimes, secondsOfHour } from './times-of-day.js';
import { type Timing, timingKey } from './timing.js';
import { BY_THE_CLOCK, WallClockInstants } from './wall-clock.js';
import { isTimeZone, zoneNamed } from './zone.js';

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

interface Answers {
  instants: InstantSet;
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
    return { instants: instantsOf(timing), next: forgetful };
  }
  return answers.get(timingKey(timing), () => ({
    instants: instantsOf(timing),
    next: new RecentCache<number, number | null>(ANSWERS_KEPT),
  }));
}

function inCalendar(at: number): number {
  return Math.min(Math.max(Math.floor(at), CALENDAR_BEGINS_AT - 1), CALENDAR_ENDS_AT);
}

function instantsOf(timing: Timing): InstantSet {
  const { startAt, endAt, exclusions, timezone } = timing;
  const fromAt = startAt ?? CALENDAR_BEGINS_AT;
  const toAt = endAt ?? CALENDAR_ENDS_AT;
  const bounded = new BoundedInstants(ruleInstants(timing), fromAt, toAt);
  if (exclusions.length === 0) return bounded;
  const ranges = exclusions.map((text) => usable(parseExclusion(text)));
  return new WithoutDays(bounded, knownZone(timezone), ranges);
}

function ruleInstants(timing: Timing): InstantSet {
  const { rule, startAt, anchorAt } = timing;
  switch (rule.kind) {
    case 'at':
      return new ListedInstants([rule.at]);
    case 'every':
      // The moment of making is no occurrence; a start that somebody chose is.
      return new EveryInstants(startAt ?? anchorAt, rule.everyMs, startAt === null ? 1 : 0);
    case 'cron':
      return cronInstants(rule.cron, timing);
    case 'rrule':
      knownZone(timing.timezone);
      return recurrenceInstants(usable(parseRecurrenceText(rule.rrule)), timing);
  }
}

function cronInstants(cron: string, { timezone, leapDay, dst }: Timing): InstantSet {
  const pattern = usable(parseCron(cron));
  const times = new ClockTimes(pattern.hours, secondsOfHour(pattern.minutes, pattern.seconds));
  const readings = new DaysAndTimes(new CronDays(pattern, leapDay), times);
  const policy = pattern.hours.length === 24 ? BY_THE_CLOCK : dst;
  return new WallClockInstants(knownZone(timezone), readings, policy);
}

function knownZone(name: string) {
  if (!isTimeZone(name)) throw new UnusableRule(`"${name}" is not a known time zone`);
  return zoneNamed(name);
}

function usable<T>(result: Parsed<T>): T {
  if (result.ok) return result.value;
  throw new UnusableRule(result.messages.join('; '));
}
