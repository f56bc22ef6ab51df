import rrule from 'rrule';
import { leapDayWords } from './cron-words.js';
import { atTimes, inMonths, listed, onWeekdays, position } from './phrases.js';
import { recurrenceStart } from './recurrence.js';
import { parseRecurrenceText, type RecurrenceText } from './rrule.js';
import { isLeapDayOnly } from './rrule-days.js';
import type { RecurrenceParts } from './rrule-parts.js';
import { withStart } from './rrule-set.js';
import type { Timing } from './timing.js';
import { dateText, timeText } from './wall-time.js';

export function recurrenceWords(text: string, timing: Timing): { text: string; zone: string } {
  const recurrence = parseRecurrenceText(text);
  if (!recurrence.ok) return { text: 'by a recurrence rule', zone: timing.timezone };
  const start = recurrenceStart(recurrence.value, timing);
  const zone = recurrence.value.start?.zone ?? timing.timezone;
  const { parts, added, removed } = recurrence.value;
  const dates = (count: number) => `${count} ${count === 1 ? 'date' : 'dates'}`;
  const pieces = [
    parts ? ruleWords(withStart(parts, start.reading), timing) : onceWords(recurrence.value),
    parts ? endWords(recurrence.value) : '',
    added.length > 0 ? `${parts || recurrence.value.start ? 'and ' : ''}on ${dates(added.length)} named` : '',
    removed.length > 0 ? `except on ${dates(removed.length)} named` : '',
  ];
  return { text: pieces.filter(Boolean).join(', '), zone };
}

function onceWords({ start }: RecurrenceText): string {
  return start
    ? `once, at ${timeText(start.reading)} on ${dateText(Math.floor(start.reading / 86_400))}`
    : '';
}

function ruleWords(parts: RecurrenceParts, { leapDay }: Timing): string {
  const subDaily = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(parts.freq);
  const picked =
    parts.bySetPos.length > 0 ? `, only the ${listed(parts.bySetPos.map((n) => position(n)))} of them` : '';
  if (subDaily) return `${subDailyWords(parts)}${picked}`;
  const leap = isLeapDayOnly(parts) ? ` ${leapDayWords(leapDay)}` : '';
  const times = atTimes(parts.byHour, parts.byMinute, parts.bySecond);
  const many = parts.byHour.length * parts.byMinute.length * parts.bySecond.length;
  return `${dateWords(parts)}${leap} ${times ?? `at ${many} times of day`}${picked}`;
}

/** Dates are what rrule's own text does well; of times it only knows the hours. */
function dateWords(parts: RecurrenceParts): string {
  const days = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
  const lists: [string, readonly (number | string)[]][] = [
    ['BYMONTH', parts.byMonth],
    ['BYWEEKNO', parts.byWeekNo],
    ['BYYEARDAY', parts.byYearDay],
    ['BYMONTHDAY', parts.byMonthDay],
    ['BYDAY', parts.byDay.map(({ weekday, n }) => `${n ?? ''}${days[weekday]}`)],
  ];
  const written = lists
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `;${name}=${list.join()}`);
  const text = rrule.RRule.fromString(
    `FREQ=${parts.freq};INTERVAL=${parts.interval}${written.join('')}`,
  ).toText();
  const tidy = text
    .replace('Monday, Tuesday, Wednesday, Thursday, Friday', 'weekdays')
    .replace(/, (\w+)$/, ' and $1');
  return parts.byMonthDay.some((day) => day < 0) ? tidy.replace(/last\b/g, 'last day') : tidy;
}

function subDailyWords(parts: RecurrenceParts): string {
  const unit = { HOURLY: 'hour', MINUTELY: 'minute', SECONDLY: 'second' }[parts.freq as string] ?? '';
  const every = parts.interval === 1 ? `every ${unit}` : `every ${parts.interval} ${unit}s`;
  const numbers = (name: string, list: readonly number[]) =>
    list.length === 0 ? '' : `at ${name} ${listed(list.map(String))}`;
  const plainSecond = parts.bySecond.join() === '0';
  const plainMinute = parts.freq === 'HOURLY' && parts.byMinute.join() === '0';
  return [
    every,
    plainMinute ? '' : numbers('minute', parts.byMinute),
    plainSecond ? '' : numbers('second', parts.bySecond),
    parts.byHour.length === 0
      ? ''
      : `in ${parts.byHour.length === 1 ? 'hour' : 'hours'} ${listed(parts.byHour.map(String))}`,
    onWeekdays(parts.byDay.map(({ weekday }) => weekday)),
    parts.byMonthDay.length === 0 ? '' : `on day ${listed(parts.byMonthDay.map(position))} of the month`,
    parts.byYearDay.length === 0 ? '' : `on day ${listed(parts.byYearDay.map(position))} of the year`,
    inMonths(parts.byMonth),
  ]
    .filter(Boolean)
    .join(' ');
}

function endWords({ parts, until }: RecurrenceText): string {
  if (parts?.count) return parts.count === 1 ? 'once' : `${parts.count} times`;
  return until ? `until ${dateText(Math.floor(until.reading / 86_400))}` : '';
}
