import { DAY_SECONDS } from './calendar.js';

/**
 * A set of readings of a local clock, in seconds since 1970-01-01T00:00 on that clock. It knows nothing of time
 * zones: a reading may happen once, twice or never.
 */
export interface LocalSet {
  /** The first reading in [from, before), or null. */
  next(from: number, before: number): number | null;
  /** How many readings lie in [from, before). */
  count(from: number, before: number): number;
}

/** Which dates. */
export interface Days {
  /** The first day in [from, before), or null. */
  nextDay(from: number, before: number): number | null;
}

/** Which seconds of the day. Only sub-daily intervals, which run on over midnight, differ from day to day. */
export interface Times {
  /** The first second of the day that is not before `second`, or null. */
  firstFrom(day: number, second: number): number | null;
  countBefore(day: number, second: number): number;
}

export class DaysAndTimes implements LocalSet {
  constructor(
    private readonly days: Days,
    private readonly times: Times,
  ) {}

  next(from: number, before: number): number | null {
    const beforeDay = Math.ceil(before / DAY_SECONDS);
    let day = Math.floor(from / DAY_SECONDS);
    let second = from - day * DAY_SECONDS;
    for (;;) {
      const found = this.days.nextDay(day, beforeDay);
      if (found === null) return null;
      const time = this.times.firstFrom(found, found === day ? second : 0);
      if (time !== null) {
        const reading = found * DAY_SECONDS + time;
        return reading < before ? reading : null;
      }
      day = found + 1;
      second = 0;
    }
  }

  count(from: number, before: number): number {
    const beforeDay = Math.ceil(before / DAY_SECONDS);
    let total = 0;
    let day = this.days.nextDay(Math.floor(from / DAY_SECONDS), beforeDay);
    while (day !== null) {
      const start = day * DAY_SECONDS;
      const end = Math.min(before - start, DAY_SECONDS);
      total += this.times.countBefore(day, end);
      if (from > start) total -= this.times.countBefore(day, from - start);
      day = this.days.nextDay(day + 1, beforeDay);
    }
    return total;
  }
}
