import { type Parsed, parsed, refused, shorten } from '../parse-result.js';

const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'] as const;
type Frequency = (typeof FREQUENCIES)[number];

interface NthWeekday {
  weekday: number;
  /** 2 for `2MO`, -1 for `-1FR`, null for a weekday without a number. */
  n: number | null;
}

/** The parts of an RRULE line as written. A list that was left out is empty. */
export interface RecurrenceParts {
  freq: Frequency;
  interval: number;
  count: number | null;
  /** Still text, because parsing it needs the time zone of DTSTART. */
  until: string | null;
  weekStart: number;
  byMonth: number[];
  byWeekNo: number[];
  byYearDay: number[];
  byMonthDay: number[];
  byDay: NthWeekday[];
  byHour: number[];
  byMinute: number[];
  bySecond: number[];
  bySetPos: number[];
}

const MAX_INTERVAL = 10_000;
// The limit is generous (31 years of seconds), because the cost of counting depends on the number of days, not of
// instances.
const MAX_COUNT = 1_000_000_000;
const MAX_RRULE_LENGTH = 2048;
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** For each list: its key, its smallest and largest value, and whether -n counts from the end. */
const LISTS = {
  BYMONTH: ['byMonth', 1, 12, false],
  BYWEEKNO: ['byWeekNo', 1, 53, true],
  BYYEARDAY: ['byYearDay', 1, 366, true],
  BYMONTHDAY: ['byMonthDay', 1, 31, true],
  BYHOUR: ['byHour', 0, 23, false],
  BYMINUTE: ['byMinute', 0, 59, false],
  BYSECOND: ['bySecond', 0, 59, false],
  BYSETPOS: ['bySetPos', 1, 366, true],
} as const;

export function parseRecurrenceParts(text: string): Parsed<RecurrenceParts> {
  if (text.length > MAX_RRULE_LENGTH) {
    return refused(`RRULE has ${text.length} characters; expected at most ${MAX_RRULE_LENGTH}`);
  }
  const values = splitParts(text);
  if (!values.ok) return values;
  const messages: string[] = [];
  const take = <T>(result: Parsed<T>, fallback: T): T => {
    if (result.ok) return result.value;
    messages.push(...result.messages);
    return fallback;
  };

  const parts: RecurrenceParts = {
    freq: 'DAILY',
    interval: 1,
    count: null,
    until: null,
    weekStart: 1,
    byMonth: [],
    byWeekNo: [],
    byYearDay: [],
    byMonthDay: [],
    byDay: [],
    byHour: [],
    byMinute: [],
    bySecond: [],
    bySetPos: [],
  };
  for (const [name, value] of values.value) {
    if (name === 'FREQ') parts.freq = take(parseFrequency(value), parts.freq);
    else if (name === 'INTERVAL') parts.interval = take(parseWhole(name, value, MAX_INTERVAL), 1);
    else if (name === 'COUNT') parts.count = take(parseWhole(name, value, MAX_COUNT), 1);
    else if (name === 'UNTIL') parts.until = value;
    else if (name === 'WKST') parts.weekStart = take(parseWeekday(name, value), 1);
    else if (name === 'BYDAY') parts.byDay = take(parseByDay(value), []);
    else if (isList(name)) parts[LISTS[name][0]] = take(parseList(name, value), []);
    else messages.push(`${shorten(name)} is not a part of RRULE; see RFC 5545, 3.3.10`);
  }
  if (!values.value.has('FREQ')) messages.push('FREQ is missing; expected FREQ=DAILY or another frequency');
  if (messages.length === 0) messages.push(...conflicts(parts));
  return messages.length > 0 ? refused(...messages.slice(0, 10)) : parsed(parts);
}

function splitParts(text: string): Parsed<Map<string, string>> {
  const values = new Map<string, string>();
  // Some programs write a trailing semicolon; it is harmless.
  for (const part of text.replace(/;$/, '').split(';')) {
    const [name = '', value, ...rest] = part.split('=');
    if (!value || rest.length > 0)
      return refused(`"${shorten(part)}" is not a part of RRULE; expected NAME=VALUE`);
    if (values.has(name)) return refused(`${shorten(name)} is given twice; write it once`);
    values.set(name, value);
  }
  return parsed(values);
}

/** Combinations that RFC 5545 forbids. Many libraries accept them and silently do something else. */
function conflicts(parts: RecurrenceParts): string[] {
  const { freq } = parts;
  const problems: string[] = [];
  if (parts.count !== null && parts.until !== null)
    problems.push('COUNT and UNTIL exclude each other; write only one of them');
  if (parts.byWeekNo.length > 0 && freq !== 'YEARLY')
    problems.push(`BYWEEKNO needs FREQ=YEARLY, not ${freq}`);
  if (parts.byYearDay.length > 0 && ['MONTHLY', 'WEEKLY', 'DAILY'].includes(freq)) {
    problems.push(`BYYEARDAY does not go with FREQ=${freq}; use FREQ=YEARLY`);
  }
  if (parts.byMonthDay.length > 0 && freq === 'WEEKLY') {
    problems.push('BYMONTHDAY does not go with FREQ=WEEKLY; use FREQ=MONTHLY');
  }
  const hasNumbers = parts.byDay.some(({ n }) => n !== null);
  if (hasNumbers && freq !== 'MONTHLY' && freq !== 'YEARLY') {
    problems.push(`BYDAY with a number needs FREQ=MONTHLY or YEARLY, not ${freq}`);
  }
  if (hasNumbers && parts.byWeekNo.length > 0) problems.push('BYDAY with a number does not go with BYWEEKNO');
  const lists = Object.values(LISTS).some(([key]) => key !== 'bySetPos' && parts[key].length > 0);
  if (parts.bySetPos.length > 0 && !lists && parts.byDay.length === 0) {
    problems.push('BYSETPOS picks from the dates and times of another BY part; add one');
  }
  return problems;
}

function parseFrequency(value: string): Parsed<Frequency> {
  const freq = FREQUENCIES.find((known) => known === value);
  return freq
    ? parsed(freq)
    : refused(`FREQ is ${shorten(value)}; expected one of ${FREQUENCIES.join(', ')}`);
}

function parseWhole(name: string, value: string, max: number): Parsed<number> {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  return number >= 1 && number <= max
    ? parsed(number)
    : refused(`${name} is ${shorten(value)}; expected 1-${max}`);
}

function isList(name: string): name is keyof typeof LISTS {
  return Object.hasOwn(LISTS, name);
}

function parseList(name: keyof typeof LISTS, value: string): Parsed<number[]> {
  const [, min, max, signed] = LISTS[name];
  const numbers = new Set<number>();
  for (const item of value.split(',')) {
    const number = /^[+-]?\d{1,4}$/.test(item) ? Number(item) : Number.NaN;
    const size = signed ? Math.abs(number) : number;
    if (!(size >= min && size <= max)) {
      const range = `${min}-${max}${signed ? ` or -${max} to -${min}` : ''}`;
      return refused(`${name} is ${shorten(item) || 'empty'}; expected ${range}`);
    }
    numbers.add(number);
  }
  return parsed([...numbers].sort((a, b) => a - b));
}

function parseWeekday(name: string, value: string): Parsed<number> {
  const weekday = WEEKDAYS.indexOf(value);
  return weekday >= 0
    ? parsed(weekday)
    : refused(`${name} is ${shorten(value)}; expected one of ${WEEKDAYS.join(', ')}`);
}

function parseByDay(value: string): Parsed<NthWeekday[]> {
  const days = new Map<string, NthWeekday>();
  for (const item of value.split(',')) {
    const match = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(item);
    const weekday = parseWeekday('BYDAY', match?.[2] ?? item);
    if (!weekday.ok) return weekday;
    const n = match?.[1] === undefined ? null : Number(match[1]);
    if (n !== null && (n === 0 || Math.abs(n) > 53)) {
      return refused(`BYDAY is ${shorten(item)}; expected a number of 1-53 or -53 to -1 before the weekday`);
    }
    days.set(`${n}${weekday.value}`, { weekday: weekday.value, n });
  }
  return parsed([...days.values()]);
}
