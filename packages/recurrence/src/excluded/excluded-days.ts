import { DAY_SECONDS, dayNumber, LAST_YEAR, weekdayOf } from '../calendar/civil-date.js';
import { lowerBound } from '../sets/times-of-day.js';
import { firstInstantOfReading } from '../zone/wall-clock.js';
import type { Zone } from '../zone/zone.js';

/** A range of local days; `before` is exclusive. */
export interface DayRange {
  from: number;
  before: number;
}

/** Searches for a day end here. Otherwise a search for a free day would never end if every weekday is excluded. */
const SEARCH_ENDS = dayNumber(LAST_YEAR + 1, 1, 1);

/**
 * Local days that are excluded: ranges of dates, and weekdays such as those of the weekend. All other days are free.
 */
export class ExcludedDays {
  private readonly ranges: DayRange[];
  private readonly ends: number[];
  private readonly weekdays: ReadonlySet<number>;

  constructor(ranges: readonly DayRange[], weekdays: readonly number[] = []) {
    this.ranges = mergeRanges(ranges);
    this.ends = this.ranges.map(({ before }) => before);
    this.weekdays = new Set(weekdays);
  }

  has(day: number): boolean {
    return this.weekdays.has(weekdayOf(day)) || this.rangeOf(day) !== null;
  }

  /**
   * The first free day at or after a day. If every day until the end of the search is excluded, returns a day after
   * that end, which may be excluded too. So a caller that continues from the returned day always makes progress.
   */
  nextFree(day: number): number {
    for (let free = day; ; ) {
      const range = this.rangeOf(free);
      if (range) free = range.before;
      else if (this.weekdays.has(weekdayOf(free))) free++;
      else return free;
      if (free > SEARCH_ENDS) return free;
    }
  }

  /** The last free day at or before a day, at most `reach` days back; null if there is none. */
  previousFree(day: number, reach: number): number | null {
    for (let free = day; free >= day - reach; free--) if (!this.has(free)) return free;
    return null;
  }

  /**
   * The first excluded day at or after a day. If the search ends without one, returns the end of the search, or `day`
   * if that is later.
   */
  nextExcluded(day: number): number {
    const range = this.ranges[lowerBound(this.ends, day + 1)];
    const inRanges = range ? Math.max(day, range.from) : SEARCH_ENDS;
    for (let ahead = 0; ahead < 7 && this.weekdays.size > 0; ahead++) {
      if (day + ahead >= inRanges) break;
      if (this.weekdays.has(weekdayOf(day + ahead))) return day + ahead;
    }
    return Math.max(day, inRanges);
  }

  private rangeOf(day: number): DayRange | null {
    const range = this.ranges[lowerBound(this.ends, day + 1)];
    return range && day >= range.from ? range : null;
  }
}

function mergeRanges(ranges: readonly DayRange[]): DayRange[] {
  const joined: DayRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const latest = joined.at(-1);
    if (latest && range.from <= latest.before) latest.before = Math.max(latest.before, range.before);
    else joined.push({ ...range });
  }
  return joined;
}

/** The local day of an instant. */
export const localDay = (zone: Zone, at: number): number =>
  Math.floor(zone.readingAt(Math.floor(at / 1000)) / DAY_SECONDS);

/** The first instant of a local day. */
export const startOfDay = (zone: Zone, day: number): number => firstInstantOfReading(zone, day * DAY_SECONDS);
