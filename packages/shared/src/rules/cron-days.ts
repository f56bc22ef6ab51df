import { civilDate, dayNumber, daysInMonth, isLeapYear, weekdayOf } from './calendar.js';
import type { CronPattern, MonthDays, WeekDays } from './cron.js';
import type { Days } from './local-set.js';
import type { LeapDayPolicy } from './timing.js';

/** A month's days as bits, day 1 in the lowest. */
type MonthBits = number;

export class CronDays implements Days {
  private readonly standIn: { month: number; day: number } | null;
  private latest: { year: number; month: number; bits: MonthBits } | undefined;

  constructor(
    private readonly pattern: CronPattern,
    leapDay: LeapDayPolicy,
  ) {
    this.standIn = isLeapDayOnly(pattern) ? leapDayStandIn(leapDay) : null;
  }

  nextDay(from: number, before: number): number | null {
    const start = civilDate(from);
    let { year, month } = start;
    let monthStart = from - start.day + 1;
    let passed = start.day - 1;
    while (monthStart < before) {
      const bits = this.bitsOf(year, month) >>> passed;
      if (bits !== 0) {
        const found = monthStart + passed + lowestBit(bits);
        return found < before ? found : null;
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
    const bits = this.standInBits(year, month) | matchingDays(this.pattern, year, month);
    this.latest = { year, month, bits };
    return bits;
  }

  private standInBits(year: number, month: number): MonthBits {
    return this.standIn?.month === month && !isLeapYear(year) ? 1 << (this.standIn.day - 1) : 0;
  }
}

export function leapDayStandIn(policy: LeapDayPolicy): { month: number; day: number } | null {
  if (policy === 'skip') return null;
  return policy === 'feb28' ? { month: 2, day: 28 } : { month: 3, day: 1 };
}

/** An anniversary: 29 February and nothing else. `28,29 2` or `29 * *` mean what they say. */
export function isLeapDayOnly({ months, monthDays, weekDays }: CronPattern): boolean {
  const { days, beforeLast, nearestWeekdayTo, lastWorkday } = monthDays;
  const daysOnly = beforeLast.length === 0 && nearestWeekdayTo.length === 0 && !lastWorkday;
  return months.join() === '2' && days.join() === '29' && daysOnly && weekDays.weekdays.length === 7;
}

function matchingDays({ months, monthDays, weekDays }: CronPattern, year: number, month: number): MonthBits {
  if (!months.includes(month)) return 0;
  const length = daysInMonth(year, month);
  const firstWeekday = weekdayOf(dayNumber(year, month, 1));
  const byMonth = monthDayBits(monthDays, length, firstWeekday);
  const byWeek = weekDayBits(weekDays, length, firstWeekday);
  // Vixie's rule: where both fields restrict, a day that satisfies either will do.
  const bits = monthDays.star || weekDays.star ? byMonth & byWeek : byMonth | byWeek;
  return bits & (0x7fffffff >>> (31 - length));
}

function monthDayBits(field: MonthDays, length: number, firstWeekday: number): MonthBits {
  let bits = 0;
  for (const day of field.days) bits |= 1 << (day - 1);
  for (const back of field.beforeLast) if (back < length) bits |= 1 << (length - 1 - back);
  const nearest = field.lastWorkday ? [...field.nearestWeekdayTo, length] : field.nearestWeekdayTo;
  for (const day of nearest) {
    if (day <= length) bits |= 1 << (nearestWorkday(day, length, firstWeekday) - 1);
  }
  return bits;
}

/** Monday to Friday nearest to the day, without leaving the month. */
function nearestWorkday(day: number, length: number, firstWeekday: number): number {
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
