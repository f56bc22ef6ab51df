import { DAY_SECONDS, HOUR_SECONDS } from './calendar.js';
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

export interface Interval {
  /** 3600, 60 or 1. */
  unitSeconds: number;
  every: number;
  /** A reading in the first unit; the units `every` apart from it count. */
  startReading: number;
  /** Which units count, by the second of the hour at which they begin, in which hours. */
  hours: readonly number[];
  unitsOfHour: readonly number[];
  /** Seconds within a unit. */
  within: readonly number[];
}

/**
 * Every n-th hour, minute or second, counted on over midnight. The days fall into n / gcd(n, units per day) classes
 * that begin at the same unit, so that counting each class once answers for any number of days.
 */
export class IntervalTimes implements Times {
  private readonly unitsPerDay: number;
  private readonly startUnit: number;
  private readonly hourCounts = new Uint8Array(24);
  private readonly unitCounts: Uint8Array;
  private readonly countByPhase = new Map<number, number>();

  constructor(private readonly interval: Interval) {
    this.unitCounts = new Uint8Array(HOUR_SECONDS / interval.unitSeconds);
    for (const hour of interval.hours) this.hourCounts[hour] = 1;
    for (const second of interval.unitsOfHour) this.unitCounts[second / interval.unitSeconds] = 1;
    this.unitsPerDay = DAY_SECONDS / interval.unitSeconds;
    this.startUnit = Math.floor(interval.startReading / interval.unitSeconds);
  }

  firstFrom(day: number, second: number): number | null {
    const phase = this.phaseOf(day);
    if (this.countOn(phase) === 0) return null;
    const { unitSeconds, every, within } = this.interval;
    const unit = Math.floor(second / unitSeconds);
    let candidate = unit <= phase ? phase : phase + Math.ceil((unit - phase) / every) * every;
    for (; candidate < this.unitsPerDay; candidate += every) {
      const start = candidate * unitSeconds;
      if (!this.admits(start)) continue;
      const found = within[lowerBound(within, second - start)];
      if (found !== undefined) return start + found;
    }
    return null;
  }

  countBefore(day: number, second: number): number {
    const phase = this.phaseOf(day);
    return second >= DAY_SECONDS ? this.countOn(phase) : this.countTo(phase, second);
  }

  /** The day's first unit that lies a whole number of intervals from the start. */
  private phaseOf(day: number): number {
    const { every } = this.interval;
    const behind = (this.startUnit - day * this.unitsPerDay) % every;
    return behind < 0 ? behind + every : behind;
  }

  private admits(second: number): boolean {
    const hour = Math.floor(second / HOUR_SECONDS);
    const unit = (second - hour * HOUR_SECONDS) / this.interval.unitSeconds;
    return this.hourCounts[hour] === 1 && this.unitCounts[unit] === 1;
  }

  private countOn(phase: number): number {
    const known = this.countByPhase.get(phase);
    if (known !== undefined) return known;
    const counted = this.countTo(phase, DAY_SECONDS);
    this.countByPhase.set(phase, counted);
    return counted;
  }

  private countTo(phase: number, second: number): number {
    const { unitSeconds, every, within } = this.interval;
    let total = 0;
    for (let start = phase * unitSeconds; start < second; start += every * unitSeconds) {
      if (this.admits(start)) total += lowerBound(within, second - start);
    }
    return total;
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
