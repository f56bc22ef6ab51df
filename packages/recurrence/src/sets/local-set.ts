import { DAY_SECONDS } from '../calendar/civil-date.js';

/**
 * A set of wall-clock readings, in seconds since 1970-01-01T00:00 on a local clock. It knows nothing of time zones: a
 * reading may occur once, twice or never.
 */
export interface LocalSet {
  /** The first reading (a local time without a UTC offset) of this set in [from, before), or null. */
  next(from: number, before: number): number | null;
  /** The number of readings (local times without a UTC offset) of this set in [from, before). */
  count(from: number, before: number): number;
}

/** A set of dates. */
export interface DaySet {
  /** The first day in [from, before), or null. */
  nextDay(from: number, before: number): number | null;
}

/**
 * A set of times of day. It is the same on every day, except for sub-daily intervals, which continue across midnight.
 */
export interface TimeSet {
  /**
   * The earliest time of day in the set on this day that is not before `second`, in seconds since midnight; null if
   * there is none.
   */
  firstFrom(day: number, second: number): number | null;
  countBefore(day: number, second: number): number;
}

/** Every combination of a date and a time of day. */
export class DaysAndTimes implements LocalSet {
  constructor(
    private readonly days: DaySet,
    private readonly times: TimeSet,
  ) {}

  next(from: number, before: number): number | null {
    const beforeDay = Math.ceil(before / DAY_SECONDS);
    let day = Math.floor(from / DAY_SECONDS);
    let second = from - day * DAY_SECONDS;
    for (;;) {
      const nextDay = this.days.nextDay(day, beforeDay);
      if (nextDay === null) return null;
      const time = this.times.firstFrom(nextDay, nextDay === day ? second : 0);
      if (time !== null) {
        const reading = nextDay * DAY_SECONDS + time;
        return reading < before ? reading : null;
      }
      day = nextDay + 1;
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

/** The readings of a set that lie in [first, beyond). */
export class BoundedReadings implements LocalSet {
  constructor(
    private readonly set: LocalSet,
    private readonly first: number,
    private readonly beyond: number,
  ) {}

  next(from: number, before: number): number | null {
    const start = Math.max(from, this.first);
    const end = Math.min(before, this.beyond);
    return start < end ? this.set.next(start, end) : null;
  }

  count(from: number, before: number): number {
    const start = Math.max(from, this.first);
    const end = Math.min(before, this.beyond);
    return start < end ? this.set.count(start, end) : 0;
  }
}

export class SingleReading implements LocalSet {
  constructor(private readonly reading: number) {}

  next(from: number, before: number): number | null {
    return from <= this.reading && this.reading < before ? this.reading : null;
  }

  count(from: number, before: number): number {
    return this.next(from, before) === null ? 0 : 1;
  }
}
