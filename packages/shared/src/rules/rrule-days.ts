import {
  civilDate,
  dayNumber,
  daysInMonth,
  daysInYear,
  isLeapYear,
  weekdayOf,
  weekNumber,
  weekStart,
} from './calendar.js';
import { leapDayStandIn } from './cron-days.js';
import type { Days } from './local-set.js';
import type { RecurrenceParts } from './rrule-parts.js';
import type { LeapDayPolicy } from './timing.js';

/** Which dates an RRULE names: those of every n-th period, counted from DTSTART's, that all BY parts admit. */
export class RecurrenceDays implements Days {
  private readonly months: ReadonlySet<number>;
  private readonly weekdays: ReadonlySet<number>;
  private readonly standIn: { month: number; day: number } | null;
  private readonly startPeriod: number;
  /** Whether the weekday alone decides: then there is no need to work out the date. */
  private readonly weekdayDecides: boolean;

  constructor(
    private readonly parts: RecurrenceParts,
    startDay: number,
    leapDay: LeapDayPolicy,
  ) {
    this.startPeriod = this.periodOf(startDay);
    this.standIn = isLeapDayOnly(parts) ? leapDayStandIn(leapDay) : null;
    this.months = new Set(this.standIn ? [2, this.standIn.month] : parts.byMonth);
    this.weekdays = new Set(parts.byDay.map(({ weekday }) => weekday));
    const dateParts = [parts.byMonth, parts.byMonthDay, parts.byYearDay, parts.byWeekNo];
    this.weekdayDecides =
      dateParts.every((list) => list.length === 0) && parts.byDay.every(({ n }) => n === null);
  }

  nextDay(from: number, before: number): number | null {
    let day = from;
    while (day < before) {
      const ahead = this.parts.interval === 1 ? 0 : this.periodsAhead(this.periodOf(day));
      if (ahead > 0) {
        day = this.startOf(this.periodOf(day) + ahead);
        continue;
      }
      if (this.weekdays.size > 0 && !this.weekdays.has(weekdayOf(day))) {
        day += 1;
        continue;
      }
      if (this.weekdayDecides) return day;
      const { year, month, day: dayOfMonth } = civilDate(day);
      if (this.months.size > 0 && !this.months.has(month)) {
        day += daysInMonth(year, month) - dayOfMonth + 1;
        continue;
      }
      if (this.admits(day, year, month, dayOfMonth)) return day;
      day += 1;
    }
    return null;
  }

  /** The period that a day is in, counted from 1970. Sub-daily rules have no periods of days: each day is its own. */
  periodOf(day: number): number {
    const { freq, weekStart: firstWeekday } = this.parts;
    if (freq === 'WEEKLY') return (weekStart(day, firstWeekday) - weekStart(0, firstWeekday)) / 7;
    if (freq !== 'YEARLY' && freq !== 'MONTHLY') return day;
    const { year, month } = civilDate(day);
    return freq === 'YEARLY' ? year : year * 12 + month - 1;
  }

  startOf(period: number): number {
    const { freq, weekStart: firstWeekday } = this.parts;
    if (freq === 'WEEKLY') return weekStart(0, firstWeekday) + period * 7;
    if (freq === 'YEARLY') return dayNumber(period, 1, 1);
    if (freq === 'MONTHLY') return dayNumber(Math.floor(period / 12), (period % 12) + 1, 1);
    return period;
  }

  /** How many periods on from this one until one counts. */
  periodsAhead(period: number): number {
    const { freq, interval } = this.parts;
    if (freq === 'HOURLY' || freq === 'MINUTELY' || freq === 'SECONDLY') return 0;
    const passed = (((period - this.startPeriod) % interval) + interval) % interval;
    return passed === 0 ? 0 : interval - passed;
  }

  private admits(day: number, year: number, month: number, dayOfMonth: number): boolean {
    const { standIn, parts } = this;
    if (standIn && !isLeapYear(year)) return month === standIn.month && dayOfMonth === standIn.day;
    if (parts.byMonth.length > 0 && !parts.byMonth.includes(month)) return false;
    if (parts.byMonthDay.length > 0) {
      const fromBack = dayOfMonth - daysInMonth(year, month) - 1;
      if (!parts.byMonthDay.includes(dayOfMonth) && !parts.byMonthDay.includes(fromBack)) return false;
    }
    if (parts.byYearDay.length > 0) {
      const dayOfYear = day - dayNumber(year, 1, 1) + 1;
      const fromBack = dayOfYear - daysInYear(year) - 1;
      if (!parts.byYearDay.includes(dayOfYear) && !parts.byYearDay.includes(fromBack)) return false;
    }
    if (parts.byWeekNo.length > 0) {
      const { fromFront, fromBack } = weekNumber(day, parts.weekStart);
      if (!parts.byWeekNo.includes(fromFront) && !parts.byWeekNo.includes(fromBack)) return false;
    }
    return parts.byDay.length === 0 || this.admitsWeekday(day, year, month, dayOfMonth);
  }

  private admitsWeekday(day: number, year: number, month: number, dayOfMonth: number): boolean {
    const weekday = weekdayOf(day);
    const { byDay, byMonth, freq } = this.parts;
    // `2MO` counts within the month, in a yearly rule without BYMONTH within the year.
    const inYear = freq === 'YEARLY' && byMonth.length === 0;
    return byDay.some((named) => {
      if (named.weekday !== weekday) return false;
      if (named.n === null) return true;
      const position = inYear ? day - dayNumber(year, 1, 1) : dayOfMonth - 1;
      const length = inYear ? daysInYear(year) : daysInMonth(year, month);
      if (named.n > 0) return Math.floor(position / 7) + 1 === named.n;
      return Math.floor((length - 1 - position) / 7) + 1 === -named.n;
    });
  }
}

/** An anniversary: yearly on 29 February and nothing else, whether the date is spelled out or DTSTART's. */
export function isLeapDayOnly(parts: RecurrenceParts): boolean {
  const others = [parts.byDay, parts.byYearDay, parts.byWeekNo, parts.bySetPos];
  return (
    parts.freq === 'YEARLY' &&
    parts.byMonth.join() === '2' &&
    parts.byMonthDay.join() === '29' &&
    others.every((list) => list.length === 0)
  );
}
