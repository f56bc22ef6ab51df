import { civilDate, dayNumber, daysInMonth, LAST_YEAR } from '../calendar/civil-date.js';
import type { InstantSet } from '../sets/instant-set.js';
import type { Zone } from '../zone/zone.js';
import { type ExcludedDays, localDay, startOfDay } from './excluded-days.js';

/** The largest number of business days in a month: the days of a long month in which nothing is excluded. */
export const MAX_BUSINESS_DAY = 31;

/**
 * The instants of a set that fall on certain business days of their month, such as the third (3) or the last (-1). A
 * business day is a day that is not excluded.
 */
export class OnBusinessDays implements InstantSet {
  private latest: { first: number; days: readonly number[] } | undefined;

  constructor(
    private readonly set: InstantSet,
    private readonly zone: Zone,
    private readonly excluded: ExcludedDays,
    private readonly numbers: readonly number[],
  ) {}

  next(afterAt: number, untilAt: number): number | null {
    for (const [fromAt, toAt] of this.wantedDays(afterAt, untilAt)) {
      const at = this.set.next(fromAt, toAt);
      if (at !== null) return at;
    }
    return null;
  }

  count(afterAt: number, untilAt: number): number {
    let total = 0;
    for (const [fromAt, toAt] of this.wantedDays(afterAt, untilAt)) total += this.set.count(fromAt, toAt);
    return total;
  }

  /**
   * Yields wanted business days, each as a range (from, to] of instants. No wanted day that has an instant of the set
   * is left out. From each instant of the set, the search goes to the first wanted day at or after it, so most days
   * without an instant are skipped.
   */
  private *wantedDays(afterAt: number, untilAt: number): Generator<[number, number]> {
    let at = this.set.next(afterAt, untilAt);
    while (at !== null) {
      const day = this.firstWanted(localDay(this.zone, at));
      if (day === null) return;
      const endAt = startOfDay(this.zone, day + 1) - 1;
      const fromAt = Math.max(afterAt, startOfDay(this.zone, day) - 1);
      if (fromAt >= untilAt) return;
      yield [fromAt, Math.min(untilAt, endAt)];
      at = endAt < untilAt ? this.set.next(endAt, untilAt) : null;
    }
  }

  /** The first wanted business day at or after a day; null if no later month has enough business days. */
  private firstWanted(day: number): number | null {
    const { year, month } = civilDate(day);
    const months = (LAST_YEAR - year + 1) * 12;
    for (let index = month - 1; index < months; index++) {
      const first = dayNumber(year + Math.floor(index / 12), (index % 12) + 1, 1);
      const wantedDay = this.wantedOf(first).find((wanted) => wanted >= day);
      if (wantedDay !== undefined) return wantedDay;
    }
    return null;
  }

  /** The wanted business days of the month whose first day is `first`, ascending. */
  private wantedOf(first: number): readonly number[] {
    if (this.latest?.first === first) return this.latest.days;
    const { year, month } = civilDate(first);
    const free: number[] = [];
    for (let day = first; day < first + daysInMonth(year, month); day++)
      if (!this.excluded.has(day)) free.push(day);
    const wanted = this.numbers.flatMap((number) => free.at(number > 0 ? number - 1 : number) ?? []);
    const days = [...new Set(wanted)].sort((a, b) => a - b);
    this.latest = { first, days };
    return days;
  }
}
