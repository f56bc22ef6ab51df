import { FIRST_YEAR, LAST_YEAR } from '../calendar/civil-date.js';
import { readingOf } from '../calendar/wall-time.js';
import { type Parsed, parsed, refused, shorten } from '../parse-result.js';
import { canonicalTimeZone, timeZoneProblem } from '../zone/time-zone-name.js';
import { parseRecurrenceParts, type RecurrenceParts } from './rrule-parts.js';

/** A DATE or DATE-TIME of RFC 5545. `zone` is null for floating text, which is in the zone of the schedule. */
export interface RecurrenceDate {
  reading: number;
  dateOnly: boolean;
  zone: string | null;
}

/** The parsed text of a recurrence set. Nothing is resolved against an anchor or a time zone yet. */
export interface RecurrenceText {
  start: RecurrenceDate | null;
  parts: RecurrenceParts | null;
  until: RecurrenceDate | null;
  added: RecurrenceDate[];
  removed: RecurrenceDate[];
  /** BYHOUR, BYMINUTE and BYSECOND parts that are ignored because DTSTART is a date without a time. */
  ignoredParts: string[];
}

const MAX_DATES = 500;
const MAX_TEXT_LENGTH = 40_000;

export function parseRecurrenceText(text: string): Parsed<RecurrenceText> {
  if (text.length > MAX_TEXT_LENGTH) {
    return refused(`has ${text.length} characters; expected at most ${MAX_TEXT_LENGTH}`);
  }
  const recurrence: RecurrenceText = {
    start: null,
    parts: null,
    until: null,
    added: [],
    removed: [],
    ignoredParts: [],
  };
  for (const line of contentLines(text)) {
    const messages = readLine(line, recurrence);
    if (messages.length > 0) return refused(...messages);
  }
  if (!recurrence.start && !recurrence.parts && recurrence.added.length === 0) {
    return refused('is empty; expected RRULE:FREQ=… with an optional DTSTART line before it');
  }
  ignoreTimesOfDate(recurrence);
  return resolveUntil(recurrence);
}

/** RFC 5545 3.3.10: BYHOUR, BYMINUTE and BYSECOND must be ignored if DTSTART is a DATE. */
function ignoreTimesOfDate(recurrence: RecurrenceText): void {
  const { parts, start } = recurrence;
  if (!parts || !start?.dateOnly) return;
  for (const [key, name] of TIME_PARTS) {
    if (parts[key].length > 0) recurrence.ignoredParts.push(name);
    parts[key] = [];
  }
}

const TIME_PARTS = [
  ['byHour', 'BYHOUR'],
  ['byMinute', 'BYMINUTE'],
  ['bySecond', 'BYSECOND'],
] as const;

/** The lines of the text, unfolded as RFC 5545 3.1 prescribes. */
export function contentLines(text: string): string[] {
  return text
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function readLine(line: string, recurrence: RecurrenceText): string[] {
  const bare = /^FREQ=|^[A-Z]+=[^:]*$/i.test(line);
  const colon = line.indexOf(':');
  if (!bare && colon < 0) return [`"${shorten(line)}" is not understood; expected RRULE:FREQ=…`];
  const [name = '', ...parameters] = bare ? ['RRULE'] : line.slice(0, colon).split(';');
  const value = (bare ? line : line.slice(colon + 1)).toUpperCase();
  switch (name.toUpperCase()) {
    case 'RRULE':
      return readRule(value, parameters, recurrence);
    case 'DTSTART':
      return readStart(value, parameters, recurrence);
    case 'RDATE':
      return readDates('RDATE', value, parameters, recurrence.added);
    case 'EXDATE':
      return readDates('EXDATE', value, parameters, recurrence.removed);
    case 'EXRULE':
      return ['EXRULE is not supported, and no longer part of RFC 5545; list the dates in EXDATE'];
    default:
      return [`${shorten(name)} is not understood; expected DTSTART, RRULE, RDATE or EXDATE`];
  }
}

function readRule(value: string, parameters: string[], recurrence: RecurrenceText): string[] {
  if (recurrence.parts) return ['RRULE is given twice; write it once'];
  if (parameters.length > 0) return ['RRULE takes no parameters; expected RRULE:FREQ=…'];
  const parts = parseRecurrenceParts(value);
  if (!parts.ok) return parts.messages;
  recurrence.parts = parts.value;
  return [];
}

function readStart(value: string, parameters: string[], recurrence: RecurrenceText): string[] {
  if (recurrence.start) return ['DTSTART is given twice; write it once'];
  const dates: RecurrenceDate[] = [];
  const messages = readDates('DTSTART', value, parameters, dates);
  if (dates.length > 1) return ['DTSTART has several dates; expected one'];
  recurrence.start = dates[0] ?? null;
  return messages;
}

function readDates(name: string, value: string, parameters: string[], dates: RecurrenceDate[]): string[] {
  let zone: string | null = null;
  for (const parameter of parameters) {
    const [key = '', setting = ''] = parameter.split('=');
    if (key.toUpperCase() === 'TZID') {
      const zoneName = setting.replaceAll('"', '');
      const problem = timeZoneProblem(zoneName);
      if (problem) return [`${name}: ${problem}`];
      zone = canonicalTimeZone(zoneName);
    } else if (key.toUpperCase() !== 'VALUE' || !/^DATE(?:-TIME)?$/i.test(setting)) {
      return [`${name} has ${shorten(parameter)}; expected TZID=…, VALUE=DATE or VALUE=DATE-TIME`];
    }
  }
  for (const item of value.split(',')) {
    const date = parseRecurrenceDate(name, item, zone);
    if (!date.ok) return date.messages;
    dates.push(date.value);
    if (dates.length > MAX_DATES)
      return [`${name} has over ${MAX_DATES} dates; expected at most ${MAX_DATES}`];
  }
  return [];
}

function parseRecurrenceDate(name: string, text: string, zone: string | null): Parsed<RecurrenceDate> {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/.exec(text);
  if (!match) {
    return refused(
      `${name} is ${shorten(text) || 'empty'}; expected 20260131T090000, with Z for UTC, or 20260131`,
    );
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  const reading = readingOf({ year, month, day, hour, minute, second });
  if (!reading.ok) return refused(...reading.messages.map((message) => `${name} is ${text}: ${message}`));
  if (year < FIRST_YEAR || year > LAST_YEAR) {
    return refused(`${name} is ${text}; expected a year of ${FIRST_YEAR}-${LAST_YEAR}`);
  }
  return parsed({ reading: reading.value, dateOnly: match[4] === undefined, zone: match[7] ? 'UTC' : zone });
}

/** UNTIL without Z is in the time zone of DTSTART. If UNTIL is a date without a time, that whole day is included. */
function resolveUntil(recurrence: RecurrenceText): Parsed<RecurrenceText> {
  const text = recurrence.parts?.until ?? null;
  if (text === null) return parsed(recurrence);
  const until = parseRecurrenceDate('UNTIL', text, recurrence.start?.zone ?? null);
  if (!until.ok) return until;
  const reading = until.value.reading + (until.value.dateOnly ? 86_399 : 0);
  return parsed({ ...recurrence, until: { ...until.value, reading } });
}
