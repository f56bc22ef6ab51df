import { FIRST_YEAR, LAST_YEAR } from './calendar.js';
import { type Parsed, parsed, refused, shown } from './parsed.js';
import { parseRecurrenceParts, type RecurrenceParts } from './rrule-parts.js';
import { readingOf } from './wall-time.js';
import { canonicalTimeZone, timeZoneProblem } from './zone.js';

/** A DATE or DATE-TIME of RFC 5545. `zone` is null where the text is floating: the schedule's zone. */
export interface RecurrenceDate {
  reading: number;
  dateOnly: boolean;
  zone: string | null;
}

/** What the text says; nothing is resolved against an anchor or a zone yet. */
export interface RecurrenceText {
  start: RecurrenceDate | null;
  parts: RecurrenceParts | null;
  until: RecurrenceDate | null;
  added: RecurrenceDate[];
  removed: RecurrenceDate[];
}

const MAX_DATES = 500;
const MAX_TEXT = 40_000;

export function parseRecurrenceText(text: string): Parsed<RecurrenceText> {
  if (text.length > MAX_TEXT) {
    return refused(`has ${text.length} characters; expected at most ${MAX_TEXT}`);
  }
  const found: RecurrenceText = { start: null, parts: null, until: null, added: [], removed: [] };
  for (const line of contentLines(text)) {
    const messages = readLine(line, found);
    if (messages.length > 0) return refused(...messages);
  }
  if (!found.start && !found.parts && found.added.length === 0) {
    return refused('is empty; expected RRULE:FREQ=… with an optional DTSTART line before it');
  }
  return resolveUntil(found);
}

/** Lines with their folds undone, as RFC 5545 3.1 has them. */
export function contentLines(text: string): string[] {
  return text
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function readLine(line: string, found: RecurrenceText): string[] {
  const bare = /^FREQ=|^[A-Z]+=[^:]*$/i.test(line);
  const colon = line.indexOf(':');
  if (!bare && colon < 0) return [`"${shown(line)}" is not understood; expected RRULE:FREQ=…`];
  const [name = '', ...parameters] = bare ? ['RRULE'] : line.slice(0, colon).split(';');
  const value = (bare ? line : line.slice(colon + 1)).toUpperCase();
  switch (name.toUpperCase()) {
    case 'RRULE':
      return readRule(value, parameters, found);
    case 'DTSTART':
      return readStart(value, parameters, found);
    case 'RDATE':
      return readDates('RDATE', value, parameters, found.added);
    case 'EXDATE':
      return readDates('EXDATE', value, parameters, found.removed);
    case 'EXRULE':
      return ['EXRULE is not supported, and no longer part of RFC 5545; name the dates with EXDATE'];
    default:
      return [`${shown(name)} is not understood; expected DTSTART, RRULE, RDATE or EXDATE`];
  }
}

function readRule(value: string, parameters: string[], found: RecurrenceText): string[] {
  if (found.parts) return ['RRULE is given twice; expected one'];
  if (parameters.length > 0) return ['RRULE takes no parameters; expected RRULE:FREQ=…'];
  const parts = parseRecurrenceParts(value);
  if (!parts.ok) return parts.messages;
  found.parts = parts.value;
  return [];
}

function readStart(value: string, parameters: string[], found: RecurrenceText): string[] {
  if (found.start) return ['DTSTART is given twice; expected one'];
  const dates: RecurrenceDate[] = [];
  const messages = readDates('DTSTART', value, parameters, dates);
  if (dates.length > 1) return ['DTSTART has several dates; expected one'];
  found.start = dates[0] ?? null;
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
      return [`${name} has ${shown(parameter)}; expected TZID=…, VALUE=DATE or VALUE=DATE-TIME`];
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
      `${name} is ${shown(text) || 'empty'}; expected 20260131T090000, with Z for UTC, or 20260131`,
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

/** UNTIL without Z is read in DTSTART's zone; a date alone includes its whole day. */
function resolveUntil(found: RecurrenceText): Parsed<RecurrenceText> {
  const text = found.parts?.until ?? null;
  if (text === null) return parsed(found);
  const until = parseRecurrenceDate('UNTIL', text, found.start?.zone ?? null);
  if (!until.ok) return until;
  const reading = until.value.reading + (until.value.dateOnly ? 86_399 : 0);
  return parsed({ ...found, until: { ...until.value, reading } });
}
