/** A date of the Gregorian calendar. Day numbers count from 1970-01-01; weekdays count from Sunday = 0, as in cron. */
export interface CivilDate {
  year: number;
  month: number;
  day: number;
}

export const DAY_SECONDS = 86_400;
export const HOUR_SECONDS = 3_600;

/** Rules are evaluated up to the end of 2199. This bounds every search, also for a rule that never fires. */
export const LAST_YEAR = 2199;
export const FIRST_YEAR = 1900;
export const CALENDAR_ENDS_AT = Date.UTC(LAST_YEAR + 1, 0, 1) - 1;
export const CALENDAR_BEGINS_AT = Date.UTC(FIRST_YEAR, 0, 1);

// Integer arithmetic on 400-year eras is faster than Date. That matters, because a rule that never fires is refused
// only after a search of 60,000 days.
export function dayNumber(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export function civilDate(dayNo: number): CivilDate {
  const shifted = dayNo + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (MONTH_DAYS[month - 1] ?? 0);
}

export function daysInYear(year: number): number {
  return isLeapYear(year) ? 366 : 365;
}

export function weekdayOf(dayNo: number): number {
  return (((dayNo + 4) % 7) + 7) % 7;
}

export function weekStart(dayNo: number, firstWeekday: number): number {
  return dayNo - ((weekdayOf(dayNo) - firstWeekday + 7) % 7);
}

/** The week-numbering year of a day: the calendar year that contains at least four days of its week. */
export function weekYear(dayNo: number, firstWeekday: number): number {
  return civilDate(weekStart(dayNo, firstWeekday) + 3).year;
}

/** The first day of week 1 of a week-numbering year. 4 January always lies in week 1. */
export function weekYearStart(year: number, firstWeekday: number): number {
  return weekStart(dayNumber(year, 1, 4), firstWeekday);
}

/** The number of the day's week, from the start of its week-numbering year (1 to 53) and from the end (-1 to -53). */
export function weekNumber(dayNo: number, firstWeekday: number): { fromStart: number; fromEnd: number } {
  const start = weekStart(dayNo, firstWeekday);
  const { year } = civilDate(start + 3);
  return {
    fromStart: (start - weekYearStart(year, firstWeekday)) / 7 + 1,
    fromEnd: (start - weekYearStart(year + 1, firstWeekday)) / 7,
  };
}
