import cronstrue from 'cronstrue';
import { isLeapDayPattern } from '../cron/cron-days.js';
import { type CronPattern, cronFields, parseCron } from '../cron/cron-pattern.js';
import type { LeapDayPolicy } from '../timing.js';
import {
  atTimes,
  inMonths,
  joinInWords,
  ofMonths,
  onWeekdays,
  ordinal,
  ranges,
  weekdayName,
} from './phrases.js';

/** Up to this many days of the month are listed one by one. */
const MAX_LISTED_DAYS = 5;

/** A cron pattern in words, without its time zone. */
export function cronWords(cron: string, leapDay: LeapDayPolicy): string {
  const pattern = parseCron(cron);
  if (!pattern.ok) return `by the cron pattern ${cron}`;
  const { hours, minutes, seconds } = pattern.value;
  const named = hours.length < 24 ? atTimes(hours, minutes, seconds) : null;
  const dates = dayWords(pattern.value);
  const leap = isLeapDayPattern(pattern.value) ? ` ${leapDayWords(leapDay)}` : '';
  if (named) return `${named} ${dates || 'every day'}${leap}`;
  return `${clockWords(cron)}${dates === '' ? '' : `, ${dates}`}${leap}`;
}

/** Describes the time fields with cronstrue: "every 15 minutes, between 09:00 and 17:59". */
function clockWords(cron: string): string {
  const fields = cronFields(cron);
  const clock = fields.ok ? fields.value.slice(0, -3).join(' ') : '* *';
  const text = cronstrue.toString(`${clock} * * *`, { use24HourTimeFormat: true });
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function dayWords({ monthDays, weekDays, months }: CronPattern): string {
  const ofMonth = monthDayWords(monthDays, months);
  const ofWeek = weekDayWords(weekDays, months);
  if (ofMonth === '')
    return [ofWeek, hasPlainWeekdays(weekDays) ? inMonths(months) : ''].filter(Boolean).join(' ');
  if (ofWeek === '') return ofMonth;
  const either = !monthDays.isStar && !weekDays.isStar;
  return either ? `${ofMonth} and also ${ofWeek}` : `${ofMonth}, if that is ${ofWeek.replace(/^on /, 'a ')}`;
}

function hasPlainWeekdays({ nth, last }: CronPattern['weekDays']): boolean {
  return nth.length + last.length === 0;
}

function monthDayWords(field: CronPattern['monthDays'], months: readonly number[]): string {
  if (field.days.length === 31) return '';
  const { days, beforeLast, nearestWeekdayTo, nearestWeekdayBeforeLast } = field;
  const special = [
    ...nearestWeekdayTo.map((day) => `the weekday nearest the ${ordinal(day)}`),
    ...beforeLast.map((back) => (back === 0 ? 'the last day' : `the ${ordinal(back + 1)} last day`)),
    ...nearestWeekdayBeforeLast.map((back) =>
      back === 0 ? 'the last weekday' : `the weekday nearest the ${ordinal(back + 1)} last day`,
    ),
  ];
  const numbered =
    days.length > MAX_LISTED_DAYS ? [`days ${ranges(days)}`] : days.map((day) => `the ${ordinal(day)}`);
  return `on ${joinInWords([...numbered, ...special])} ${ofMonths(months)}`;
}

function weekDayWords(field: CronPattern['weekDays'], months: readonly number[]): string {
  const { weekdays, nth, last } = field;
  if (hasPlainWeekdays(field)) return onWeekdays(weekdays);
  const items = [
    ...weekdays.map(weekdayName),
    ...nth.map(({ weekday, n }) => `the ${ordinal(n)} ${weekdayName(weekday)}`),
    ...last.map((weekday) => `the last ${weekdayName(weekday)}`),
  ];
  return `on ${joinInWords(items)} ${ofMonths(months)}`;
}

/** The leap day policy of a rule on 29 February, in words. */
export function leapDayWords(leapDay: LeapDayPolicy): string {
  if (leapDay === 'skip') return '(in leap years only)';
  return leapDay === 'feb28' ? '(28 February in other years)' : '(1 March in other years)';
}
