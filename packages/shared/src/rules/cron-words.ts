import cronstrue from 'cronstrue';
import { type CronPattern, cronFields, parseCron } from './cron.js';
import { isLeapDayOnly } from './cron-days.js';
import { atTimes, inMonths, listed, ofMonths, onWeekdays, ordinal, ranges, weekdayName } from './phrases.js';
import type { LeapDayPolicy } from './timing.js';

const MANY_DAYS = 5;

export function cronWords(cron: string, leapDay: LeapDayPolicy): string {
  const pattern = parseCron(cron);
  if (!pattern.ok) return `by the cron pattern ${cron}`;
  const { hours, minutes, seconds } = pattern.value;
  const named = hours.length < 24 ? atTimes(hours, minutes, seconds) : null;
  const dates = dayWords(pattern.value);
  const leap = isLeapDayOnly(pattern.value) ? ` ${leapDayWords(leapDay)}` : '';
  if (named) return `${named} ${dates || 'every day'}${leap}`;
  return `${clockWords(cron)}${dates === '' ? '' : `, ${dates}`}${leap}`;
}

/** Patterns of the clock ("every 15 minutes, between 09:00 and 17:59") are what cronstrue does well. */
function clockWords(cron: string): string {
  const fields = cronFields(cron);
  const clock = fields.ok ? fields.value.slice(0, -3).join(' ') : '* *';
  const text = cronstrue.toString(`${clock} * * *`, { use24HourTimeFormat: true });
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function dayWords({ monthDays, weekDays, months }: CronPattern): string {
  const ofMonth = monthDayWords(monthDays, months);
  const ofWeek = weekDayWords(weekDays, months);
  if (ofMonth === '') return [ofWeek, isPlain(weekDays) ? inMonths(months) : ''].filter(Boolean).join(' ');
  if (ofWeek === '') return ofMonth;
  const either = !monthDays.star && !weekDays.star;
  return either ? `${ofMonth} and also ${ofWeek}` : `${ofMonth}, if that is ${ofWeek.replace(/^on /, 'a ')}`;
}

function isPlain({ nth, last }: CronPattern['weekDays']): boolean {
  return nth.length + last.length === 0;
}

function monthDayWords(field: CronPattern['monthDays'], months: readonly number[]): string {
  if (field.days.length === 31) return '';
  const { days, beforeLast, nearestWeekdayTo, lastWorkday } = field;
  const special = [
    ...nearestWeekdayTo.map((day) => `the weekday nearest the ${ordinal(day)}`),
    ...beforeLast.map((back) => (back === 0 ? 'the last day' : `the ${ordinal(back + 1)} last day`)),
    ...(lastWorkday ? ['the last weekday'] : []),
  ];
  const numbered =
    days.length > MANY_DAYS ? [`days ${ranges(days)}`] : days.map((day) => `the ${ordinal(day)}`);
  return `on ${listed([...numbered, ...special])} ${ofMonths(months)}`;
}

function weekDayWords(field: CronPattern['weekDays'], months: readonly number[]): string {
  const { weekdays, nth, last } = field;
  if (isPlain(field)) return onWeekdays(weekdays);
  const items = [
    ...weekdays.map(weekdayName),
    ...nth.map(({ weekday, n }) => `the ${ordinal(n)} ${weekdayName(weekday)}`),
    ...last.map((weekday) => `the last ${weekdayName(weekday)}`),
  ];
  return `on ${listed(items)} ${ofMonths(months)}`;
}

export function leapDayWords(leapDay: LeapDayPolicy): string {
  if (leapDay === 'skip') return '(in leap years only)';
  return leapDay === 'feb28' ? '(28 February in other years)' : '(1 March in other years)';
}
