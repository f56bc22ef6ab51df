import { DAY_SECONDS, dayNumber } from '../calendar/civil-date.js';
import { readingOf } from '../calendar/wall-time.js';
import { type Parsed, parsed, refused, shorten } from '../parse-result.js';
import type { InstantSet } from '../sets/instant-set.js';
import type { Zone } from '../zone/zone.js';
import type { DayRange, ExcludedDays } from './excluded-days.js';

/** True if an exclusion is the name of a calendar, which begins with a letter. Dates begin with a digit. */
export function isCalendarName(text: unknown): text is string {
  return typeof text === 'string' && CALENDAR_NAME.test(text);
}

export const CALENDAR_NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

/** The codes of weekdays in the list of dates of a calendar. A schedule's own exclusions can't name weekdays. */
export const WEEKDAY_CODES = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'] as const;

/** The number of the weekday that an entry of a calendar names (Sunday = 0); null if the entry is a date. */
export function excludedWeekday(entry: string): number | null {
  const weekday = (WEEKDAY_CODES as readonly string[]).indexOf(entry);
  return weekday < 0 ? null : weekday;
}

export function parseExclusion(text: string): Parsed<DayRange> {
  const [fromText = '', toText = fromText, ...rest] = text.split('/');
  const from = parseDate(fromText);
  const to = parseDate(toText);
  if (from === null || to === null || rest.length > 0) {
    return refused(
      `"${shorten(text)}" is not a date; expected YYYY-MM-DD, YYYY-MM-DD/YYYY-MM-DD or the name of a calendar`,
    );
  }
  return to < from
    ? refused(`"${text}" ends before it begins; write the earlier date first`)
    : parsed({ from, before: to + 1 });
}

function parseDate(text: string): number | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (!match) return null;
  const [, year, month, day] = match.map(Number);
  const wall = { year: year ?? 0, month: month ?? 0, day: day ?? 0 };
  if (!readingOf({ ...wall, hour: 0, minute: 0, second: 0 }).ok) return null;
  return dayNumber(wall.year, wall.month, wall.day);
}

/** A set of instants that leaves out all instants on excluded local dates. */
export class WithoutDays implements InstantSet {
  constructor(
    private readonly set: InstantSet,
    private readonly zone: Zone,
    private readonly days: ExcludedDays,
  ) {}

  next(afterAt: number, untilAt: number): number | null {
    let at = this.set.next(afterAt, untilAt);
    while (at !== null) {
      const endAt = this.excludedUntil(at);
      if (endAt === null) return at;
      at = this.set.next(endAt - 1, untilAt);
    }
    return null;
  }

  count(afterAt: number, untilAt: number): number {
    let total = this.set.count(afterAt, untilAt);
    if (total === 0) return 0;
    for (const [fromAt, toAt] of this.excludedBetween(afterAt, untilAt)) {
      total -= this.set.count(fromAt - 1, toAt - 1);
    }
    return total;
  }

  /** The end (exclusive) of the excluded time that contains an instant, or null if the instant is not excluded. */
  private excludedUntil(at: number): number | null {
    const span = this.zone.spanAt(Math.floor(at / 1000));
    const day = Math.floor((Math.floor(at / 1000) + span.offset) / DAY_SECONDS);
    if (!this.days.has(day)) return null;
    // After the next transition the UTC offset differs, so the caller searches again from there with the new offset.
    return Math.min(span.toSec, this.days.nextFree(day) * DAY_SECONDS - span.offset) * 1000;
  }

  /** The excluded parts of (afterAt, untilAt], each as [from, to) in milliseconds. */
  private *excludedBetween(afterAt: number, untilAt: number): Generator<[number, number]> {
    let span = this.zone.spanAt(Math.floor((afterAt + 1) / 1000));
    while (span.fromSec * 1000 <= untilAt) {
      const fromAt = Math.max(span.fromSec * 1000, afterAt + 1);
      const toAt = Math.min(span.toSec * 1000, untilAt + 1);
      const offsetMs = span.offset * 1000;
      const instantOf = (day: number) => day * DAY_SECONDS * 1000 - offsetMs;
      let day = this.days.nextExcluded(Math.floor((fromAt + offsetMs) / (DAY_SECONDS * 1000)));
      while (instantOf(day) < toAt) {
        const before = this.days.nextFree(day);
        yield [Math.max(fromAt, instantOf(day)), Math.min(toAt, instantOf(before))];
        day = this.days.nextExcluded(before);
      }
      span = this.zone.spanAt(span.toSec);
    }
  }
}
