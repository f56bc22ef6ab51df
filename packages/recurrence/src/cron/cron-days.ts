import { civilDate, dayNumber, daysInMonth, isLeapYear, weekdayOf } from '../calendar/civil-date.js';
import type { DaySet } from '../sets/local-set.js';
import { spendSteps } from '../step-budget.js';
import type { LeapDayPolicy } from '../timing.js';
import type { CronPattern, MonthDays, WeekDays } from './cron-pattern.js';

/** The days of a month as bits; day 1 is the lowest bit. */
type MonthBits = number;

/** The dates that a cron pattern names, computed month by month. */
export class CronDays implements DaySet {
  private readonly substitute: { month: number; day: number } | null;
  private latest: { year: number; month: number; bits: MonthBits } | undefined;

  constructor(
    private readonly pattern: CronPattern,
    leapDay: LeapDayPolicy,
  ) {
    this.substitute = isLeapDayPattern(pattern) ? leapDaySubstitute(leapDay) : null;
  }

  nextDay(from: number, before: number): number | null {
    const start = civilDate(from);
    let { year, month } = start;
    let monthStart = from - start.day + 1;
    let passed = start.day - 1;
    while (monthStart < before) {
      spendSteps(1);
      const bits = this.bitsOf(year, month) >>> passed;
      if (bits !== 0) {
        const day = monthStart + passed + lowestBit(bits);
        return day < before ? day : null;
      }
      monthStart += daysInMonth(year, month);
      passed = 0;
      year += month === 12 ? 1 : 0;
      month = (month % 12) + 1;
    }
    return null;
  }

  private bitsOf(year: number, month: number): MonthBits {
    const { latest } = this;
    if (latest?.year === year && latest.month === month) return latest.bits;
    const bits = this.substituteBits(year, month) | matchingDays(this.pattern, year, month);
    this.latest = { year, month, bits };
    return bits;
  }

  private substituteBits(year: number, month: number): MonthBits {
    return this.substitute?.month === month && !isLeapYear(year) ? 1 << (this.substitute.day - 1) : 0;
  }
}

/** The date that replaces 29 February in a common year; null if the policy is `skip`. */
export function leapDaySubstitute(policy: LeapDayPolicy): { month: number; day: number } | null {
  if (policy === 'skip') return null;
  return policy === 'feb28' ? { month: 2, day: 28 } : { month: 3, day: 1 };
}

/** True if the pattern names 29 February and no other day, so that the leap day policy applies to it. */
export function isLeapDayPattern({ months, monthDays, weekDays }: CronPattern): boolean {
  const isFeb29 = months.join() === '2' && monthDays.days.join() === '29' && hasOnlyDays(monthDays);
  return isFeb29 && weekDays.isStar && weekDays.weekdays.length === 7;
}

/** True if the day of month field names days by their number only. */
export function hasOnlyDays({ beforeLast, nearestWeekdayTo, nearestWeekdayBeforeLast }: MonthDays): boolean {
  return beforeLast.length + nearestWeekdayTo.length + nearestWeekdayBeforeLast.length === 0;
}

function matchingDays({ months, monthDays, weekDays }: CronPattern, year: number, month: number): MonthBits {
  if (!months.includes(month)) return 0;
  const length = daysInMonth(year, month);
  const firstWeekday = weekdayOf(dayNumber(year, month, 1));
  const byMonth = monthDayBits(monthDays, length, firstWeekday);
  const byWeek = weekDayBits(weekDays, length, firstWeekday);
  // As in Vixie cron: if both day fields are restricted, a day has to match only one of them.
  const bits = monthDays.isStar || weekDays.isStar ? byMonth & byWeek : byMonth | byWeek;
  return bits & (0x7fffffff >>> (31 - length));
}

function monthDayBits(field: MonthDays, length: number, firstWeekday: number): MonthBits {
  let bits = 0;
  for (const day of field.days) bits |= 1 << (day - 1);
  for (const back of field.beforeLast) if (back < length) bits |= 1 << (length - 1 - back);
  const nearest = [...field.nearestWeekdayTo, ...field.nearestWeekdayBeforeLast.map((back) => length - back)];
  for (const day of nearest) {
    if (day >= 1 && day <= length) bits |= 1 << (nearestWeekday(day, length, firstWeekday) - 1);
  }
  return bits;
}

/** The weekday (Monday to Friday) nearest to the day within the same month. */
function nearestWeekday(day: number, length: number, firstWeekday: number): number {
  const weekday = (firstWeekday + day - 1) % 7;
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === length ? day - 2 : day + 1;
  return day;
}

function weekDayBits(field: WeekDays, length: number, firstWeekday: number): MonthBits {
  let bits = 0;
  const firstOn = (weekday: number) => ((weekday - firstWeekday + 7) % 7) + 1;
  for (const weekday of field.weekdays) {
    for (let day = firstOn(weekday); day <= length; day += 7) bits |= 1 << (day - 1);
  }
  for (const { weekday, n } of field.nth) {
    const day = firstOn(weekday) + (n - 1) * 7;
    if (day <= length) bits |= 1 << (day - 1);
  }
  for (const weekday of field.last) {
    const first = firstOn(weekday);
    bits |= 1 << (first + Math.floor((length - first) / 7) * 7 - 1);
  }
  return bits;
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
