import { UsageError } from './usage-error.js';

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const SHORT = /^(\d{1,6})([smhdw])$/;

/** Turns `15m` into `PT15M`. ISO 8601 durations are kept. */
export function readDuration(text: string): string {
  const [, count, unit] = SHORT.exec(text) ?? [];
  if (count === undefined || unit === undefined) return text;
  if (unit === 'w') return `P${Number(count) * 7}D`;
  return unit === 'd' ? `P${count}D` : `PT${count}${unit.toUpperCase()}`;
}

/** Parses a duration such as `15m`, `2h` or `7d` into milliseconds. */
export function readShort(text: string, option: string): number {
  const [, count, unit] = SHORT.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new UsageError(`--${option} ${text}: expected a duration such as 30m, 24h or 7d`);
  }
  return Number(count) * (UNITS[unit] as number);
}

/** Parses an instant: `now`, `+2h`, `2h ago`. Any other text is sent to the API as it is. */
export function readTime(text: string, nowAt: number): string {
  const [, later] = /^\+(\d+[smhdw])$/.exec(text) ?? [];
  const [, earlier] = /^(\d+[smhdw]) ?ago$/.exec(text) ?? [];
  if (text === 'now') return new Date(nowAt).toISOString();
  if (later !== undefined) return new Date(nowAt + readShort(later, 'time')).toISOString();
  if (earlier !== undefined) return new Date(nowAt - readShort(earlier, 'time')).toISOString();
  return text;
}

export const readOptionalTime = (text: string | undefined, nowAt: number) =>
  text === undefined ? undefined : readTime(text, nowAt);

/** Formats an instant without milliseconds: `2026-11-16 09:00:00Z`. */
export const shortTime = (iso: string | null) =>
  iso === null
    ? '–'
    : iso
        .replace('T', ' ')
        .replace(/\.\d+(?=Z|[+-])/, '')
        .replace('+00:00', 'Z');

/** Formats an instant and its distance from now. */
export const timeFromNow = (iso: string | null, nowAt: number) =>
  iso === null ? '–' : `${shortTime(iso)}  ${fromNow(Date.parse(iso) - nowAt)}`;

function fromNow(ms: number): string {
  return ms >= 0 ? `in ${inWords(ms)}` : `${inWords(-ms)} ago`;
}

export function inWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}
