import { type Parsed, parsed, refused } from '../parse-result.js';
import { zoneNamed } from '../zone/zone.js';
import { civilDate, DAY_SECONDS, dayNumber, daysInMonth } from './civil-date.js';

export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

/**
 * A wall time as a reading: the number of seconds since 1970-01-01T00:00 on the same local clock. Rules are evaluated
 * in readings, and only `zone/wall-clock.ts` turns readings into instants.
 */
export function readingOf({ year, month, day, hour, minute, second }: WallTime): Parsed<number> {
  if (month < 1 || month > 12) return refused(`the month is ${month}; expected 1-12`);
  const length = daysInMonth(year, month);
  if (day < 1 || day > length) return refused(`the day is ${day}; that month has days 1-${length}`);
  if (hour > 23 || minute > 59 || second > 59)
    return refused('the time of day is not between 00:00:00 and 23:59:59');
  return parsed(dayNumber(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second);
}

export function wallTimeOf(reading: number): WallTime {
  const dayNo = Math.floor(reading / DAY_SECONDS);
  const secondOfDay = reading - dayNo * DAY_SECONDS;
  return {
    ...civilDate(dayNo),
    hour: Math.floor(secondOfDay / 3600),
    minute: Math.floor(secondOfDay / 60) % 60,
    second: secondOfDay % 60,
  };
}

const two = (value: number) => String(value).padStart(2, '0');

/** For example `2026-03-29`. */
export function dateText(dayNo: number): string {
  const { year, month, day } = civilDate(dayNo);
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
}

/** For example `02:30`, or `02:30:15` if the seconds are not zero. */
export function timeText(reading: number): string {
  const { hour, minute, second } = wallTimeOf(reading);
  return `${two(hour)}:${two(minute)}${second === 0 ? '' : `:${two(second)}`}`;
}

/** An instant in RFC 3339 form with the UTC offset of the time zone, for example `2026-03-29T09:00:00+02:00`. */
export function localTime(at: number, timezone: string): string {
  const sec = Math.floor(at / 1000);
  const reading = zoneNamed(timezone).readingAt(sec);
  const { hour, minute, second } = wallTimeOf(reading);
  const millis = at - sec * 1000;
  const fraction = millis === 0 ? '' : `.${String(millis).padStart(3, '0')}`;
  const date = dateText(Math.floor(reading / DAY_SECONDS));
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}${fraction}${offsetText(reading - sec)}`;
}

function offsetText(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
