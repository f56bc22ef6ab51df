import { DAY_SECONDS, HOUR_SECONDS } from './calendar.js';
import type { Times } from './local-set.js';
import { lowerBound } from './times-of-day.js';

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
 * Every n-th hour, minute or second, counted on over midnight. Hours and days that begin equally far from the next
 * such unit are alike, so that each kind is counted once, however long the time asked about.
 */
export class IntervalTimes implements Times {
  private readonly unitsPerHour: number;
  private readonly startUnit: number;
  private readonly hourCounts = new Uint8Array(24);
  private readonly unitCounts: Uint8Array;
  private readonly perHour = new Map<number, number>();
  private readonly perDay = new Map<number, number>();

  constructor(private readonly interval: Interval) {
    const { unitSeconds, startReading, hours, unitsOfHour } = interval;
    this.unitsPerHour = HOUR_SECONDS / unitSeconds;
    this.startUnit = Math.floor(startReading / unitSeconds);
    this.unitCounts = new Uint8Array(this.unitsPerHour);
    for (const hour of hours) this.hourCounts[hour] = 1;
    for (const second of unitsOfHour) this.unitCounts[second / unitSeconds] = 1;
  }

  firstFrom(day: number, second: number): number | null {
    const { unitSeconds, every, within } = this.interval;
    const phase = this.phaseOf(day);
    if (this.countOn(phase) === 0) return null;
    for (let hour = Math.floor(second / HOUR_SECONDS); hour < 24; hour++) {
      const first = this.firstUnit(phase, hour);
      if (this.hourCounts[hour] !== 1 || this.unitsIn(first) === 0) continue;
      for (let unit = first; unit < this.unitsPerHour; unit += every) {
        const start = hour * HOUR_SECONDS + unit * unitSeconds;
        const found = this.unitCounts[unit] === 1 ? within[lowerBound(within, second - start)] : undefined;
        if (found !== undefined) return start + found;
      }
    }
    return null;
  }

  countBefore(day: number, second: number): number {
    const phase = this.phaseOf(day);
    return second >= DAY_SECONDS ? this.countOn(phase) : this.countTo(phase, second);
  }

  /** The day's first unit that lies a whole number of intervals from the start. */
  private phaseOf(day: number): number {
    return remainder(this.startUnit - day * 24 * this.unitsPerHour, this.interval.every);
  }

  /** The same within an hour of that day. It may lie beyond the hour. */
  private firstUnit(phase: number, hour: number): number {
    return remainder(phase - hour * this.unitsPerHour, this.interval.every);
  }

  /** How many units count in an hour whose first is this one. */
  private unitsIn(first: number): number {
    const known = this.perHour.get(first);
    if (known !== undefined) return known;
    let total = 0;
    for (let unit = first; unit < this.unitsPerHour; unit += this.interval.every) {
      total += this.unitCounts[unit] ?? 0;
    }
    this.perHour.set(first, total);
    return total;
  }

  private countOn(phase: number): number {
    const known = this.perDay.get(phase);
    if (known !== undefined) return known;
    const counted = this.countTo(phase, DAY_SECONDS);
    this.perDay.set(phase, counted);
    return counted;
  }

  private countTo(phase: number, second: number): number {
    const { unitSeconds, every, within, hours } = this.interval;
    let total = 0;
    for (const hour of hours) {
      const start = hour * HOUR_SECONDS;
      if (start >= second) break;
      const first = this.firstUnit(phase, hour);
      if (second >= start + HOUR_SECONDS) {
        total += this.unitsIn(first) * within.length;
        continue;
      }
      for (let unit = first; unit < this.unitsPerHour; unit += every) {
        if (this.unitCounts[unit] === 1) total += lowerBound(within, second - start - unit * unitSeconds);
      }
    }
    return total;
  }
}

function remainder(value: number, divisor: number): number {
  const rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}
