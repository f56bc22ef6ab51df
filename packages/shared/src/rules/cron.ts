import { CRON_FIELDS, type CronField, complaint, parseCronItem, parseCronValue } from './cron-field.js';
import { type Parsed, parsed, refused, shown } from './parsed.js';

/** Day of month. A day may be named by its number, from the month's end, or as the weekday nearest to one. */
export interface MonthDays {
  star: boolean;
  days: number[];
  /** Days before the last: 0 for `L`, 3 for `L-3`. */
  beforeLast: number[];
  /** `15W`. */
  nearestWeekdayTo: number[];
  /** `LW`. */
  lastWorkday: boolean;
}

/** Day of week. A weekday may be meant every week, only the n-th in a month (`MON#2`), or only the last (`5L`). */
export interface WeekDays {
  star: boolean;
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
const MAX_LENGTH = 500;

export function parseCron(text: string): Parsed<CronPattern> {
  if (text.length > MAX_LENGTH) {
    return refused(`has ${text.length} characters; expected at most ${MAX_LENGTH}`);
  }
  const fields = cronFields(text);
  if (!fields.ok) return fields;

  const messages: string[] = [];
  const read = <T>(index: number, parse: (text: string, field: CronField) => Parsed<T>): T | null => {
    const definition = CRON_FIELDS[index];
    const position = index + fields.value.length - CRON_FIELDS.length + 1;
    // Five fields leave out the seconds, which are then 0.
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

/** The fields in capitals, a macro written out. */
export function cronFields(text: string): Parsed<string[]> {
  const trimmed = text.trim().toUpperCase();
  if (trimmed.startsWith('@')) {
    const macro = MACROS[trimmed];
    if (macro) return parsed(macro.split(' '));
    const known = Object.keys(MACROS).join(', ').toLowerCase();
    return refused(`${shown(text.trim())} is not a known macro; expected one of ${known}`);
  }
  const fields = trimmed === '' ? [] : trimmed.split(/\s+/);
  if (fields.length === 5 || fields.length === 6) return parsed(fields);
  const hint = fields.length === 7 ? ' (a field for years is not supported, use startAt and endAt)' : '';
  return refused(
    `has ${fields.length} fields; expected 5 (minute hour day month weekday) or 6 (seconds first)${hint}`,
  );
}

function parseValues(text: string, field: CronField): Parsed<number[]> {
  const values: number[] = [];
  for (const item of text.split(',')) {
    if (item.startsWith('?')) {
      return refused(complaint(field, item, 'expected ? in the day fields only; use *'));
    }
    const result = parseCronItem(item, field);
    if (!result.ok) return result;
    values.push(...result.value);
  }
  return parsed(ascending(values));
}

function parseMonthDays(text: string, field: CronField): Parsed<MonthDays> {
  const found: MonthDays = {
    star: isStar(text),
    days: [],
    beforeLast: [],
    nearestWeekdayTo: [],
    lastWorkday: false,
  };
  for (const item of text.split(',')) {
    const fromEnd = /^L(?:-(\d{1,2}))?$/.exec(item);
    const nearest = /^(\d{1,2})W$/.exec(item);
    if (item === 'LW' || item === 'WL') {
      found.lastWorkday = true;
    } else if (fromEnd) {
      const back = Number(fromEnd[1] ?? 0);
      if (back > 30) return refused(complaint(field, item, 'expected L-0 to L-30'));
      found.beforeLast.push(back);
    } else if (nearest) {
      const day = parseCronValue(nearest[1] ?? '', field);
      if (!day.ok) return day;
      found.nearestWeekdayTo.push(day.value);
    } else {
      const result = parseCronItem(item, field);
      if (!result.ok) return result;
      found.days.push(...result.value);
    }
  }
  return parsed({ ...found, days: ascending(found.days) });
}

function parseWeekDays(text: string, field: CronField): Parsed<WeekDays> {
  const found: WeekDays = { star: isStar(text), weekdays: [], nth: [], last: [] };
  for (const item of text.split(',')) {
    const nth = /^([^#]*)#([^#]*)$/.exec(item);
    const last = /^(.+)L$/.exec(item);
    if (item === 'L') {
      return refused(
        complaint(field, item, 'expected a weekday before it, such as FRIL for the last Friday'),
      );
    }
    if (nth) {
      const weekday = parseCronValue(nth[1] ?? '', field);
      if (!weekday.ok) return weekday;
      const n = Number(nth[2]);
      if (!/^[1-5]$/.test(nth[2] ?? '')) {
        return refused(complaint(field, item, 'expected #1 to #5 after the weekday'));
      }
      found.nth.push({ weekday: weekday.value % 7, n });
    } else if (last) {
      const weekday = parseCronValue(last[1] ?? '', field);
      if (!weekday.ok) return weekday;
      found.last.push(weekday.value % 7);
    } else {
      const result = parseCronItem(item, field);
      if (!result.ok) return result;
      found.weekdays.push(...result.value.map((value) => value % 7));
    }
  }
  return parsed({ ...found, weekdays: ascending(found.weekdays) });
}

/** As in Vixie cron a field that begins with a star, with a step too, restricts by itself and never widens the other. */
function isStar(text: string): boolean {
  return text.startsWith('*') || text.startsWith('?');
}

function ascending(values: number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
