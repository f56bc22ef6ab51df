import { DAY_SECONDS, HOUR_SECONDS } from '../calendar/civil-date.js';
import type { TimeSet } from '../sets/local-set.js';
import { lowerBound } from '../sets/times-of-day.js';

export interface Interval {
  /** The length of a unit (an hour, a minute or a second) in seconds. */
  unitSeconds: number;
  /** INTERVAL: every n-th unit is selected. */
  every: number;
  /** A reading (seconds since 1970 on the local clock) within the first selected unit. */
  startReading: number;
  hours: readonly number[];
  /**
   * The hours, minutes or seconds (by the frequency of the rule) that the BY parts allow within an hour. Each is given by
   * the second of the hour at which it begins.
   */
  unitsOfHour: readonly number[];
  /** The seconds of each selected unit at which the rule fires, counted from the start of the unit. */
  within: readonly number[];
}

const UNKNOWN = -1;

/**
 * Every n-th hour, minute or second. The counting continues across midnight. A day is characterised by its phase, the
 * distance from its start to the first selected unit. Days of the same phase are alike, so the occurrences of each
 * phase are counted only once.
 */
export class IntervalTimes implements TimeSet {
  private readonly unitsPerHour: number;
  private readonly startUnit: number;
  private readonly isHourAllowed = new Uint8Array(24);
  private readonly isUnitAllowed: Uint8Array;
  /**
   * Counts of occurrences by phase. They are typed arrays, because a map of 10,000 phases would take ten times the
   * memory.
   */
  private readonly countPerHour: Int16Array;
  private readonly countPerDay: Int32Array;

  private readonly interval: Pick<Interval, 'unitSeconds' | 'every' | 'hours' | 'within'>;

  constructor({ unitSeconds, every, startReading, hours, unitsOfHour, within }: Interval) {
    this.interval = { unitSeconds, every, hours, within };
    this.unitsPerHour = HOUR_SECONDS / unitSeconds;
    this.startUnit = Math.floor(startReading / unitSeconds);
    this.isUnitAllowed = new Uint8Array(this.unitsPerHour);
    this.countPerHour = new Int16Array(every).fill(UNKNOWN);
    this.countPerDay = new Int32Array(every).fill(UNKNOWN);
    for (const hour of hours) this.isHourAllowed[hour] = 1;
    for (const second of unitsOfHour) this.isUnitAllowed[second / unitSeconds] = 1;
  }

  firstFrom(day: number, second: number): number | null {
    const { unitSeconds, every, within } = this.interval;
    const phase = this.phaseOf(day);
    if (this.countOn(phase) === 0) return null;
    for (let hour = Math.floor(second / HOUR_SECONDS); hour < 24; hour++) {
      const first = this.firstUnit(phase, hour);
      if (this.isHourAllowed[hour] !== 1 || this.unitsIn(first) === 0) continue;
      for (let unit = first; unit < this.unitsPerHour; unit += every) {
        const start = hour * HOUR_SECONDS + unit * unitSeconds;
        const secondOfUnit =
          this.isUnitAllowed[unit] === 1 ? within[lowerBound(within, second - start)] : undefined;
        if (secondOfUnit !== undefined) return start + secondOfUnit;
      }
    }
    return null;
  }

  countBefore(day: number, second: number): number {
    const phase = this.phaseOf(day);
    return second >= DAY_SECONDS ? this.countOn(phase) : this.countTo(phase, second);
  }

  /** The number of units from midnight to the first selected unit of the day. */
  private phaseOf(day: number): number {
    return remainder(this.startUnit - day * 24 * this.unitsPerHour, this.interval.every);
  }

  /** The number of units from the start of an hour to the next selected unit, which may lie beyond the hour. */
  private firstUnit(phase: number, hour: number): number {
    return remainder(phase - hour * this.unitsPerHour, this.interval.every);
  }

  /**
   * The number of units in an hour that both INTERVAL and the BY parts select. `first` is the first unit of the hour
   * that INTERVAL selects.
   */
  private unitsIn(first: number): number {
    const known = this.countPerHour[first] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    let total = 0;
    for (let unit = first; unit < this.unitsPerHour; unit += this.interval.every) {
      total += this.isUnitAllowed[unit] ?? 0;
    }
    this.countPerHour[first] = total;
    return total;
  }

  private countOn(phase: number): number {
    const known = this.countPerDay[phase] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    const counted = this.countTo(phase, DAY_SECONDS);
    this.countPerDay[phase] = counted;
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
        if (this.isUnitAllowed[unit] === 1) total += lowerBound(within, second - start - unit * unitSeconds);
      }
    }
    return total;
  }
}

function remainder(value: number, divisor: number): number {
  const rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}
