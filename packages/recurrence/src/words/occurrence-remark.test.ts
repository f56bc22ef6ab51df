import { describe, expect, it } from 'vitest';
import { excludedOccurrences, nextOccurrences } from '../occurrences.js';
import { parseTiming, type TimingInput } from '../parse-timing.js';
import { occurrenceRemark } from './occurrence-remark.js';

const FROM = Date.parse('2026-01-01T00:00:00Z');

function timingOf(input: TimingInput) {
  const parsed = parseTiming({ timezone: 'UTC', ...input }, { anchorAt: FROM });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join());
  return parsed.timing;
}
const remarks = (input: TimingInput, count: number) => {
  const timing = timingOf(input);
  return nextOccurrences(timing, FROM, count).map((at) => occurrenceRemark(timing, at));
};

describe('The remark on an occurrence', () => {
  const leapDay = { rrule: 'DTSTART:20240229T090000Z\nRRULE:FREQ=YEARLY' };

  it('an occurrence that replaces 29 February has a remark that says so, and one on 29 February has none', () => {
    expect(remarks({ rule: leapDay }, 3)).toEqual([
      'in place of 29 February, which 2026 does not have',
      'in place of 29 February, which 2027 does not have',
      null,
    ]);
    expect(remarks({ rule: leapDay, leapDay: 'mar1' }, 1)).toEqual([
      'in place of 29 February, which 2026 does not have',
    ]);
  });

  it('an occurrence on 28 February is not described as a replacement for 29 February if the rule itself names 28 February', () => {
    expect(remarks({ rule: { rrule: 'DTSTART:20240228T090000Z\nRRULE:FREQ=YEARLY' } }, 1)).toEqual([null]);
    expect(remarks({ rule: { cron: '0 9 28 2 *' }, leapDay: 'feb28' }, 1)).toEqual([null]);
  });

  it('excludedOccurrences lists the instants that exclusions remove, and none if onExcluded moves them', () => {
    const timing = timingOf({ rule: { cron: '0 9 * * *' }, exclusions: ['2026-01-02', '2026-01-09'] });
    const until = { afterAt: FROM, untilAt: Date.parse('2026-01-04T09:00:00Z'), limit: 12 };
    expect(excludedOccurrences(timing, until).map((at) => new Date(at).toISOString())).toEqual([
      '2026-01-02T09:00:00.000Z',
    ]);
    expect(excludedOccurrences({ ...timing, onExcluded: 'next' }, until)).toEqual([]);
  });

  it('excludedOccurrences lists only excluded instants, and stops at the limit-th occurrence', () => {
    const timing = timingOf({ rule: { cron: '0 9 * * *' }, exclusions: ['2026-01-02', '2026-01-09'] });
    const range = { afterAt: FROM, untilAt: Date.parse('2026-02-01T09:00:00Z'), limit: 3 };
    expect(excludedOccurrences(timing, range).map((at) => new Date(at).toISOString())).toEqual([
      '2026-01-02T09:00:00.000Z',
    ]);
  });
});
