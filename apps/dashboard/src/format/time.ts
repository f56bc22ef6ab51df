export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options });
  formats.set(key, made);
  return made;
}

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit' };

/**
 * A date that is further away than this is shown with its year. The limit is less than a year, so that no date is
 * ambiguous.
 */
const YEAR_SHOWN_BEYOND_MS = 300 * DAY_MS;

/** Formats an instant: `14:03:07` today, `19 Nov 14:03:07` otherwise, with the year if it is far away. */
export function formatInstant(at: number, { zone, now }: { zone: string; now: number }): string {
  const time = formatOf(zone, TIME).format(at);
  if (formatDay(at, zone) === formatDay(now, zone)) return time;
  const isFar = Math.abs(at - now) > YEAR_SHOWN_BEYOND_MS;
  return `${formatOf(zone, isFar ? { ...DAY, year: 'numeric' } : DAY).format(at)} ${time}`;
}

export const formatDay = (at: number, zone: string) =>
  formatOf(zone, { ...DAY, year: 'numeric', weekday: 'short' }).format(at);
export const formatMinute = (at: number, zone: string) =>
  formatOf(zone, { hour: '2-digit', minute: '2-digit' }).format(at);
export const formatFull = (at: number, zone: string) =>
  `${formatOf(zone, { ...DAY, year: 'numeric', weekday: 'short', ...TIME }).format(at)} ${shortZone(at, zone)}`;

/** A short name of a zone for a table column: `UTC`, `CET` or `GMT+2`. */
export function shortZone(at: number, zone: string): string {
  const parts = formatOf(zone, { timeZoneName: 'short' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

const UNITS: [limitMs: number, unitMs: number, name: string][] = [
  [MINUTE_MS, 1_000, 's'],
  [HOUR_MS, MINUTE_MS, 'min'],
  [DAY_MS, HOUR_MS, 'h'],
  [Number.POSITIVE_INFINITY, DAY_MS, 'd'],
];

/** Formats a span of time in one unit: `12 ms`, `4 s`, `3 min`, `5 h`, `12 d`. */
export function formatSpan(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  for (const [limit, unit, name] of UNITS) if (ms < limit) return `${Math.floor(ms / unit)} ${name}`;
  return '';
}

/** Formats a span of time, with a second unit for minutes and hours: `4 min 12 s`, `2 h 05 min`. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  const two = (value: number) => String(value).padStart(2, '0');
  if (minutes < 1) return `${seconds} s`;
  if (hours < 1) return `${minutes} min ${two(seconds % 60)} s`;
  if (days < 2) return `${hours} h ${two(minutes % 60)} min`;
  return `${days} days`;
}

export const formatAgo = (ms: number): string => (ms < 1_000 ? 'just now' : `${formatSpan(ms)} ago`);
export const formatCount = (count: number): string => new Intl.NumberFormat('en-GB').format(count);
export const formatMs = (ms: number | null): string =>
  ms === null ? '–' : ms < 10_000 ? `${formatCount(Math.round(ms))} ms` : formatSpan(ms);

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
export function offsetAt(at: number, zone: string): number {
  const parts = formatOf(zone, {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    ...TIME,
  }).formatToParts(at);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(
    read('year'),
    read('month') - 1,
    read('day'),
    read('hour'),
    read('minute'),
    read('second'),
  );
  return local - Math.floor(at / 1_000) * 1_000;
}

/**
 * Converts a local time in a zone, such as `2027-03-29T09:00`, to an instant. A local time in a DST overlap has two
 * instants; the result is the first one. A local time in a DST gap does not exist; the result is as much later as the
 * clock was moved forward.
 */
export function instantOf(local: string, zone: string): number {
  const wall = Date.parse(`${local}Z`);
  const [before, after] = [wall - DAY_MS, wall + DAY_MS].map((at) => wall - offsetAt(at, zone)) as [
    number,
    number,
  ];
  const instants = [before, after].filter((at) => at + offsetAt(at, zone) === wall);
  return instants.length === 0 ? before : Math.min(...instants);
}

/** Converts an instant to local time, as a `datetime-local` field takes it. */
export function localOf(at: number, zone: string): string {
  return new Date(at + offsetAt(at, zone)).toISOString().slice(0, 19);
}

/** An ISO 8601 duration in words: `PT1M30S` is `1 min 30 s`. Text that is not a duration is returned unchanged. */
export function durationWords(duration: string): string {
  const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(duration);
  if (!match) return duration;
  const units = ['d', 'h', 'min', 's'];
  const words = units.flatMap((unit, index) =>
    match[index + 1] === undefined ? [] : [`${match[index + 1]} ${unit}`],
  );
  return words.join(' ') || duration;
}
