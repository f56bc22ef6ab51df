import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compileTiming } from './compile-timing.js';
import {
  countOccurrences,
  lastOccurrence,
  nextOccurrence,
  nextOccurrences,
  occurrencesWithin,
} from './occurrences.js';
import { parseTiming, type TimingInput } from './parse-timing.js';
import type { Timing } from './timing.js';

const anchorAt = Date.UTC(2026, 0, 15, 12, 0, 0, 250);

const values = (min: number, max: number) =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map(String);
const weekdays = fc.subarray(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], { minLength: 1 }).map(String);

const rules: fc.Arbitrary<TimingInput['rule']> = fc.oneof(
  fc.integer({ min: 1000, max: 500_000_000 }).map((ms) => ({ every: `PT${ms / 1000}S` })),
  fc.tuple(values(0, 59), values(0, 23)).map(([minutes, hours]) => ({ cron: `${minutes} ${hours} * * *` })),
  fc.tuple(values(0, 59), values(1, 31), values(0, 6)).map(([m, day, weekday]) => ({
    cron: `${m} * ${day} * ${weekday}`,
  })),
  fc.tuple(fc.integer({ min: 1, max: 9 }), weekdays).map(([n, days]) => ({
    rrule: `FREQ=WEEKLY;INTERVAL=${n};BYDAY=${days}`,
  })),
  fc.tuple(fc.constantFrom(1, 2, -1), weekdays).map(([n, days]) => ({
    rrule: `FREQ=MONTHLY;BYDAY=${days};BYHOUR=2,9;BYSETPOS=${n}`,
  })),
  fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 500 })).map(([n, count]) => ({
    rrule: `FREQ=MINUTELY;INTERVAL=${n};COUNT=${count}`,
  })),
  fc.tuple(fc.integer({ min: 1, max: 3 }), values(1, 53)).map(([n, weeks]) => ({
    rrule: `FREQ=YEARLY;INTERVAL=${n};BYWEEKNO=${weeks};BYDAY=MO,SU`,
  })),
);

const inputs = fc.record({
  rule: rules,
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/Havana', 'Australia/Lord_Howe', 'Asia/Gaza'),
  dst: fc.record({
    gap: fc.constantFrom('shift' as const, 'skip' as const),
    overlap: fc.constantFrom('first' as const, 'second' as const, 'both' as const),
  }),
  exclusions: fc.constantFrom<string[]>([], ['2026-03-29', '2026-06-01/2026-06-14']),
});
const instants = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2042, 0, 1) });

/** Parses an input. A random rule that never fires is skipped. */
function timingOf(input: TimingInput): Timing {
  const result = parseTiming(input, { anchorAt });
  fc.pre(result.ok);
  if (!result.ok) throw new Error('unreachable');
  return result.timing;
}

describe('laws of occurrences', () => {
  it('nextOccurrence of any rule is strictly after the given instant, and no other occurrence lies between them', () => {
    fc.assert(
      fc.property(inputs, instants, (input, afterAt) => {
        const timing = timingOf(input);
        const at = nextOccurrence(timing, afterAt);
        if (at === null) return;
        expect(at).toBeGreaterThan(afterAt);
        expect(nextOccurrence(timing, at - 1)).toBe(at);
        expect(countOccurrences(timing, afterAt, at)).toBe(1);
      }),
      { numRuns: 300 },
    );
  });

  it('nextOccurrences of any rule gives the same instants as repeated calls of nextOccurrence', () => {
    fc.assert(
      fc.property(inputs, instants, (input, afterAt) => {
        const timing = timingOf(input);
        const repeated: number[] = [];
        for (
          let at = nextOccurrence(timing, afterAt);
          at !== null && repeated.length < 25;
          at = nextOccurrence(timing, at)
        ) {
          repeated.push(at);
        }
        expect(nextOccurrences(timing, afterAt, 25)).toEqual(repeated);
      }),
      { numRuns: 200 },
    );
  });

  it('countOccurrences of any rule agrees with a list of its occurrences, and counts of adjacent ranges add up', () => {
    fc.assert(
      fc.property(inputs, instants, fc.integer({ min: 0, max: 25 }), (input, afterAt, split) => {
        const timing = timingOf(input);
        const listed = nextOccurrences(timing, afterAt, 25);
        const untilAt = listed.at(-1) ?? afterAt;
        const middleAt = listed[split] ?? afterAt;
        expect(countOccurrences(timing, afterAt, untilAt)).toBe(listed.length);
        expect(
          countOccurrences(timing, afterAt, middleAt) + countOccurrences(timing, middleAt, untilAt),
        ).toBe(listed.length);
      }),
      { numRuns: 200 },
    );
  });

  it('occurrencesWithin of any rule gives the occurrences up to the end of the range, at most as many as the limit', () => {
    fc.assert(
      fc.property(
        inputs,
        instants,
        fc.nat({ max: 25 }),
        fc.nat({ max: 25 }),
        (input, afterAt, last, limit) => {
          const timing = timingOf(input);
          const listed = nextOccurrences(timing, afterAt, 25);
          const untilAt = listed[last] ?? afterAt;
          const inside = listed.filter((at) => at <= untilAt);
          expect(occurrencesWithin(timing, { afterAt, untilAt, limit })).toEqual(inside.slice(0, limit));
          expect(occurrencesWithin(timing, { afterAt, untilAt: untilAt - 1, limit: 26 })).toEqual(
            inside.filter((at) => at < untilAt),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('lastOccurrence of any rule in a range is the last item in the list of its occurrences in that range', () => {
    fc.assert(
      fc.property(inputs, instants, fc.nat({ max: 10_000_000 }), (input, afterAt, extraMs) => {
        const timing = timingOf(input);
        const listed = nextOccurrences(timing, afterAt, 25);
        const untilAt = (listed[20] ?? listed.at(-1) ?? afterAt) + extraMs;
        const inside = listed.filter((at) => at <= untilAt);
        fc.pre(inside.length < 25);
        expect(lastOccurrence(timing, afterAt, untilAt)).toBe(inside.at(-1) ?? null);
      }),
      { numRuns: 200 },
    );
  });
});

describe('host time zone', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('the occurrences of any rule do not depend on the time zone of the host', () => {
    fc.assert(
      fc.property(inputs, instants, (input, afterAt) => {
        const timing = timingOf(input);
        const answers = ['UTC', 'Pacific/Apia', 'America/New_York'].map((hostZone) => {
          vi.stubEnv('TZ', hostZone);
          // The rule is compiled again for each host time zone, so that no cached result hides a difference.
          return compileTiming(timing).instants.next(afterAt, Date.UTC(2199, 11, 31));
        });
        expect(new Set(answers).size).toBe(1);
      }),
      { numRuns: 100 },
    );
  });
});
