import { nextOccurrences, parseTiming } from '@carillon/recurrence';
import { DAY_MS } from '../durations.js';

export type IcsDates = { ok: true; dates: string[] } | { ok: false; problem: string };
/** Events that repeat are read from a year ago until five years ahead. A refresh moves this window on. */
const YEARS_BACK = 1;
const YEARS_AHEAD = 5;
/** Maximum number of events in a file, and of instances of one repeating event. */
const MAX_EVENTS = 10_000;
const MAX_INSTANCES = 1_000;

interface Property {
  name: string;
  parameters: string;
  value: string;
}

/**
 * Reads the days of an iCalendar file (RFC 5545): each day that an event touches is excluded. Cancelled events and the
 * exceptions of repeating ones (EXDATE) are left out. `nowAt` decides which instances of repeating events are listed.
 */
export function readIcsDates(
  text: string,
  { nowAt, maxDates }: { nowAt: number; maxDates: number },
): IcsDates {
  if (!/^\uFEFF?\s*BEGIN:VCALENDAR/i.test(text))
    return { ok: false, problem: 'it does not begin with BEGIN:VCALENDAR' };
  const events = eventsOf(text);
  if (events.length > MAX_EVENTS) return { ok: false, problem: `it has more than ${MAX_EVENTS} events` };
  const days = new Set<string>();
  for (const [index, event] of events.entries()) {
    const read = daysOf(event, nowAt);
    if (!read.ok) return { ok: false, problem: `event ${index + 1}: ${read.problem}` };
    for (const day of read.dates) days.add(day);
  }
  if (days.size === 0) return { ok: false, problem: 'it holds no event of the next five years' };
  const dates = [...days].sort();
  if (dates.length > maxDates)
    return { ok: false, problem: `it holds ${dates.length} days; a calendar holds at most ${maxDates}` };
  return { ok: true, dates };
}

/** The properties of each VEVENT. Nested components, such as alarms, are left out. */
function eventsOf(text: string): Property[][] {
  const events: Property[][] = [];
  let current: Property[] | null = null;
  let depth = 0;
  for (const line of unfold(text)) {
    const property = parseLine(line);
    if (!property) continue;
    const { name, value } = property;
    if (name === 'BEGIN') {
      if (current) depth++;
      else if (value.toUpperCase() === 'VEVENT') current = [];
    } else if (name === 'END') {
      if (depth > 0) depth--;
      else if (current && value.toUpperCase() === 'VEVENT') {
        events.push(current);
        current = null;
      }
    } else if (current && depth === 0) current.push(property);
  }
  return events;
}

/** Joins folded lines: a line that begins with a space or a tab continues the line before it. */
const unfold = (text: string) =>
  text
    .replaceAll(/\r\n?|\n/g, '\n')
    .replaceAll(/\n[ \t]/g, '')
    .split('\n');

function parseLine(line: string): Property | null {
  const match = /^([A-Za-z0-9-]+)((?:;[^:;="]+=(?:"[^"]*"|[^":;])*)*):(.*)$/.exec(line);
  if (!match) return null;
  const [, name = '', parameters = '', value = ''] = match;
  return { name: name.toUpperCase(), parameters, value: value.trim() };
}

function daysOf(event: readonly Property[], nowAt: number): IcsDates {
  const read = (name: string) => event.find((property) => property.name === name)?.value;
  if (read('STATUS')?.toUpperCase() === 'CANCELLED') return { ok: true, dates: [] };
  const start = dayOf(read('DTSTART'));
  if (start === null) return { ok: false, problem: 'its DTSTART is missing or not a date' };
  const begin = read('DTSTART') ?? '';
  const length = lengthOf({ begin, start, end: read('DTEND'), duration: read('DURATION') });
  if (length === null) return { ok: false, problem: 'its DTEND or DURATION can’t be read' };
  const rule = read('RRULE');
  const starts = rule === undefined ? { ok: true as const, days: [start] } : instancesOf(start, rule, nowAt);
  if (!starts.ok) return { ok: false, problem: starts.problem };
  const listed = (name: string) =>
    event
      .filter((property) => property.name === name)
      .flatMap(({ value }) => value.split(',').flatMap((text) => dayOf(text) ?? []));
  const removed = new Set(listed('EXDATE'));
  const firsts = [...starts.days, ...listed('RDATE')].filter((day) => !removed.has(day));
  const dates = firsts.flatMap((first) => Array.from({ length }, (_, ahead) => dateText(first + ahead)));
  return { ok: true, dates };
}

/**
 * The day number of `20261225` or `20261225T090000Z`. The date is taken as written, without converting the time zone.
 */
function dayOf(text: string | undefined): number | null {
  const match = /^(\d{4})(\d\d)(\d\d)(?:T\d{6}Z?)?$/.exec(text?.trim() ?? '');
  if (!match) return null;
  const at = Date.parse(`${match[1]}-${match[2]}-${match[3]}T00:00:00Z`);
  return Number.isNaN(at) ? null : at / DAY_MS;
}

/** The number of days that an event touches. DTEND is exclusive. */
function lengthOf({
  begin,
  start,
  end,
  duration,
}: {
  begin: string;
  start: number;
  end: string | undefined;
  duration: string | undefined;
}): number | null {
  const MAX_DAYS = 366;
  if (end !== undefined) {
    const endDay = dayOf(end);
    if (endDay === null) return null;
    const endsAtMidnight = !/T(?!000000)/.test(end);
    return Math.min(MAX_DAYS, Math.max(1, endDay - start + (endsAtMidnight ? 0 : 1)));
  }
  if (duration === undefined) return 1;
  const match = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(duration);
  if (!match) return null;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((text) => Number(text ?? 0));
  const lengthMs = (7 * weeks + days) * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
  return Math.min(MAX_DAYS, Math.max(1, Math.ceil((timeOfDayMs(begin) + lengthMs) / DAY_MS)));
}

/** The time of day of `20261225T090000`; 0 for a date. */
function timeOfDayMs(text: string): number {
  const [, hours = 0, minutes = 0, seconds = 0] = /T(\d\d)(\d\d)(\d\d)/.exec(text)?.map(Number) ?? [];
  return ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}

function instancesOf(
  start: number,
  rule: string,
  nowAt: number,
): { ok: true; days: number[] } | { ok: false; problem: string } {
  const dtstart = dateText(start).replaceAll('-', '');
  // The instances are whole days, so a time of day in UNTIL is cut off.
  const byDay = rule.replace(/UNTIL=(\d{8})T\d{6}Z?/i, 'UNTIL=$1');
  const parsed = parseTiming(
    { rule: { rrule: `DTSTART;VALUE=DATE:${dtstart}\nRRULE:${byDay}` } },
    { anchorAt: Math.min(start * DAY_MS, nowAt - YEARS_BACK * 366 * DAY_MS) - 1 },
  );
  if (!parsed.ok) return { ok: false, problem: parsed.problems.map(({ message }) => message).join('; ') };
  const fromAt = Math.max(start * DAY_MS, nowAt - YEARS_BACK * 366 * DAY_MS) - 1;
  const untilAt = nowAt + YEARS_AHEAD * 366 * DAY_MS;
  const instants = nextOccurrences(parsed.timing, fromAt, MAX_INSTANCES + 1).filter((at) => at <= untilAt);
  if (instants.length > MAX_INSTANCES)
    return { ok: false, problem: `it repeats more than ${MAX_INSTANCES} times` };
  return { ok: true, days: instants.map((at) => Math.floor(at / DAY_MS)) };
}

const dateText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
