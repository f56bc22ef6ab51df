import { HOUR_SECONDS } from '../calendar/civil-date.js';
import type { TimeSet } from './local-set.js';

type SortedNumbers = readonly number[] | Uint16Array;

/**
 * Times of day with the same minutes and seconds in each hour: those of cron, and of RRULE without a sub-daily
 * INTERVAL.
 */
export class ClockTimes implements TimeSet {
  private readonly hoursBefore: number[] = [];
  private readonly nextHour: (number | null)[] = [];
  /** The seconds of the hour, in two bytes each, because a rule that fires every second has 3,600 of them. */
  private readonly withinHour: Uint16Array;

  /** Both lists are ascending; `withinHour` holds seconds of the hour, 0 to 3599. */
  constructor(
    private readonly hours: readonly number[],
    withinHour: readonly number[],
  ) {
    this.withinHour = Uint16Array.from(withinHour);
    for (let hour = 0; hour <= 24; hour++) {
      this.hoursBefore.push(hours.filter((named) => named < hour).length);
      this.nextHour.push(hours.find((named) => named >= hour) ?? null);
    }
  }

  firstFrom(_day: number, second: number): number | null {
    const hour = Math.floor(second / HOUR_SECONDS);
    const named = this.nextHour[hour] ?? null;
    if (named === null) return null;
    if (named === hour) {
      const within = this.withinHour[lowerBound(this.withinHour, second - hour * HOUR_SECONDS)];
      if (within !== undefined) return hour * HOUR_SECONDS + within;
    }
    const later = named === hour ? (this.nextHour[hour + 1] ?? null) : named;
    const first = this.withinHour[0];
    return later === null || first === undefined ? null : later * HOUR_SECONDS + first;
  }

  /** The number of times in a day. */
  get size(): number {
    return this.hours.length * this.withinHour.length;
  }

  /** The time of day at an index of the ascending list of all times. */
  at(index: number): number {
    const perHour = this.withinHour.length;
    return (
      (this.hours[Math.floor(index / perHour)] ?? 0) * HOUR_SECONDS + (this.withinHour[index % perHour] ?? 0)
    );
  }

  countBefore(_day: number, second: number): number {
    const hour = Math.floor(second / HOUR_SECONDS);
    const whole = (this.hoursBefore[hour] ?? 0) * this.withinHour.length;
    if (this.nextHour[hour] !== hour) return whole;
    return whole + lowerBound(this.withinHour, second - hour * HOUR_SECONDS);
  }
}

/** A list of times that is the same on each day, for example the ones that BYSETPOS picks. */
export class ListedTimes implements TimeSet {
  constructor(private readonly seconds: readonly number[]) {}

  firstFrom(_day: number, second: number): number | null {
    return this.seconds[lowerBound(this.seconds, second)] ?? null;
  }

  countBefore(_day: number, second: number): number {
    return lowerBound(this.seconds, second);
  }
}

/** The seconds of the hour that a list of minutes and a list of seconds name together. */
export function secondsOfHour(minutes: readonly number[], seconds: readonly number[]): number[] {
  return minutes.flatMap((minute) => seconds.map((second) => minute * 60 + second));
}

/** The index of the first element that is not less than `value`. */
export function lowerBound(sorted: SortedNumbers, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
