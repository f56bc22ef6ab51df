import { localTime } from '../src/calendar/wall-time.js';
import { nextOccurrences } from '../src/occurrences.js';
import { parseTiming, type TimingInput } from '../src/parse-timing.js';
import type { Timing } from '../src/timing.js';

export const anchorAt = Date.UTC(1990, 0, 1);

export function timingOf(text: string, more: Omit<TimingInput, 'rule'> = {}): Timing {
  const result = parseTiming({ rule: { rrule: text }, ...more }, { anchorAt });
  if (!result.ok) throw new Error(`${text}: ${JSON.stringify(result.problems)}`);
  return result.timing;
}

export function fires(text: string, limit: number, more: Omit<TimingInput, 'rule'> = {}): string[] {
  const timing = timingOf(text, more);
  return nextOccurrences(timing, anchorAt, limit).map((at) => localTime(at, timing.timezone).slice(0, 16));
}

/** Expands `1997-09: 2-4 30` to four days of September 1997. */
export function days(...months: string[]): string[] {
  return months.flatMap((month) => {
    const [name, list = ''] = month.split(': ');
    return list.split(' ').flatMap((item) => {
      const [from = '', to = from] = item.split('-');
      const length = Number(to) - Number(from) + 1;
      return Array.from({ length }, (_, i) => `${name}-${String(Number(from) + i).padStart(2, '0')}`);
    });
  });
}
