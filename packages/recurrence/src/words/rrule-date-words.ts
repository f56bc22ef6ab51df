import type { RecurrenceParts } from '../rrule/rrule-parts.js';
import { inMonths, joinInWords, MONTHS, onWeekdays, position, ranges, weekdayName } from './phrases.js';

const UNITS: Partial<Record<RecurrenceParts['freq'], string>> = {
  YEARLY: 'year',
  MONTHLY: 'month',
  WEEKLY: 'week',
  DAILY: 'day',
};
/** Up to this many days are listed one by one. */
const MAX_LISTED_DAYS = 6;

/**
 * The dates of an RRULE in words: "every 2 weeks on Monday", "every month on the last Friday". `parts` includes the
 * parts that DTSTART supplies.
 */
export function recurrenceDateWords(parts: RecurrenceParts): string {
  const pieces = [frequencyWords(parts), dayWords(parts), monthWords(parts)];
  return pieces.filter(Boolean).join(' ');
}

function frequencyWords({ freq, interval }: RecurrenceParts): string {
  const unit = UNITS[freq] ?? '';
  return interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;
}

/** Each BY part becomes one condition. The first condition names days, and the others restrict them. */
function dayWords(parts: RecurrenceParts): string {
  const { byMonthDay, byYearDay, byWeekNo, byDay } = parts;
  const conditions: string[] = [];
  if (byYearDay.length > 0) conditions.push(`on ${days(byYearDay)} of the year`);
  if (byMonthDay.length > 0) conditions.push(monthDayWords(parts));
  if (byDay.length > 0) conditions.push(weekdayWords(parts, conditions.length > 0));
  if (byWeekNo.length > 0) conditions.push(`in week ${numbers(byWeekNo)} of the year`);
  return conditions.join(' ');
}

/**
 * A date of one month reads "on 24 December". Without BYMONTH a yearly rule fires in every month, and the words say so.
 */
function monthDayWords({ freq, byMonth, byMonthDay }: RecurrenceParts): string {
  const [month] = byMonth;
  const hasPlainDays = byMonthDay.length <= MAX_LISTED_DAYS && byMonthDay.every((day) => day > 0);
  if (freq === 'YEARLY' && byMonth.length === 1 && month !== undefined && hasPlainDays) {
    return `on ${joinInWords(byMonthDay.map(String))} ${MONTHS[month - 1]}`;
  }
  if (freq === 'YEARLY' && byMonth.length === 0) return `on ${days(byMonthDay)} of every month`;
  return freq === 'MONTHLY' ? `on ${days(byMonthDay)}` : `on ${days(byMonthDay)} of the month`;
}

function weekdayWords({ freq, byDay, byMonth, byWeekNo }: RecurrenceParts, isRestriction: boolean): string {
  const weekdays = byDay.map(({ weekday }) => weekday);
  const hasNumbers = byDay.some(({ n }) => n !== null);
  if (isRestriction && !hasNumbers) {
    return onWeekdays(weekdays)
      .replace(/^on weekdays$/, 'if it is a weekday')
      .replace(/^on /, 'if it is a ');
  }
  if (hasNumbers) {
    const names = byDay.map(({ weekday, n }) =>
      n === null ? `every ${weekdayName(weekday)}` : `the ${position(n)} ${weekdayName(weekday)}`,
    );
    const isOfYear = freq === 'YEARLY' && byMonth.length === 0;
    return `on ${joinInWords(names)}${isOfYear ? ' of the year' : ''}`;
  }
  // A weekday without a number recurs within a month or a year, so the text needs the word "every".
  const recurs = (freq === 'MONTHLY' || freq === 'YEARLY') && byWeekNo.length === 0;
  const text = onWeekdays(weekdays) || 'on every day';
  return recurs && new Set(weekdays).size < 7 ? text.replace(/^on (?!weekdays|weekends)/, 'on every ') : text;
}

function monthWords({ freq, byMonth, byMonthDay }: RecurrenceParts): string {
  const isNamed =
    freq === 'YEARLY' &&
    byMonth.length === 1 &&
    byMonthDay.length > 0 &&
    byMonthDay.length <= MAX_LISTED_DAYS &&
    byMonthDay.every((day) => day > 0);
  return isNamed ? '' : inMonths(byMonth);
}

/** For example "the 1st and the 15th", "the last day" or "days 1-7". */
function days(list: readonly number[]): string {
  if (list.length > MAX_LISTED_DAYS) return `days ${numbers(list)}`;
  return joinInWords(list.map((day) => `the ${position(day)}${day < 0 ? ' day' : ''}`));
}

function numbers(list: readonly number[]): string {
  const fromStart = list.filter((value) => value > 0);
  const fromEnd = list.filter((value) => value < 0).map((value) => position(value));
  return joinInWords([...(fromStart.length > 0 ? [ranges(fromStart)] : []), ...fromEnd]);
}
