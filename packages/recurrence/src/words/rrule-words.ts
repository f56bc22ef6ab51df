import { dateText, timeText } from '../calendar/wall-time.js';
import { recurrenceStart } from '../rrule/recurrence-set.js';
import { isLeapDayRule } from '../rrule/rrule-days.js';
import type { RecurrenceParts } from '../rrule/rrule-parts.js';
import { completedByStart } from '../rrule/rrule-readings.js';
import { parseRecurrenceText, type RecurrenceText } from '../rrule/rrule-text.js';
import type { Timing } from '../timing.js';
import { leapDayWords } from './cron-words.js';
import { atTimes, inMonths, joinInWords, onWeekdays, position } from './phrases.js';
import { recurrenceDateWords } from './rrule-date-words.js';

/** A recurrence set in words, and the time zone by which it repeats. */
export function recurrenceWords(text: string, timing: Timing): { text: string; zone: string } {
  const recurrence = parseRecurrenceText(text);
  if (!recurrence.ok) return { text: 'by a recurrence rule', zone: timing.timezone };
  const start = recurrenceStart(recurrence.value, timing);
  const zone = recurrence.value.start?.zone ?? timing.timezone;
  const { parts, added, removed } = recurrence.value;
  const dates = (count: number) => `${count} ${count === 1 ? 'date' : 'dates'}`;
  const pieces = [
    parts ? ruleWords(completedByStart(parts, start.reading), timing) : onceWords(recurrence.value),
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
  const isSubDaily = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(parts.freq);
  const selection =
    parts.bySetPos.length > 0
      ? `, only the ${joinInWords(parts.bySetPos.map((n) => position(n)))} of them`
      : '';
  if (isSubDaily) return `${subDailyWords(parts)}${selection}`;
  const leap = isLeapDayRule(parts) ? ` ${leapDayWords(leapDay)}` : '';
  const times = atTimes(parts.byHour, parts.byMinute, parts.bySecond);
  const timesPerDay = parts.byHour.length * parts.byMinute.length * parts.bySecond.length;
  return `${recurrenceDateWords(parts)}${leap} ${times ?? `at ${timesPerDay} times of day`}${selection}`;
}

function subDailyWords(parts: RecurrenceParts): string {
  const unit = { HOURLY: 'hour', MINUTELY: 'minute', SECONDLY: 'second' }[parts.freq as string] ?? '';
  const every = parts.interval === 1 ? `every ${unit}` : `every ${parts.interval} ${unit}s`;
  const numbers = (name: string, list: readonly number[]) =>
    list.length === 0 ? '' : `at ${name} ${joinInWords(list.map(String))}`;
  const isFullMinute = parts.bySecond.join() === '0';
  const isFullHour = parts.freq === 'HOURLY' && parts.byMinute.join() === '0';
  return [
    every,
    isFullHour ? '' : numbers('minute', parts.byMinute),
    isFullMinute ? '' : numbers('second', parts.bySecond),
    parts.byHour.length === 0
      ? ''
      : `in ${parts.byHour.length === 1 ? 'hour' : 'hours'} ${joinInWords(parts.byHour.map(String))}`,
    onWeekdays(parts.byDay.map(({ weekday }) => weekday)),
    parts.byMonthDay.length === 0 ? '' : `on day ${joinInWords(parts.byMonthDay.map(position))} of the month`,
    parts.byYearDay.length === 0 ? '' : `on day ${joinInWords(parts.byYearDay.map(position))} of the year`,
    inMonths(parts.byMonth),
  ]
    .filter(Boolean)
    .join(' ');
}

function endWords({ parts, until }: RecurrenceText): string {
  if (parts?.count) return parts.count === 1 ? 'once' : `${parts.count} times`;
  return until ? `until ${dateText(Math.floor(until.reading / 86_400))}` : '';
}
