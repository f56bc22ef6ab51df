import { type Parsed, parsed, refused, shorten } from '../parse-result.js';
import type { DstPolicy } from '../timing.js';
import { instantsOfReading } from '../zone/wall-clock.js';
import { zoneNamed } from '../zone/zone.js';
import { FIRST_YEAR, LAST_YEAR } from './civil-date.js';
import { readingOf } from './wall-time.js';

export interface InstantText {
  at: number;
  /** The text, for example `2026-03-29T02:30:00`, if it had no UTC offset; otherwise null. */
  wallTime: string | null;
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * Parses an ISO 8601 date and time. A text with a UTC offset is an instant; a text without one is a wall time in
 * `timezone`.
 */
export function parseInstant(text: unknown, timezone: string, policy: DstPolicy): Parsed<InstantText> {
  const match = typeof text === 'string' && text.length <= 64 ? ISO.exec(text.trim()) : null;
  if (!match) {
    const problem = typeof text === 'string' ? `is "${shorten(text)}"` : 'is not a string';
    return refused(
      `${problem}; expected a date and time such as 2026-03-29T09:00:00Z or 2026-03-29T09:00:00`,
    );
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  const reading = readingOf({ year, month, day, hour, minute, second });
  if (!reading.ok) return refused(...reading.messages);
  if (year < FIRST_YEAR || year > LAST_YEAR)
    return refused(`the year is ${year}; expected ${FIRST_YEAR}-${LAST_YEAR}`);
  const millis = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const offset = match[8];
  if (offset !== undefined) {
    const offsetMs = parseOffset(offset);
    return offsetMs === null
      ? refused(`the offset is ${offset}; expected Z or -23:59 to +23:59`)
      : parsed({ at: reading.value * 1000 + millis - offsetMs, wallTime: null });
  }
  // A one-shot fires once. If its wall time occurs twice, the first instant is used, even with `overlap: both`.
  const zone = zoneNamed(timezone);
  const [at] = instantsOfReading(zone, reading.value, policy);
  if (at === undefined) {
    return refused(
      `${text} does not exist in ${timezone}, because clocks go forward then; with dst.gap "shift" it would fire right after the gap`,
    );
  }
  // A wall time inside a gap moves to the end of the gap, without its fraction of a second.
  const isShifted = zone.readingAt(at / 1000) !== reading.value;
  return parsed({ at: isShifted ? at : at + millis, wallTime: match[0].slice(0, 19) });
}

function parseOffset(text: string): number | null {
  if (text.toUpperCase() === 'Z') return 0;
  const digits = text.slice(1).replace(':', '').padEnd(4, '0');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2));
  if (hours > 23 || minutes > 59) return null;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/**
 * The instant of a stored wall time, by the time zone data of this process. Null if the wall time lies in a DST gap and
 * the policy is to skip it.
 */
export function resolveWallTime(
  wallTime: string,
  { timezone, dst }: { timezone: string; dst: DstPolicy },
): number | null {
  const resolved = parseInstant(wallTime, timezone, dst);
  return resolved.ok ? resolved.value.at : null;
}

/**
 * The reading of a stored wall time: seconds since 1970-01-01T00:00 on the same local clock. Null if the text is
 * invalid.
 */
export function readingOfText(wallTime: string): number | null {
  const utc = parseInstant(`${wallTime}Z`, 'UTC', { gap: 'skip', overlap: 'first' });
  return utc.ok ? utc.value.at / 1000 : null;
}
