/** Days are counted from 1970-01-01; weekdays from Sunday, 0, as cron and JavaScript do. */
export interface CivilDate {
  year: number;
  month: number;
  day: number;
}

export const DAY_SECONDS = 86_400;
export const HOUR_SECONDS = 3_600;

/** No rule is followed past 2199. It bounds every search, also that of a rule which never fires. */
export const LAST_YEAR = 2199;
export const FIRST_YEAR = 1900;
export const CALENDAR_ENDS_AT = Date.UTC(LAST_YEAR + 1, 0, 1) - 1;
export const CALENDAR_BEGINS_AT = Date.UTC(FIRST_YEAR, 0, 1);

// Integer arithmetic on 400-year eras instead of Date: a hopeless rule looks at 60,000 days before it is refused.
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

/** The week's number in its week-year, from the front (1 to 53) and from the back (-1 to -53). */
export function weekNumber(dayNo: number, firstWeekday: number): { fromFront: number; fromBack: number } {
  const start = weekStart(dayNo, firstWeekday);
  // A week belongs to the year that holds four of its days; 4 January is always in week 1.
  const { year } = civilDate(start + 3);
  const firstWeek = weekStart(dayNumber(year, 1, 4), firstWeekday);
  const nextFirstWeek = weekStart(dayNumber(year + 1, 1, 4), firstWeekday);
  return { fromFront: (start - firstWeek) / 7 + 1, fromBack: (start - nextFirstWeek) / 7 };
}
