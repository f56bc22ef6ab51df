import {
  civilDate,
  dayNumber,
  daysInMonth,
  daysInYear,
  isLeapYear,
  weekdayOf,
  weekNumber,
  weekStart,
  weekYear,
  weekYearStart,
} from '../calendar/civil-date.js';
import { leapDaySubstitute } from '../cron/cron-days.js';
import type { DaySet } from '../sets/local-set.js';
import { spendSteps } from '../step-budget.js';
import type { LeapDayPolicy } from '../timing.js';
import type { RecurrenceParts } from './rrule-parts.js';

/**
 * The dates that an RRULE names: all days of every n-th period that satisfy each BY part. A period is a year, month,
 * week or day, as FREQ says. Periods are counted from the one that contains DTSTART.
 */
export class RecurrenceDays implements DaySet {
  private readonly months: ReadonlySet<number>;
  private readonly monthDays: ReadonlySet<number>;
  private readonly yearDays: ReadonlySet<number>;
  private readonly weekNumbers: ReadonlySet<number>;
  private readonly weekdays: ReadonlySet<number>;
  /** The numbers of BYDAY by weekday: 2 for `2MO`, -1 for `-1FR`, null for a weekday without a number. */
  private readonly numbersOfWeekday: ReadonlyMap<number, ReadonlySet<number | null>>;
  private readonly substitute: { month: number; day: number } | null;
  private startPeriod: number;
  /** True if the weekday alone decides, so that the date need not be computed. */
  private readonly isWeekdayEnough: boolean;

  constructor(
    private readonly parts: RecurrenceParts,
    startDay: number,
    leapDay: LeapDayPolicy,
  ) {
    this.substitute = isLeapDayRule(parts) ? leapDaySubstitute(leapDay) : null;
    this.months = new Set(this.substitute ? [2, this.substitute.month] : parts.byMonth);
    this.monthDays = new Set(parts.byMonthDay);
    this.yearDays = new Set(parts.byYearDay);
    this.weekNumbers = new Set(parts.byWeekNo);
    this.weekdays = new Set(parts.byDay.map(({ weekday }) => weekday));
    this.numbersOfWeekday = new Map(
      [...this.weekdays].map((weekday) => [
        weekday,
        new Set(parts.byDay.filter((named) => named.weekday === weekday).map(({ n }) => n)),
      ]),
    );
    const dateParts = [parts.byMonth, parts.byMonthDay, parts.byYearDay, parts.byWeekNo];
    this.isWeekdayEnough =
      dateParts.every((list) => list.length === 0) && parts.byDay.every(({ n }) => n === null);
    this.startPeriod = this.periodOf(startDay);
    if (!this.hasInstanceInPeriod(startDay)) this.startPeriod = this.calendarPeriodOf(startDay);
  }

  nextDay(from: number, before: number): number | null {
    let day = from;
    while (day < before) {
      spendSteps(1);
      const ahead = this.parts.interval === 1 ? 0 : this.periodsAhead(this.periodOf(day));
      if (ahead > 0) {
        day = this.startOf(this.periodOf(day) + ahead);
        continue;
      }
      if (this.weekdays.size > 0 && !this.weekdays.has(weekdayOf(day))) {
        day += 1;
        continue;
      }
      if (this.isWeekdayEnough) return day;
      const { year, month, day: dayOfMonth } = civilDate(day);
      if (this.months.size > 0 && !this.months.has(month)) {
        day += daysInMonth(year, month) - dayOfMonth + 1;
        continue;
      }
      if (this.matches(day, year, month, dayOfMonth)) return day;
      day += 1;
    }
    return null;
  }

  /**
   * The number of the period that contains a day. With BYWEEKNO a period is a week-numbering year, because a calendar
   * year would cut the week at New Year in two. A sub-daily rule has no periods of days, so each day is a period of its
   * own.
   */
  periodOf(day: number): number {
    const { freq, byWeekNo, weekStart: firstWeekday } = this.parts;
    if (freq === 'WEEKLY') return (weekStart(day, firstWeekday) - weekStart(0, firstWeekday)) / 7;
    if (freq === 'YEARLY' && byWeekNo.length > 0) return weekYear(day, firstWeekday);
    if (freq !== 'YEARLY' && freq !== 'MONTHLY') return day;
    const { year, month } = civilDate(day);
    return freq === 'YEARLY' ? year : year * 12 + month - 1;
  }

  /**
   * The number of the period that contains a day, with the calendar year in place of the week-numbering year. The two
   * years of DTSTART can differ at New Year. INTERVAL counts from the week-numbering year if that year has an instance
   * on or after DTSTART, and otherwise from the calendar year, as in libical.
   */
  private calendarPeriodOf(day: number): number {
    return this.parts.byWeekNo.length > 0 ? civilDate(day).year : this.periodOf(day);
  }

  private hasInstanceInPeriod(startDay: number): boolean {
    const isAmbiguous = this.startPeriod !== this.calendarPeriodOf(startDay) && this.parts.interval > 1;
    return !isAmbiguous || this.nextDay(startDay, this.startOf(this.startPeriod + 1)) !== null;
  }

  /** The first day of a period. */
  startOf(period: number): number {
    const { freq, byWeekNo, weekStart: firstWeekday } = this.parts;
    if (freq === 'WEEKLY') return weekStart(0, firstWeekday) + period * 7;
    if (freq === 'YEARLY' && byWeekNo.length > 0) return weekYearStart(period, firstWeekday);
    if (freq === 'YEARLY') return dayNumber(period, 1, 1);
    if (freq === 'MONTHLY') return dayNumber(Math.floor(period / 12), (period % 12) + 1, 1);
    return period;
  }

  /**
   * The number of periods until the next one that INTERVAL selects; 0 if INTERVAL selects this period. In a sub-daily
   * rule INTERVAL selects times of day and no days, so the result is 0.
   */
  periodsAhead(period: number): number {
    const { freq, interval } = this.parts;
    if (freq === 'HOURLY' || freq === 'MINUTELY' || freq === 'SECONDLY') return 0;
    const passed = (((period - this.startPeriod) % interval) + interval) % interval;
    return passed === 0 ? 0 : interval - passed;
  }

  private matches(day: number, year: number, month: number, dayOfMonth: number): boolean {
    const { substitute, parts, monthDays, yearDays, weekNumbers } = this;
    if (substitute && !isLeapYear(year)) return month === substitute.month && dayOfMonth === substitute.day;
    if (parts.byMonth.length > 0 && !parts.byMonth.includes(month)) return false;
    if (monthDays.size > 0) {
      const fromEnd = dayOfMonth - daysInMonth(year, month) - 1;
      if (!monthDays.has(dayOfMonth) && !monthDays.has(fromEnd)) return false;
    }
    if (yearDays.size > 0) {
      const dayOfYear = day - dayNumber(year, 1, 1) + 1;
      const fromEnd = dayOfYear - daysInYear(year) - 1;
      if (!yearDays.has(dayOfYear) && !yearDays.has(fromEnd)) return false;
    }
    if (weekNumbers.size > 0) {
      const { fromStart, fromEnd } = weekNumber(day, parts.weekStart);
      if (!weekNumbers.has(fromStart) && !weekNumbers.has(fromEnd)) return false;
    }
    return this.weekdays.size === 0 || this.matchesWeekday(day, year, month, dayOfMonth);
  }

  private matchesWeekday(day: number, year: number, month: number, dayOfMonth: number): boolean {
    const numbers = this.numbersOfWeekday.get(weekdayOf(day));
    if (!numbers) return false;
    if (numbers.has(null)) return true;
    // `2MO` counts within the month; in a yearly rule without BYMONTH it counts within the year.
    const isInYear = this.parts.freq === 'YEARLY' && this.parts.byMonth.length === 0;
    const position = isInYear ? day - dayNumber(year, 1, 1) : dayOfMonth - 1;
    const length = isInYear ? daysInYear(year) : daysInMonth(year, month);
    return (
      numbers.has(Math.floor(position / 7) + 1) || numbers.has(-(Math.floor((length - 1 - position) / 7) + 1))
    );
  }
}

/** True for a yearly rule on 29 February and no other day, whether the date is written out or taken from DTSTART. */
export function isLeapDayRule(parts: RecurrenceParts): boolean {
  const others = [parts.byDay, parts.byYearDay, parts.byWeekNo, parts.bySetPos];
  return (
    parts.freq === 'YEARLY' &&
    parts.byMonth.join() === '2' &&
    parts.byMonthDay.join() === '29' &&
    others.every((list) => list.length === 0)
  );
}
