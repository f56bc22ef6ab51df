import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countOccurrences, lastOccurrence, nextOccurrence, nextOccurrences } from '../occurrences.js';
import { parseTiming, type TimingInput } from '../parse-timing.js';
import type { DstPolicy, Timing } from '../timing.js';

// The expected instants come from an oracle that shares no code with the engine: it walks through the minutes and asks
// Intl for the local time of each.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WALK_DAYS = 3;

const ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'America/Havana',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Antarctica/Troll',
  'America/Nuuk',
] as const;

const formats = new Map(
  ZONES.map((zone) => [
    zone as string,
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    }),
  ]),
);

/** The local time at an instant, in minutes since 1970 on the local clock. */
function shownAt(zone: string, at: number): number {
  const [day = 0, month = 0, year = 0, hour = 0, minute = 0] = (formats.get(zone)?.format(at) ?? '')
    .split(/\D+/)
    .map(Number);
  return Date.UTC(year, month - 1, day, hour, minute) / MINUTE_MS;
}

interface Walk {
  fromAt: number;
  /** The local time at each minute from `fromAt` on. */
  shown: number[];
}

const walks = new Map<string, Walk>();

function walk(zone: string, fromAt: number): Walk {
  const key = `${zone} ${fromAt}`;
  const known = walks.get(key);
  if (known) return known;
  const made = {
    fromAt,
    shown: Array.from({ length: WALK_DAYS * 1440 + 1 }, (_, i) => shownAt(zone, fromAt + i * MINUTE_MS)),
  };
  walks.set(key, made);
  return made;
}

/** The instants of a walk at which a rule fires, computed directly from the definition of each policy. */
function firesDuring(
  { fromAt, shown }: Walk,
  matches: (shown: number) => boolean,
  policy: DstPolicy,
): number[] {
  const fires = new Set<number>();
  shown.forEach((minute, i) => {
    const at = fromAt + i * MINUTE_MS;
    if (matches(minute)) {
      const repeatsEarlier = shown.indexOf(minute) < i;
      const repeatsLater = shown.lastIndexOf(minute) > i;
      const counts =
        policy.overlap === 'both' || (policy.overlap === 'first' ? !repeatsEarlier : !repeatsLater);
      if (counts) fires.add(at);
    }
    const before = shown[i - 1];
    for (let missing = (before ?? minute) + 1; policy.gap === 'shift' && missing < minute; missing++) {
      if (matches(missing)) fires.add(at);
    }
  });
  return [...fires].sort((a, b) => a - b);
}

/** The days on which each time zone changes its clocks, found with Intl. */
const changesOf = new Map(
  ZONES.map((zone) => {
    const changes: number[] = [];
    for (let at = Date.UTC(2020, 0, 1); at < Date.UTC(2041, 0, 1); at += DAY_MS) {
      if (shownAt(zone, at + DAY_MS) - shownAt(zone, at) !== 1440) changes.push(at);
    }
    return [zone as string, changes];
  }),
);

const EVERY_HOUR_POLICY: DstPolicy = { gap: 'skip', overlap: 'both' };
const policies = fc.record({
  gap: fc.constantFrom('shift' as const, 'skip' as const),
  overlap: fc.constantFrom('first' as const, 'second' as const, 'both' as const),
});
const anyDay = fc.integer({ min: Date.UTC(2020, 0, 2) / DAY_MS, max: Date.UTC(2040, 11, 20) / DAY_MS });

/** A zone and a day; three times out of four it is the day before a DST change. */
const places = fc
  .tuple(fc.constantFrom(...ZONES), fc.nat(), anyDay, fc.integer({ min: 0, max: 3 }))
  .map(([zone, pick, day, dice]) => {
    const changes = changesOf.get(zone) ?? [];
    const change = changes[pick % Math.max(1, changes.length)];
    return { zone, fromAt: (change === undefined || dice === 0 ? day * DAY_MS : change) - DAY_MS };
  });

function timingOf(input: TimingInput): Timing {
  const result = parseTiming(input, { anchorAt: Date.UTC(2019, 11, 1) });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.timing;
}

function expectSameFires(timing: Timing, walked: Walk, expected: number[]) {
  // Half a day at either end is left out, because the walk cannot tell there whether a time is repeated or skipped.
  const afterAt = walked.fromAt + DAY_MS / 2;
  const untilAt = walked.fromAt + (walked.shown.length - 1) * MINUTE_MS - DAY_MS / 2;
  const inside = expected.filter((at) => at > afterAt && at <= untilAt);
  const instants: number[] = [];
  for (
    let at = nextOccurrence(timing, afterAt);
    at !== null && at <= untilAt;
    at = nextOccurrence(timing, at)
  ) {
    instants.push(at);
  }
  const iso = (list: number[]) => list.map((at) => new Date(at).toISOString());
  expect(iso(instants)).toEqual(iso(inside));
  expect(nextOccurrences(timing, afterAt, inside.length)).toEqual(inside);
  expect(countOccurrences(timing, afterAt, untilAt)).toBe(inside.length);
  expect(lastOccurrence(timing, afterAt, untilAt)).toBe(inside.at(-1) ?? null);
}

const some = (min: number, max: number, maxLength: number) =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength });
const hourChoices = fc.oneof(
  some(0, 23, 2),
  some(0, 4, 3),
  fc.constant(Array.from({ length: 24 }, (_, hour) => hour)),
);

describe('cron through DST changes', () => {
  it('cron fires at exactly the minutes that a minute-by-minute search finds, in any zone and year and with any DST policy', () => {
    fc.assert(
      fc.property(places, policies, some(0, 59, 4), hourChoices, ({ zone, fromAt }, dst, minutes, hours) => {
        const timing = timingOf({ rule: { cron: `${minutes} ${hours} * * *` }, timezone: zone, dst });
        const walked = walk(zone, fromAt);
        const matches = (shown: number) =>
          minutes.includes(shown % 60) && hours.includes(Math.floor(shown / 60) % 24);
        const policy = hours.length === 24 ? EVERY_HOUR_POLICY : dst;
        expectSameFires(timing, walked, firesDuring(walked, matches, policy));
      }),
      { numRuns: 300 },
    );
  }, 30_000);

  it('cron fires only on dates that match its pattern, even around DST changes', () => {
    const dates = fc.record({ days: some(1, 31, 8), weekdays: some(0, 6, 3), either: fc.boolean() });
    fc.assert(
      fc.property(places, policies, dates, some(0, 3, 2), ({ zone, fromAt }, dst, date, hours) => {
        const { days, weekdays, either } = date;
        const cron = either ? `30 ${hours} ${days} * ${weekdays}` : `30 ${hours} * * ${weekdays}`;
        const timing = timingOf({ rule: { cron }, timezone: zone, dst });
        const walked = walk(zone, fromAt);
        const matches = (shown: number) => {
          const clock = new Date(shown * MINUTE_MS);
          const byDate = either && days.includes(clock.getUTCDate());
          const onDay = byDate || weekdays.includes(clock.getUTCDay());
          return onDay && clock.getUTCMinutes() === 30 && hours.includes(clock.getUTCHours());
        };
        expectSameFires(timing, walked, firesDuring(walked, matches, dst));
      }),
      { numRuns: 150 },
    );
  }, 30_000);
});

describe('RRULE through DST changes', () => {
  /**
   * The text of an RRULE. `means` is true if the rule names the local time `shown` when DTSTART is `start` (both in
   * minutes). `isEveryHour` is true if the rule fires in every hour.
   */
  interface Case {
    text: string;
    means: (shown: number, start: number) => boolean;
    isEveryHour: boolean;
  }
  const hourOf = (shown: number) => Math.floor(shown / 60) % 24;
  const cases: fc.Arbitrary<Case> = fc.oneof(
    fc.tuple(fc.integer({ min: 1, max: 3 }), some(0, 4, 3)).map(([interval, hours]) => ({
      text: `FREQ=DAILY;INTERVAL=${interval};BYHOUR=${hours};BYMINUTE=0,30;BYSECOND=0`,
      means: (shown: number, start: number) =>
        (Math.floor(shown / 1440) - Math.floor(start / 1440)) % interval === 0 &&
        hours.includes(hourOf(shown)) &&
        shown % 30 === 0,
      isEveryHour: false,
    })),
    fc.tuple(fc.integer({ min: 1, max: 30 }), some(0, 59, 3)).map(([interval, minutes]) => ({
      text: `FREQ=HOURLY;INTERVAL=${interval};BYMINUTE=${minutes}`,
      means: (shown: number, start: number) =>
        (Math.floor(shown / 60) - Math.floor(start / 60)) % interval === 0 && minutes.includes(shown % 60),
      isEveryHour: interval === 1,
    })),
    fc.integer({ min: 5, max: 200 }).map((interval) => ({
      text: `FREQ=MINUTELY;INTERVAL=${interval}`,
      means: (shown: number, start: number) => (shown - start) % interval === 0,
      isEveryHour: interval <= 60,
    })),
    fc.tuple(fc.integer({ min: 2, max: 50 }), some(0, 5, 4)).map(([interval, hours]) => ({
      text: `FREQ=MINUTELY;INTERVAL=${interval};BYHOUR=${hours}`,
      means: (shown: number, start: number) =>
        (shown - start) % interval === 0 && hours.includes(hourOf(shown)),
      isEveryHour: false,
    })),
  );

  it('an RRULE fires at exactly the minutes that a minute-by-minute search finds, in any zone and year and with any DST policy', () => {
    fc.assert(
      fc.property(places, policies, cases, fc.nat({ max: 1439 }), ({ zone, fromAt }, dst, one, minute) => {
        const walked = walk(zone, fromAt);
        const start = (fromAt - 2 * DAY_MS) / MINUTE_MS + minute;
        const floating = new Date(start * MINUTE_MS).toISOString().replace(/[-:]|\.000Z/g, '');
        const timing = timingOf({
          rule: { rrule: `DTSTART:${floating}\nRRULE:${one.text}` },
          timezone: zone,
          dst,
        });
        const policy = one.isEveryHour ? EVERY_HOUR_POLICY : dst;
        expectSameFires(
          timing,
          walked,
          firesDuring(walked, (shown) => one.means(shown, start), policy),
        );
      }),
      { numRuns: 200 },
    );
  }, 30_000);
});

describe('interval through DST changes', () => {
  it('an interval rule ignores DST: each occurrence is a whole number of intervals after the start', () => {
    fc.assert(
      fc.property(places, fc.integer({ min: 1000, max: 400_000_000 }), ({ zone, fromAt }, everyMs) => {
        const startAt = new Date(fromAt).toISOString();
        const timing: Timing = {
          ...timingOf({ rule: { every: 'PT1S' }, timezone: zone, startAt }),
          rule: { kind: 'every', everyMs },
        };
        const expected = Array.from({ length: 5 }, (_, k) => fromAt + k * everyMs);
        expect(nextOccurrences(timing, fromAt - 1, 5)).toEqual(expected);
        expect(countOccurrences(timing, fromAt - 1, fromAt + 4 * everyMs)).toBe(5);
      }),
    );
  });
});

describe('default DST policy', () => {
  const fires = (input: TimingInput, from: string, limit: number) =>
    nextOccurrences(timingOf(input), Date.parse(from), limit).map((at) =>
      new Date(at).toISOString().slice(5, 16),
    );

  it.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', ['03-29T01:00', '03-30T00:30']],
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['10-25T00:30', '10-26T01:30']],
    ['America/New_York', '*/20 2 * * *', '2026-03-08T04:00Z', ['03-08T07:00', '03-09T06:00']],
    ['Africa/Cairo', '0 0 * * *', '2026-04-23T12:00Z', ['04-23T22:00', '04-24T21:00']],
    ['America/Havana', '0 0 * * *', '2026-03-07T12:00Z', ['03-08T05:00', '03-09T04:00']],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T12:00Z', ['10-03T15:30', '10-04T15:15']],
    ['Antarctica/Troll', '0 1,2 * * *', '2026-03-28T12:00Z', ['03-29T01:00', '03-29T23:00']],
  ])('with the default DST policy in %s, cron %s after %s fires at %j', (timezone, cron, from, expected) => {
    expect(fires({ rule: { cron }, timezone }, from, 2)).toEqual(expected);
  });

  it('cron patterns that fire every hour or more often keep a constant interval through DST changes', () => {
    const gaps = (cron: string, from: number) => {
      const instants = nextOccurrences(timingOf({ rule: { cron }, timezone: 'Europe/Berlin' }), from, 200);
      return new Set(instants.slice(1).map((at, i) => (at - (instants[i] ?? 0)) / MINUTE_MS));
    };
    for (const from of [Date.UTC(2026, 2, 28, 20), Date.UTC(2026, 9, 24, 20)]) {
      expect(gaps('*/15 * * * *', from)).toEqual(new Set([15]));
      expect(gaps('30 * * * *', from)).toEqual(new Set([60]));
      expect(gaps('* * * * *', from)).toEqual(new Set([1]));
    }
  });

  it('if a time zone skips a whole day, a daily rule fires right after that day', () => {
    const input: TimingInput = { rule: { cron: '0 9 * * *' }, timezone: 'Pacific/Apia' };
    const timing = { ...timingOf(input), anchorAt: 0 };
    const instants = nextOccurrences(timing, Date.parse('2011-12-29T12:00Z'), 3);
    expect(instants.map((at) => new Date(at).toISOString().slice(0, 16))).toEqual([
      '2011-12-29T19:00',
      '2011-12-30T10:00',
      '2011-12-30T19:00',
    ]);
  });
});
