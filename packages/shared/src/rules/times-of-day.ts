import { HOUR_SECONDS } from './calendar.js';
import type { Times } from './local-set.js';

/** Every named hour has the same seconds in it: cron, and RRULE without a sub-daily interval. */
export class ClockTimes implements Times {
  private readonly hoursBefore: number[] = [];
  private readonly nextHour: (number | null)[] = [];

  /** Both lists ascend; `withinHour` holds seconds of the hour, 0 to 3599. */
  constructor(
    private readonly hours: readonly number[],
    private readonly withinHour: readonly number[],
  ) {
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

  /** How many a day has, and the one at an index. */
  get size(): number {
    return this.hours.length * this.withinHour.length;
  }

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

/** The same few seconds on every day, such as BYSETPOS picks. */
export class ListedTimes implements Times {
  constructor(private readonly seconds: readonly number[]) {}

  firstFrom(_day: number, second: number): number | null {
    return this.seconds[lowerBound(this.seconds, second)] ?? null;
  }

  countBefore(_day: number, second: number): number {
    return lowerBound(this.seconds, second);
  }
}

/** Seconds of the hour, of which each minute and second that is named makes one. */
export function secondsOfHour(minutes: readonly number[], seconds: readonly number[]): number[] {
  return minutes.flatMap((minute) => seconds.map((second) => minute * 60 + second));
}

/** The index of the first element that is not less than `value`. */
export function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
