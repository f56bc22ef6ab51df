import { DAY_SECONDS, dayNumber } from './calendar.js';
import type { InstantSet } from './instant-set.js';
import { type Parsed, parsed, refused, shown } from './parsed.js';
import { lowerBound } from './times-of-day.js';
import { readingOf } from './wall-time.js';
import type { Zone } from './zone.js';

/** Whole local days, `before` exclusive. */
export interface DayRange {
  from: number;
  before: number;
}

/** An exclusion that begins with a letter names a calendar; dates begin with a digit. */
export function isCalendarName(text: unknown): text is string {
  return typeof text === 'string' && CALENDAR_NAME.test(text);
}

export const CALENDAR_NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

export function parseExclusion(text: string): Parsed<DayRange> {
  const [fromText = '', toText = fromText, ...rest] = text.split('/');
  const from = parseDate(fromText);
  const to = parseDate(toText);
  if (from === null || to === null || rest.length > 0) {
    return refused(
      `"${shown(text)}" is not a date; expected YYYY-MM-DD, YYYY-MM-DD/YYYY-MM-DD or the name of a calendar`,
    );
  }
  return to < from
    ? refused(`"${text}" ends before it begins; expected the earlier date first`)
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

/** A set without the instants whose local date is excluded. */
export class WithoutDays implements InstantSet {
  private readonly ranges: DayRange[];
  private readonly ends: number[];

  constructor(
    private readonly set: InstantSet,
    private readonly zone: Zone,
    ranges: readonly DayRange[],
  ) {
    this.ranges = merged(ranges);
    this.ends = this.ranges.map(({ before }) => before);
  }

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

  /** The end (exclusive) of the excluded time around an instant, or null. */
  private excludedUntil(at: number): number | null {
    const stretch = this.zone.stretchAt(Math.floor(at / 1000));
    const day = Math.floor((Math.floor(at / 1000) + stretch.offset) / DAY_SECONDS);
    const range = this.ranges[lowerBound(this.ends, day + 1)];
    if (!range || day < range.from) return null;
    // Past a change of clocks the same reading is another instant: ask again there.
    return Math.min(stretch.toSec, range.before * DAY_SECONDS - stretch.offset) * 1000;
  }

  /** Excluded time within (afterAt, untilAt], as [from, to) in milliseconds. */
  private *excludedBetween(afterAt: number, untilAt: number): Generator<[number, number]> {
    let stretch = this.zone.stretchAt(Math.floor((afterAt + 1) / 1000));
    while (stretch.fromSec * 1000 <= untilAt) {
      const fromAt = Math.max(stretch.fromSec * 1000, afterAt + 1);
      const toAt = Math.min(stretch.toSec * 1000, untilAt + 1);
      const offsetMs = stretch.offset * 1000;
      const firstDay = Math.floor((fromAt + offsetMs) / (DAY_SECONDS * 1000));
      for (let i = lowerBound(this.ends, firstDay + 1); i < this.ranges.length; i++) {
        const range = this.ranges[i];
        if (!range) break;
        const rangeFromAt = range.from * DAY_SECONDS * 1000 - offsetMs;
        if (rangeFromAt >= toAt) break;
        yield [Math.max(fromAt, rangeFromAt), Math.min(toAt, range.before * DAY_SECONDS * 1000 - offsetMs)];
      }
      stretch = this.zone.stretchAt(stretch.toSec);
    }
  }
}

function merged(ranges: readonly DayRange[]): DayRange[] {
  const joined: DayRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const latest = joined.at(-1);
    if (latest && range.from <= latest.before) latest.before = Math.max(latest.before, range.before);
    else joined.push({ ...range });
  }
  return joined;
}
