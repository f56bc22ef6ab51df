const UNITS_MS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/**
 * Reads an interval such as `3 minutes`, `one hour` or `1 hour and 30 minutes` in milliseconds. Null for anything else,
 * and for months and years, which have no fixed length.
 */
export function readHumanInterval(text: string): number | null {
  const parts = text
    .toLowerCase()
    .split(/\s*(?:,|\band\b)\s*/)
    .filter((part) => part !== '');
  let totalMs = 0;
  for (const part of parts) {
    const [, count = '1', unit = ''] = /^(?:(\S+)\s+)?(second|minute|hour|day|week)s?$/.exec(part) ?? [];
    const number = WORDS.includes(count) ? WORDS.indexOf(count) : Number(count);
    const unitMs = UNITS_MS[unit];
    if (unitMs === undefined || Number.isNaN(number)) return null;
    totalMs += number * unitMs;
  }
  return totalMs > 0 ? totalMs : null;
}
