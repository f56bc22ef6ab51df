import { DAY_SECONDS } from './calendar.js';
import type { LocalSet } from './local-set.js';
import type { RecurrenceDays } from './rrule-days.js';
import { type ClockTimes, lowerBound } from './times-of-day.js';

/** The indices that positions (1 the first, -1 the last) pick from a list, ascending. */
export function picksOf(positions: readonly number[], length: number): number[] {
  const picks = positions.map((position) => (position > 0 ? position - 1 : length + position));
  return [...new Set(picks)].filter((index) => index >= 0 && index < length).sort((a, b) => a - b);
}

/** BYSETPOS over a week, a month or a year: some of all that the period's days and times of day name. */
export class SetPositions implements LocalSet {
  private latest: { period: number; readings: number[] } | undefined;

  constructor(
    private readonly days: RecurrenceDays,
    private readonly times: ClockTimes,
    private readonly positions: readonly number[],
  ) {}

  next(from: number, before: number): number | null {
    let period = this.firstPeriod(from);
    while (this.days.startOf(period) * DAY_SECONDS < before) {
      const readings = this.readingsOf(period);
      const found = readings[lowerBound(readings, from)];
      if (found !== undefined) return found < before ? found : null;
      period = this.periodAfter(period);
    }
    return null;
  }

  count(from: number, before: number): number {
    let total = 0;
    let period = this.firstPeriod(from);
    while (this.days.startOf(period) * DAY_SECONDS < before) {
      const readings = this.readingsOf(period);
      total += lowerBound(readings, before) - lowerBound(readings, from);
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

  private readingsOf(period: number): number[] {
    if (this.latest?.period === period) return this.latest.readings;
    const dayNos: number[] = [];
    const before = this.days.startOf(period + 1);
    let day = this.days.nextDay(this.days.startOf(period), before);
    while (day !== null) {
      dayNos.push(day);
      day = this.days.nextDay(day + 1, before);
    }
    const perDay = this.times.size;
    const readings = picksOf(this.positions, dayNos.length * perDay).map(
      (index) => (dayNos[Math.floor(index / perDay)] ?? 0) * DAY_SECONDS + this.times.at(index % perDay),
    );
    this.latest = { period, readings };
    return readings;
  }
}
