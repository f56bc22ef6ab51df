import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localTime } from './calendar/wall-time.js';
import {
  countOccurrences,
  firstOccurrence,
  lastOccurrence,
  nextOccurrence,
  nextOccurrences,
} from './occurrences.js';
import { UnusableRule } from './parse-result.js';
import { parseTiming, type TimingInput } from './parse-timing.js';
import { type Timing, timingKey } from './timing.js';

const anchorAt = Date.UTC(2026, 0, 15, 12, 0, 0, 250);
const YEAR_MS = 365 * 86_400_000;

function timingOf(input: TimingInput): Timing {
  const result = parseTiming(input, { anchorAt });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.timing;
}

const iso = (list: (number | null)[]) => list.map((at) => new Date(at ?? 0).toISOString());

describe('next occurrence', () => {
  it('nextOccurrence of every kind of rule is strictly after the given instant', () => {
    const rules: TimingInput['rule'][] = [
      { every: 'PT15M' },
      { cron: '*/15 * * * *' },
      { rrule: 'FREQ=MINUTELY;INTERVAL=15' },
      { at: '2026-02-01T00:00:00Z' },
    ];
    for (const rule of rules) {
      const timing = timingOf({ rule });
      const at = nextOccurrence(timing, anchorAt) ?? 0;
      expect(nextOccurrence(timing, at - 1)).toBe(at);
      expect(nextOccurrence(timing, at) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(at);
    }
  });

  it('the first occurrence of an interval rule is one interval after the creation of its schedule', () => {
    const timing = timingOf({ rule: { every: 'PT15M' } });
    expect(iso(nextOccurrences(timing, 0, 2))).toEqual([
      '2026-01-15T12:15:00.250Z',
      '2026-01-15T12:30:00.250Z',
    ]);
  });

  it('an interval rule with startAt has its first occurrence at startAt', () => {
    const timing = timingOf({ rule: { every: 'P1D' }, startAt: '2026-03-01T09:00:00Z' });
    expect(iso(nextOccurrences(timing, 0, 2))).toEqual([
      '2026-03-01T09:00:00.000Z',
      '2026-03-02T09:00:00.000Z',
    ]);
    expect(firstOccurrence(timing)).toBe(Date.UTC(2026, 2, 1, 9));
  });

  it('firstOccurrence of a one-shot rule finds an instant in the past', () => {
    const timing = timingOf({ rule: { at: '2020-01-01T00:00:00Z' } });
    expect(firstOccurrence(timing)).toBe(Date.UTC(2020, 0, 1));
    expect(nextOccurrence(timing, anchorAt)).toBeNull();
  });

  it('a rule `in` with 90 s fires 90 s after the creation of its schedule', () => {
    expect(nextOccurrence(timingOf({ rule: { in: 'PT90S' } }), anchorAt)).toBe(anchorAt + 90_000);
  });

  it('nextOccurrence accepts any number as the given instant, even infinity and fractions', () => {
    const timing = timingOf({ rule: { cron: '0 9 * * *' } });
    expect(nextOccurrence(timing, Number.NEGATIVE_INFINITY)).toBe(Date.UTC(1900, 0, 1, 9));
    expect(nextOccurrence(timing, Number.POSITIVE_INFINITY)).toBeNull();
    expect(nextOccurrence(timing, 0.5)).toBe(Date.UTC(1970, 0, 1, 9));
  });

  it('nextOccurrence throws UnusableRule for a stored timing that can no longer be evaluated', () => {
    const timing = timingOf({ rule: { cron: '0 9 * * *' } });
    expect(() => nextOccurrence({ ...timing, timezone: 'Mars/Base' }, 0)).toThrow(UnusableRule);
    expect(() => nextOccurrence({ ...timing, rule: { kind: 'cron', cron: 'x' } }, 0)).toThrow(UnusableRule);
  });
});

describe('startAt and endAt', () => {
  it('an occurrence exactly at startAt or at endAt fires', () => {
    const timing = timingOf({
      rule: { cron: '0 9 * * *' },
      startAt: '2026-03-01T09:00:00Z',
      endAt: '2026-03-03T09:00:00Z',
    });
    expect(iso(nextOccurrences(timing, 0, 9))).toEqual([
      '2026-03-01T09:00:00.000Z',
      '2026-03-02T09:00:00.000Z',
      '2026-03-03T09:00:00.000Z',
    ]);
    expect(countOccurrences(timing, 0, anchorAt + YEAR_MS)).toBe(3);
  });

  it('COUNT of an RRULE also counts the instances before startAt', () => {
    const rrule = 'DTSTART:20260201T090000\nRRULE:FREQ=DAILY;COUNT=5';
    const timing = timingOf({ rule: { rrule }, startAt: '2026-02-04T00:00:00Z' });
    expect(iso(nextOccurrences(timing, 0, 9))).toEqual([
      '2026-02-04T09:00:00.000Z',
      '2026-02-05T09:00:00.000Z',
    ]);
  });
});

describe('exclusions', () => {
  it('exclusions remove the occurrences on the listed local dates, including both ends of a range', () => {
    const timing = timingOf({
      rule: { cron: '0 9 * * *' },
      timezone: 'Asia/Tokyo',
      exclusions: ['2026-02-02', '2026-02-04/2026-02-06'],
    });
    const instants = nextOccurrences(timing, Date.UTC(2026, 0, 31, 3), 4);
    expect(instants.map((at) => localTime(at, 'Asia/Tokyo').slice(5, 16))).toEqual([
      '02-01T09:00',
      '02-03T09:00',
      '02-07T09:00',
      '02-08T09:00',
    ]);
    expect(countOccurrences(timing, Date.UTC(2026, 0, 31, 3), Date.UTC(2026, 1, 8))).toBe(4);
  });

  it('an exclusion ends at local midnight, even if the clocks change during it', () => {
    const rule = { cron: '30 0 * * *' };
    const spring = timingOf({ rule, timezone: 'Europe/Berlin', exclusions: ['2026-03-28/2026-03-30'] });
    expect(iso(nextOccurrences(spring, Date.UTC(2026, 2, 27), 2))).toEqual([
      '2026-03-30T22:30:00.000Z',
      '2026-03-31T22:30:00.000Z',
    ]);
    const autumn = timingOf({ rule, timezone: 'Europe/Berlin', exclusions: ['2026-10-24/2026-10-26'] });
    expect(nextOccurrence(autumn, Date.UTC(2026, 9, 23))).toBe(Date.UTC(2026, 9, 26, 23, 30));
    expect(countOccurrences(autumn, Date.UTC(2026, 9, 23), Date.UTC(2026, 9, 27))).toBe(1);
  });

  it('overlapping exclusions exclude all days that any of them names', () => {
    const exclusions = ['2026-02-01/2026-02-20', '2026-02-03', '2026-02-18/2026-02-22'];
    const timing = timingOf({ rule: { cron: '0 9 * * *' }, exclusions });
    expect(nextOccurrence(timing, Date.UTC(2026, 1, 1))).toBe(Date.UTC(2026, 1, 23, 9));
    expect(countOccurrences(timing, Date.UTC(2026, 0, 31), Date.UTC(2026, 1, 28))).toBe(6);
  });

  it('exclusions also apply to intervals, to RDATE and to one-shots', () => {
    const exclusions = ['2026-01-16'];
    const every = timingOf({ rule: { every: 'PT12H' }, exclusions });
    expect(iso(nextOccurrences(every, anchorAt, 2))).toEqual([
      '2026-01-17T00:00:00.250Z',
      '2026-01-17T12:00:00.250Z',
    ]);
    const dated = timingOf({ rule: { rrule: 'RDATE:20260116T090000,20260118T090000' }, exclusions });
    expect(iso(nextOccurrences(dated, anchorAt, 2))).toEqual(['2026-01-18T09:00:00.000Z']);
    const once = parseTiming({ rule: { at: '2026-01-16T09:00:00Z' }, exclusions }, { anchorAt });
    expect(once.ok).toBe(false);
  });
});

describe('counting occurrences', () => {
  it.each([
    ['a cron rule that fires every second', { cron: '* * * * * *' }],
    ['an RRULE that fires every second', { rrule: 'FREQ=SECONDLY' }],
    ['an interval of one second', { every: 'PT1S' }],
  ])('countOccurrences of a year is exact across DST changes for %s', (_name, rule) => {
    const timing = timingOf({ rule, timezone: 'Europe/Berlin' });
    expect(countOccurrences(timing, anchorAt, anchorAt + YEAR_MS)).toBe(YEAR_MS / 1000);
  });

  it('countOccurrences does not count occurrences on excluded local days', () => {
    const timing = timingOf({
      rule: { cron: '* * * * *' },
      timezone: 'Europe/Berlin',
      exclusions: ['2026-03-29'],
    });
    const [fromAt, toAt] = [Date.UTC(2026, 2, 28, 12), Date.UTC(2026, 2, 30, 12)];
    expect(countOccurrences(timing, fromAt, toAt)).toBe(48 * 60 - 23 * 60);
  });

  it('an empty range and a range that ends before it begins have no occurrences', () => {
    const timing = timingOf({ rule: { cron: '* * * * *' } });
    expect(countOccurrences(timing, anchorAt, anchorAt)).toBe(0);
    expect(countOccurrences(timing, anchorAt, 0)).toBe(0);
    expect(lastOccurrence(timing, anchorAt, 0)).toBeNull();
  });

  it('an RRULE with COUNT=100000000 ends at the right instant', () => {
    const timing = timingOf({
      rule: { rrule: 'FREQ=SECONDLY;COUNT=100000000' },
      timezone: 'America/New_York',
    });
    const firstAt = nextOccurrence(timing, 0) ?? 0;
    expect(lastOccurrence(timing, 0, Date.UTC(2100, 0, 1))).toBe(firstAt + (100_000_000 - 1) * 1000);
    expect(countOccurrences(timing, 0, Date.UTC(2100, 0, 1))).toBe(100_000_000);
  });

  const list = (min: number, max: number) =>
    fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map(String);
  const rules: fc.Arbitrary<TimingInput['rule']> = fc.oneof(
    fc.tuple(list(0, 59), list(0, 59), list(0, 23)).map(([s, m, h]) => ({ cron: `${s} ${m} ${h} * * *` })),
    fc
      .tuple(list(0, 59), list(1, 12), list(0, 6))
      .map(([m, month, day]) => ({ cron: `${m} * ? ${month} ${day}` })),
    fc.tuple(fc.integer({ min: 1, max: 90_000 }), list(0, 23)).map(([n, hours]) => ({
      rrule: `FREQ=SECONDLY;INTERVAL=${(n % 10_000) + 1};BYHOUR=${hours}`,
    })),
    fc.tuple(fc.integer({ min: 1, max: 9999 }), list(0, 59)).map(([n, seconds]) => ({
      rrule: `FREQ=MINUTELY;INTERVAL=${n};BYSECOND=${seconds}`,
    })),
    fc.tuple(fc.integer({ min: 1, max: 99 }), list(0, 59)).map(([n, minutes]) => ({
      rrule: `FREQ=HOURLY;INTERVAL=${n};BYMINUTE=${minutes}`,
    })),
    fc.tuple(list(1, 28), list(0, 23)).map(([days, hours]) => ({
      rrule: `FREQ=MONTHLY;BYMONTHDAY=${days};BYHOUR=${hours};BYSETPOS=1,-1\nEXDATE;VALUE=DATE:20260201`,
    })),
    fc.integer({ min: 1, max: 200 }).map((count) => ({ rrule: `FREQ=HOURLY;INTERVAL=7;COUNT=${count}` })),
    fc.integer({ min: 1000, max: 90_000_000 }).map((ms) => ({ every: `PT${ms / 1000}S` })),
  );
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Havana', 'Australia/Lord_Howe');
  const windows = fc.tuple(
    fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
    fc.integer({ min: 1, max: 30 * 86_400_000 }),
  );

  it('countOccurrences and lastOccurrence of random rules agree with a list of their occurrences', () => {
    fc.assert(
      fc.property(rules, zones, windows, fc.boolean(), (rule, timezone, [fromAt, lengthMs], excluded) => {
        const exclusions = excluded ? ['2026-03-29', '2026-06-01/2026-06-14', '2026-10-25'] : [];
        const result = parseTiming({ rule, timezone, exclusions }, { anchorAt });
        fc.pre(result.ok);
        if (!result.ok) return;
        const stepped = nextOccurrences(result.timing, fromAt, 3000);
        const untilAt =
          stepped.length < 3000 ? fromAt + lengthMs : Math.min(fromAt + lengthMs, stepped[2999] ?? 0);
        const inside = stepped.filter((at) => at <= untilAt);
        expect(countOccurrences(result.timing, fromAt, untilAt)).toBe(inside.length);
        expect(lastOccurrence(result.timing, fromAt, untilAt)).toBe(inside.at(-1) ?? null);
      }),
      { numRuns: 400 },
    );
  }, 30_000);
});

describe('FREQ=SECONDLY', () => {
  it('FREQ=SECONDLY fires at exactly the seconds that INTERVAL and the BY parts allow', () => {
    const cases = fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 0, max: 86_399 }));
    fc.assert(
      fc.property(cases, fc.boolean(), ([interval, startSecond], narrow) => {
        const startSec = Date.UTC(2026, 0, 1) / 1000 + startSecond;
        const stamp = new Date(startSec * 1000).toISOString().replace(/[-:]|\.000/g, '');
        const by = narrow ? ';BYMINUTE=0,1,30,59;BYSECOND=0,7,30' : '';
        const rrule = `DTSTART:${stamp}\nRRULE:FREQ=SECONDLY;INTERVAL=${interval}${by}`;
        const result = parseTiming({ rule: { rrule } }, { anchorAt });
        const fromSec = Date.UTC(2026, 0, 20, 23) / 1000;
        const expected: number[] = [];
        for (let sec = fromSec + 1; sec <= fromSec + 7200; sec++) {
          const [minute, second] = [Math.floor(sec / 60) % 60, sec % 60];
          const isAllowed = !narrow || ([0, 1, 30, 59].includes(minute) && [0, 7, 30].includes(second));
          if (isAllowed && (sec - startSec) % interval === 0) expected.push(sec * 1000);
        }
        const untilAt = (fromSec + 7200) * 1000;
        // A rule whose INTERVAL and BY parts never meet is refused.
        expect(result.ok || expected.length === 0).toBe(true);
        if (!result.ok) return;
        expect(nextOccurrences(result.timing, fromSec * 1000, expected.length)).toEqual(expected);
        expect(countOccurrences(result.timing, fromSec * 1000, untilAt)).toBe(expected.length);
      }),
      { numRuns: 100 },
    );
  });
});

describe('timing key', () => {
  it('schedules with the same cron pattern share a cache key (timingKey), even if they were created at different times', () => {
    const made = (at: number) => {
      const result = parseTiming({ rule: { cron: '0 9 * * *' } }, { anchorAt: at });
      return result.ok ? timingKey(result.timing) : '';
    };
    expect(made(anchorAt)).toBe(made(anchorAt + 5000));
  });

  it('timings that differ in any field have different cache keys (timingKey)', () => {
    const timing = timingOf({ rule: { rrule: 'FREQ=DAILY' } });
    const variants: Partial<Timing>[] = [
      {},
      { anchorAt: anchorAt + 1 },
      { timezone: 'Europe/Berlin' },
      { startAt: 1 },
      { endAt: 1 },
      { dst: { gap: 'skip', overlap: 'first' } },
      { dst: { gap: 'shift', overlap: 'both' } },
      { leapDay: 'skip' },
      { exclusions: ['2026-01-01'] },
      { rule: { kind: 'rrule', rrule: 'FREQ=WEEKLY' } },
      { rule: { kind: 'every', everyMs: 1000 } },
    ];
    expect(new Set(variants.map((change) => timingKey({ ...timing, ...change }))).size).toBe(variants.length);
  });

  it('a timing that is stored as JSON and read back keeps its cache key (timingKey)', () => {
    const timing = timingOf({
      rule: { cron: '0 9 * * *' },
      timezone: 'Europe/Berlin',
      exclusions: ['2026-12-24'],
    });
    const stored = JSON.parse(JSON.stringify(timing)) as Timing;
    expect(stored).toEqual(timing);
    expect(timingKey(stored)).toBe(timingKey(timing));
  });
});

describe('settled occurrences', () => {
  const parsed = parseTiming({ rule: { cron: '0 9 * * *' } }, { anchorAt: 0 });
  if (!parsed.ok) throw new Error('the test has an invalid rule');
  const settled = { ...parsed.timing, settledAts: [Date.parse('2026-01-02T09:00:00Z')] };

  it('nextOccurrences leaves out an occurrence that was skipped or rescheduled to an earlier time', () => {
    expect(nextOccurrences(settled, Date.parse('2026-01-01T00:00:00Z'), 2)).toEqual([
      Date.parse('2026-01-01T09:00:00Z'),
      Date.parse('2026-01-03T09:00:00Z'),
    ]);
  });

  it('countOccurrences leaves out an occurrence that was skipped or rescheduled to an earlier time', () => {
    const [from, to] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2026-01-05T00:00:00Z')];
    expect(countOccurrences(settled, from, to)).toBe(3);
  });

  it('an instant in settledAts that is no occurrence of the rule does not change the result of countOccurrences', () => {
    const other = { ...parsed.timing, settledAts: [Date.parse('2026-01-02T10:00:00Z')] };
    const [from, to] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2026-01-05T00:00:00Z')];
    expect(countOccurrences(other, from, to)).toBe(4);
  });

  it('a one-shot that was skipped or brought forward ahead of its time has no occurrence left', () => {
    const at = Date.parse('2026-01-02T09:00:00Z');
    const once = { ...settled, rule: { kind: 'at', at, wallTime: null } as const };
    expect(nextOccurrence(once, at - 1)).toBeNull();
  });
});
