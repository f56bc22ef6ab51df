import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countOccurrences, lastOccurrence, nextOccurrence, nextOccurrences } from '../occurrences.js';
import { parseTiming, type TimingInput } from '../parse-timing.js';
import type { Timing } from '../timing.js';
import { describeRule } from '../words/describe-rule.js';
import { occurrenceRemark } from '../words/occurrence-remark.js';

const anchorAt = Date.UTC(2026, 0, 1);
const calendars = new Map([
  ['weekends', ['SA', 'SU']],
  ['us', ['SA', 'SU', '2026-01-01', '2026-07-03', '2026-11-26', '2026-12-25', '2027-01-01']],
]);

function timingOf(input: TimingInput): Timing {
  const result = parseTiming(input, { anchorAt, calendars });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.timing;
}
const problemsOf = (input: TimingInput) => {
  const result = parseTiming(input, { anchorAt, calendars });
  return result.ok ? [] : result.problems;
};
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString().slice(0, 16));
const listOf = (timing: Timing, from: string, limit: number) =>
  nextOccurrences(timing, Date.parse(from), limit).map(iso);

const first = { rule: { cron: '0 9 1 * *' }, calendars: ['us'] };

describe('occurrences on excluded days', () => {
  it('onExcluded skip: an occurrence on an excluded day does not fire', () => {
    expect(listOf(timingOf(first), '2026-01-15T00:00Z', 2)).toEqual(['2026-04-01T09:00', '2026-05-01T09:00']);
  });

  it('onExcluded next: an occurrence on a weekend or holiday moves to the next business day at the same local time', () => {
    const timing = timingOf({ ...first, onExcluded: 'next' });
    expect(listOf(timing, '2026-01-15T00:00Z', 4)).toEqual([
      '2026-02-02T09:00',
      '2026-03-02T09:00',
      '2026-04-01T09:00',
      '2026-05-01T09:00',
    ]);
    expect(listOf(timing, '2026-12-15T00:00Z', 1)).toEqual(['2027-01-04T09:00']);
  });

  it('onExcluded previous: an occurrence on a weekend or holiday moves to the business day before', () => {
    const timing = timingOf({ ...first, onExcluded: 'previous' });
    expect(listOf(timing, '2026-01-15T00:00Z', 2)).toEqual(['2026-01-30T09:00', '2026-02-27T09:00']);
    expect(listOf(timing, '2026-12-15T00:00Z', 1)).toEqual(['2026-12-31T09:00']);
  });

  it('if an occurrence moves to the instant of another occurrence, the rule fires once at that instant', () => {
    const timing = timingOf({ rule: { cron: '0 9 * * *' }, calendars: ['us'], onExcluded: 'next' });
    expect(listOf(timing, '2026-07-02T00:00Z', 3)).toEqual([
      '2026-07-02T09:00',
      '2026-07-06T09:00',
      '2026-07-07T09:00',
    ]);
    expect(countOccurrences(timing, Date.parse('2026-07-02T00:00Z'), Date.parse('2026-07-07T23:00Z'))).toBe(
      3,
    );
  });

  it('an occurrence that moves to a business day keeps its local time across a clock change', () => {
    const timing = timingOf({
      rule: { cron: '0 9 28 3 *' },
      timezone: 'Europe/Berlin',
      calendars: ['weekends'],
      onExcluded: 'next',
    });
    // 28 March 2026 is a Saturday in winter time. The Monday after it is in summer time.
    expect(listOf(timing, '2026-03-01T00:00Z', 1)).toEqual(['2026-03-30T07:00']);
  });

  it('onExcluded next: a one-shot schedule on an excluded day moves to the next business day', () => {
    const at = timingOf({ rule: { at: '2026-12-25T09:00:00Z' }, calendars: ['us'], onExcluded: 'next' });
    expect(iso(nextOccurrence(at, anchorAt))).toBe('2026-12-28T09:00');
  });

  it('an occurrence on an excluded day does not fire if no business day lies within 31 days in the direction of onExcluded', () => {
    const closed = { rule: { cron: '0 9 1 * *' }, exclusions: ['2026-02-01/2026-04-30'] };
    expect(listOf(timingOf({ ...closed, onExcluded: 'next' }), '2026-01-15T00:00Z', 1)).toEqual([
      '2026-05-01T09:00',
    ]);
    expect(listOf(timingOf({ ...closed, onExcluded: 'previous' }), '2026-01-15T00:00Z', 2)).toEqual([
      '2026-01-31T09:00',
      '2026-05-01T09:00',
    ]);
  });

  it('an occurrence on an excluded day does not fire if it would move outside the range from startAt to endAt', () => {
    const bounded = timingOf({
      ...first,
      onExcluded: 'next',
      endAt: '2026-02-01T12:00:00Z',
      startAt: '2026-01-01T00:00:00Z',
    });
    expect(listOf(bounded, '2025-12-31T00:00Z', 5)).toEqual(['2026-01-02T09:00']);
  });

  it('the remark on an occurrence that moved to a business day names the day from which it moved', () => {
    const timing = timingOf({ ...first, onExcluded: 'next' });
    expect(occurrenceRemark(timing, Date.parse('2026-02-02T09:00Z'))).toBe(
      'moved from 2026-02-01, which is excluded',
    );
    expect(occurrenceRemark(timing, Date.parse('2026-04-01T09:00Z'))).toBeNull();
    expect(describeRule(timing)).toMatch(/, moved to the next business day if excluded$/);
  });

  it('onExcluded next: a rule that fires more than 24 times a day is refused', () => {
    const problem = [expect.objectContaining({ field: 'onExcluded' })];
    for (const rule of [{ every: 'PT30M' }, { cron: '*/5 * * * *' }, { rrule: 'FREQ=MINUTELY' }])
      expect(problemsOf({ rule, calendars: ['us'], onExcluded: 'next' })).toEqual(problem);
    expect(problemsOf({ rule: { cron: '0 * * * *' }, calendars: ['us'], onExcluded: 'next' })).toEqual([]);
  });
});

describe('business days of a month', () => {
  const daily = { rule: { cron: '0 9 * * *' }, calendars: ['us'] };

  it('a rule with businessDays 3 fires only on the third business day of each month', () => {
    const third = timingOf({ ...daily, businessDays: [3] });
    // 1 January is a holiday, so the third business day is the 6th.
    expect(listOf(third, '2026-01-01T00:00Z', 3)).toEqual([
      '2026-01-06T09:00',
      '2026-02-04T09:00',
      '2026-03-04T09:00',
    ]);
    expect(describeRule(third)).toMatch(/, only on the 3rd business day of a month$/);
  });

  it('a rule with businessDays -1 and 1 fires on the last and on the first business day of each month', () => {
    const last = timingOf({ ...daily, businessDays: [-1, 1] });
    expect(listOf(last, '2026-01-20T00:00Z', 3)).toEqual([
      '2026-01-30T09:00',
      '2026-02-02T09:00',
      '2026-02-27T09:00',
    ]);
  });

  it('businessDays is refused without a calendar, and with a number that no month can have', () => {
    expect(problemsOf({ rule: { cron: '0 9 * * *' }, businessDays: [3] })).toMatchObject([
      { field: 'businessDays' },
    ]);
    expect(problemsOf({ ...daily, businessDays: [0] })).toMatchObject([{ field: 'businessDays' }]);
    expect(problemsOf({ ...daily, businessDays: [31] })).toMatchObject([{ field: 'rule.cron' }]);
  });
});

describe('laws of moved occurrences', () => {
  const inputs = fc.record({
    rule: fc.constantFrom(
      { cron: '30 2 * * *' },
      { cron: '0 9,17 1,15 * *' },
      { cron: '30 1,2,3 * * 6,0' },
      { every: 'PT7H' },
      { every: 'PT36H30.25S' },
      { rrule: 'FREQ=WEEKLY;BYDAY=FR,SA,MO;BYHOUR=1,2,23;BYMINUTE=30' },
    ),
    timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/Havana', 'Australia/Lord_Howe', 'Asia/Amman'),
    calendars: fc.constantFrom(['weekends'], ['us']),
    exclusions: fc.constantFrom<string[]>([], ['2026-03-27/2026-03-30', '2026-10-24/2026-12-04']),
    onExcluded: fc.constantFrom('skip' as const, 'next' as const, 'previous' as const),
    businessDays: fc.constantFrom<number[]>([], [], [1, -1], [4]),
    dst: fc.record({
      gap: fc.constantFrom('shift' as const, 'skip' as const),
      overlap: fc.constantFrom('first' as const, 'second' as const, 'both' as const),
    }),
  });
  const instants = fc.integer({ min: Date.UTC(2026, 1, 1), max: Date.UTC(2027, 1, 1) });

  it('nextOccurrence, countOccurrences and lastOccurrence agree if occurrences move to business days', () => {
    fc.assert(
      fc.property(
        inputs,
        instants,
        fc.integer({ min: 0, max: 90 * 86_400_000 }),
        (input, fromAt, lengthMs) => {
          fc.pre(problemsOf(input).length === 0);
          const timing = timingOf(input);
          const untilAt = fromAt + lengthMs;
          const walked: number[] = [];
          for (
            let at = nextOccurrence(timing, fromAt);
            at !== null && at <= untilAt;
            at = nextOccurrence(timing, at)
          ) {
            expect(at).toBeGreaterThan(walked.at(-1) ?? fromAt);
            walked.push(at);
          }
          expect(countOccurrences(timing, fromAt, untilAt)).toBe(walked.length);
          expect(lastOccurrence(timing, fromAt, untilAt)).toBe(walked.at(-1) ?? null);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('occurrences on excluded days move to the same business days that a simple day-by-day search finds', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const direction = input.onExcluded === 'skip' ? 'next' : input.onExcluded;
        const moving = { ...input, onExcluded: direction, businessDays: [], timezone: 'UTC' };
        const timing = timingOf(moving);
        const named = nextOccurrences(timingOf({ rule: input.rule, timezone: 'UTC' }), anchorAt, 400);
        const until = (named.at(-1) ?? 0) - 40 * 86_400_000;
        const expected = new Set(named.flatMap((at) => movedTo(at, timing) ?? []));
        const wanted = [...expected].filter((at) => at > anchorAt && at <= until).sort((a, b) => a - b);
        expect(nextOccurrences(timing, anchorAt, wanted.length)).toEqual(wanted);
      }),
    );
  });
});

const DAY_MS = 86_400_000;

/** Moves an instant day by day, in UTC. Returns null if all days within 31 days are excluded. */
function movedTo(at: number, { exclusions, calendars: lists, onExcluded }: Timing): number | null {
  const entries = [...exclusions, ...Object.values(lists).flat()];
  const isExcluded = (dayAt: number) => {
    const date = new Date(dayAt).toISOString().slice(0, 10);
    const weekday = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'][new Date(dayAt).getUTCDay()];
    return entries.some((entry) => {
      const [from = '', to = from] = entry.split('/');
      return entry === weekday || (from <= date && date <= to);
    });
  };
  for (let days = 0; days <= 31; days++) {
    const target = at + (onExcluded === 'next' ? days : -days) * DAY_MS;
    if (!isExcluded(target)) return target;
  }
  return null;
}
