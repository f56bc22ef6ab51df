import { type Parsed, parsed, refused, shorten } from '../parse-result.js';
import { CRON_FIELDS, type CronField, fieldProblem, parseCronItem, parseCronValue } from './cron-field.js';
import { patternHint, trailingZone } from './cron-hints.js';

/** The day of month field. It names days by number, from the end of the month, or as the weekday nearest to a day. */
export interface MonthDays {
  isStar: boolean;
  days: number[];
  /** Days before the last one: 0 for `L`, 3 for `L-3`. */
  beforeLast: number[];
  /** Days that are replaced by the nearest weekday: 15 for `15W`. */
  nearestWeekdayTo: number[];
  /**
   * Days, counted back from the end of the month, that are replaced by the nearest weekday: 0 for `LW`, 3 for `L-3W`.
   */
  nearestWeekdayBeforeLast: number[];
}

/** The day of week field. It names weekdays of each week, the n-th one of a month (`MON#2`) or the last one (`5L`). */
export interface WeekDays {
  isStar: boolean;
  weekdays: number[];
  nth: { weekday: number; n: number }[];
  last: number[];
}

export interface CronPattern {
  seconds: number[];
  minutes: number[];
  hours: number[];
  months: number[];
  monthDays: MonthDays;
  weekDays: WeekDays;
}

const MACROS: Record<string, string> = {
  '@YEARLY': '0 0 1 1 *',
  '@ANNUALLY': '0 0 1 1 *',
  '@MONTHLY': '0 0 1 * *',
  '@WEEKLY': '0 0 * * 0',
  '@DAILY': '0 0 * * *',
  '@MIDNIGHT': '0 0 * * *',
  '@HOURLY': '0 * * * *',
};
const MAX_CRON_LENGTH = 500;

/** Splits the prefix `TZ=Europe/Berlin` or `CRON_TZ=Europe/Berlin` from a pattern. */
export function splitCronZone(text: string): { zone: string | null; pattern: string } {
  const match = /^\s*(?:CRON_)?TZ\s*=\s*(\S{1,64})\s+(.*)$/is.exec(text.slice(0, MAX_CRON_LENGTH));
  if (!match) return { zone: null, pattern: text };
  return { zone: (match[1] ?? '').replaceAll(/["']/g, ''), pattern: match[2] ?? '' };
}

export function parseCron(text: string): Parsed<CronPattern> {
  if (text.length > MAX_CRON_LENGTH) {
    return refused(`has ${text.length} characters; expected at most ${MAX_CRON_LENGTH}`);
  }
  const fields = cronFields(text);
  if (!fields.ok) return fields;

  const messages: string[] = [];
  const read = <T>(index: number, parse: (text: string, field: CronField) => Parsed<T>): T | null => {
    const definition = CRON_FIELDS[index];
    const position = index + fields.value.length - CRON_FIELDS.length + 1;
    // A pattern of five fields has no seconds field and fires at second 0.
    const fieldText = position > 0 ? fields.value[position - 1] : '0';
    if (!definition || fieldText === undefined) return null;
    const result = parse(fieldText, { ...definition, position });
    if (result.ok) return result.value;
    messages.push(...result.messages);
    return null;
  };
  const seconds = read(0, parseValues);
  const minutes = read(1, parseValues);
  const hours = read(2, parseValues);
  const monthDays = read(3, parseMonthDays);
  const months = read(4, parseValues);
  const weekDays = read(5, parseWeekDays);
  if (!seconds || !minutes || !hours || !monthDays || !months || !weekDays) return refused(...messages);
  return parsed({ seconds, minutes, hours, monthDays, months, weekDays });
}

/** The fields in capitals. A macro such as `@daily` is expanded. */
export function cronFields(text: string): Parsed<string[]> {
  const trimmed = text.trim();
  const hint = patternHint(trimmed);
  if (hint !== null) return refused(hint);
  const macro = MACROS[trimmed.toUpperCase()];
  if (macro) return parsed(macro.split(' '));
  if (trimmed.startsWith('@')) {
    const known = Object.keys(MACROS).join(', ').toLowerCase();
    return refused(`${shorten(trimmed)} is not a known macro; expected one of ${known}`);
  }
  const fields = trimmed === '' ? [] : trimmed.toUpperCase().split(/\s+/);
  const zone = trailingZone(trimmed);
  if (zone !== null) return refused(`ends with the time zone ${zone}; write it in timezone`);
  if (fields.length === 5 || fields.length === 6) return parsed(fields);
  const years = fields.length === 7 ? ' (a field for years is not supported, use startAt and endAt)' : '';
  return refused(
    `has ${fields.length} fields; expected 5 (minute hour day month weekday) or 6 (seconds first)${years}`,
  );
}

function parseValues(text: string, field: CronField): Parsed<number[]> {
  const values: number[] = [];
  for (const item of text.split(',')) {
    if (item.startsWith('?')) {
      const aws =
        field.name === 'month' ? ' (a pattern of AWS ends with the year, which has to be left out)' : '';
      return refused(fieldProblem(field, item, `expected ? in the day fields only; use *${aws}`));
    }
    const result = parseCronItem(item, field);
    if (!result.ok) return result;
    values.push(...result.value);
  }
  return parsed(ascending(values));
}

function parseMonthDays(text: string, field: CronField): Parsed<MonthDays> {
  const monthDays: MonthDays = {
    isStar: isStar(text),
    days: [],
    beforeLast: [],
    nearestWeekdayTo: [],
    nearestWeekdayBeforeLast: [],
  };
  for (const item of text.split(',')) {
    const fromEnd = /^L(?:-(\d{1,2}))?(W)?$/.exec(item === 'WL' ? 'LW' : item);
    const nearest = /^(\d{1,2})W$/.exec(item);
    const daysBack = Number(fromEnd?.[1] ?? 0);
    if (fromEnd && daysBack <= 30) {
      (fromEnd[2] ? monthDays.nearestWeekdayBeforeLast : monthDays.beforeLast).push(daysBack);
    } else if (nearest) {
      const day = parseCronValue(nearest[1] ?? '', field);
      if (!day.ok) return day;
      monthDays.nearestWeekdayTo.push(day.value);
    } else {
      const result = parseCronItem(item, field);
      if (!result.ok) return result;
      monthDays.days.push(...result.value);
    }
  }
  return parsed({ ...monthDays, days: ascending(monthDays.days) });
}

function parseWeekDays(text: string, field: CronField): Parsed<WeekDays> {
  const weekDays: WeekDays = { isStar: isStar(text), weekdays: [], nth: [], last: [] };
  for (const item of text.split(',')) {
    const nth = /^([^#]*)#([^#]*)$/.exec(item);
    const last = /^(.+)(?<!#)L$/.exec(item);
    if (item === 'L') {
      return refused(
        fieldProblem(field, item, 'expected a weekday before it, such as FRIL for the last Friday'),
      );
    }
    if (nth) {
      const weekdays = parseWeekdayRange(nth[1] ?? '', field);
      if (!weekdays.ok) return weekdays;
      const position = nth[2] ?? '';
      if (position === 'L') {
        weekDays.last.push(...weekdays.value);
      } else if (/^[1-5]$/.test(position)) {
        weekDays.nth.push(...weekdays.value.map((weekday) => ({ weekday, n: Number(position) })));
      } else {
        const expected = `expected #1 to #5 after the weekday; the last one of the month is ${nth[1]}L`;
        return refused(fieldProblem(field, item, expected));
      }
    } else if (last) {
      const weekdays = parseWeekdayRange(last[1] ?? '', field);
      if (!weekdays.ok) return weekdays;
      weekDays.last.push(...weekdays.value);
    } else {
      const result = parseCronItem(item, field);
      if (!result.ok) return result;
      weekDays.weekdays.push(...result.value.map((value) => value % 7));
    }
  }
  return parsed({ ...weekDays, weekdays: ascending(weekDays.weekdays) });
}

/** One weekday or a range of them, as in `MON#2` or `MON-FRI#2`. */
function parseWeekdayRange(text: string, field: CronField): Parsed<number[]> {
  const result = text.includes('-') ? parseCronItem(text, field) : parseCronValue(text, field);
  if (!result.ok) return result;
  return parsed([result.value].flat().map((weekday) => weekday % 7));
}

/** As in Vixie cron, a day field that begins with a star counts as unrestricted, even if it has a step. */
function isStar(text: string): boolean {
  return text.startsWith('*') || text.startsWith('?');
}

function ascending(values: number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
