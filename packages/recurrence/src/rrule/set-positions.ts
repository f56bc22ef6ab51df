import { DAY_SECONDS } from '../calendar/civil-date.js';
import type { LocalSet } from '../sets/local-set.js';
import { type ClockTimes, lowerBound } from '../sets/times-of-day.js';
import { spendSteps } from '../step-budget.js';
import type { RecurrenceDays } from './rrule-days.js';

/** The ascending indices that positions (1 is the first, -1 the last) select from a list of this length. */
export function selectedIndices(positions: readonly number[], length: number): number[] {
  const indices = positions.map((position) => (position > 0 ? position - 1 : length + position));
  return [...new Set(indices)].filter((index) => index >= 0 && index < length).sort((a, b) => a - b);
}

const SET_SIZES_CACHED = 8;

/**
 * BYSETPOS over weeks, months or years: a selection from all candidates of a period, which are the combinations of its
 * days and times of day. A candidate is identified by its index. The list of candidates is never built, because a year
 * can have millions of them.
 */
export class SetPositions implements LocalSet {
  private latest: { period: number; days: number[] } | undefined;
  private readonly indicesBySize = new Map<number, readonly number[]>();

  constructor(
    private readonly days: RecurrenceDays,
    private readonly times: ClockTimes,
    private readonly positions: readonly number[],
  ) {}

  next(from: number, before: number): number | null {
    let period = this.firstPeriod(from);
    while (this.days.startOf(period) * DAY_SECONDS < before) {
      const days = this.daysOf(period);
      const indices = this.indicesOf(days);
      const index = indices[lowerBound(indices, this.candidatesBefore(days, from))];
      if (index !== undefined) {
        const day = days[Math.floor(index / this.times.size)] ?? 0;
        const reading = day * DAY_SECONDS + this.times.at(index % this.times.size);
        return reading < before ? reading : null;
      }
      period = this.periodAfter(period);
    }
    return null;
  }

  count(from: number, before: number): number {
    let total = 0;
    let period = this.firstPeriod(from);
    while (this.days.startOf(period) * DAY_SECONDS < before) {
      const days = this.daysOf(period);
      const indices = this.indicesOf(days);
      total +=
        lowerBound(indices, this.candidatesBefore(days, before)) -
        lowerBound(indices, this.candidatesBefore(days, from));
      period = this.periodAfter(period);
    }
    return total;
  }

  private firstPeriod(from: number): number {
    const period = this.days.periodOf(Math.floor(from / DAY_SECONDS));
    return period + this.days.periodsAhead(period);
  }

  private periodAfter(period: number): number {
    return period + 1 + this.days.periodsAhead(period + 1);
  }

  /**
   * The number of candidates before a reading. This is also the index of the first candidate at or after the reading.
   */
  private candidatesBefore(days: readonly number[], reading: number): number {
    const day = Math.floor(reading / DAY_SECONDS);
    const wholeDays = lowerBound(days, day);
    const partOfDay = days[wholeDays] === day ? this.times.countBefore(day, reading - day * DAY_SECONDS) : 0;
    return wholeDays * this.times.size + partOfDay;
  }

  private indicesOf(days: readonly number[]): readonly number[] {
    const size = days.length * this.times.size;
    let indices = this.indicesBySize.get(size);
    if (!indices) {
      spendSteps(this.positions.length);
      indices = selectedIndices(this.positions, size);
      if (this.indicesBySize.size >= SET_SIZES_CACHED) this.indicesBySize.clear();
      this.indicesBySize.set(size, indices);
    }
    return indices;
  }

  private daysOf(period: number): number[] {
    if (this.latest?.period === period) return this.latest.days;
    const days: number[] = [];
    const before = this.days.startOf(period + 1);
    let day = this.days.nextDay(this.days.startOf(period), before);
    while (day !== null) {
      days.push(day);
      day = this.days.nextDay(day + 1, before);
    }
    this.latest = { period, days };
    return days;
  }
}
