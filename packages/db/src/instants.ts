/**
 * SQL for an instant that is given in milliseconds since 1970. `to_timestamp` rounds to microseconds, so every
 * millisecond of the years 1900 to 2199, to which rules are limited, is converted exactly.
 */
export const instant = (milliseconds: string) => `to_timestamp((${milliseconds})::float8 / 1000)`;

/**
 * SQL for the current time of a statement: the parameter `:now` if the caller sets it, as tests do, otherwise
 * Postgres's clock. The sub-select is evaluated once per statement, so its value can be searched for in an index. A
 * bare `clock_timestamp()` is volatile, and Postgres uses no index to compare with it.
 */
export const NOW = `(select coalesce(${instant(':now::bigint')}, clock_timestamp())::timestamptz(3))`;

/** SQL for the month (in UTC) of an instant. It is the partition key of a row that is written at this instant. */
export const monthOf = (at: string) => `date_trunc('month', (${at}) at time zone 'UTC')::date`;

/** SQL for a number of milliseconds as an interval. */
export const milliseconds = (value: string) => `(${value}) * interval '1 millisecond'`;

/**
 * SQL that returns an instant as milliseconds. For the statements that run at each claim, because a number is cheaper
 * to send and to parse than a date.
 */
export const asMilliseconds = (at: string) => `round(date_part('epoch', ${at}) * 1000)`;

/** Parses Postgres's text of a `timestamptz` (DateStyle ISO, any time zone) into milliseconds since 1970. */
export function parseInstant(text: string): number {
  // Infinity and years beyond 9999 have no hyphen in the fifth place. `Date.parse` would misread these texts.
  if (text.charCodeAt(4) !== HYPHEN) return parseUnusualInstant(text);
  // `2026-11-17 19:05:38.123+00` becomes ISO 8601 by adding a T and the minutes of the offset.
  const hasHoursOnly = text.charCodeAt(text.length - 3) !== COLON;
  const at = Date.parse(`${text.slice(0, 10)}T${text.slice(11)}${hasHoursOnly ? ':00' : ''}`);
  return Number.isNaN(at) ? parseUnusualInstant(text) : at;
}

const HYPHEN = 45;
const COLON = 58;
const UNUSUAL = /^(\d{4,6})(-\d\d-\d\d) ([\d:.]+)([+-])(\d\d):?(\d\d)?:?(\d\d)?( BC)?$/;

/**
 * Parses the texts that `Date.parse` does not understand: infinity, years beyond 9999, years before Christ, and offsets
 * with seconds.
 */
function parseUnusualInstant(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  if (text === '-infinity') return Number.NEGATIVE_INFINITY;
  const match = UNUSUAL.exec(text);
  if (!match) throw new RangeError(`Postgres sent a timestamp that cannot be parsed: ${text}`);
  const [, year, date, time, sign, hours, minutes = '0', seconds = '0', era] = match;
  const offsetMs = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  const local = new Date(`2000${date}T${time}Z`);
  local.setUTCFullYear(era ? 1 - Number(year) : Number(year));
  return local.getTime() - (sign === '-' ? -offsetMs : offsetMs);
}
