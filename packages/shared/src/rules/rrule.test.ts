import fc from 'fast-check';
import rrule from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';
import { describe, expect, it } from 'vitest';
import { countOccurrences, nextOccurrences } from './occurrences.js';
import { parseTiming, type TimingInput } from './parse-timing.js';
import { parseRecurrenceText } from './rrule.js';
import type { Timing } from './timing.js';
import { localTime } from './wall-time.js';

const anchorAt = Date.UTC(1990, 0, 1);

function timingOf(text: string, more: Omit<TimingInput, 'rule'> = {}): Timing {
  const result = parseTiming({ rule: { rrule: text }, ...more }, { anchorAt });
  if (!result.ok) throw new Error(`${text}: ${JSON.stringify(result.problems)}`);
  return result.timing;
}

function fires(text: string, limit: number, more: Omit<TimingInput, 'rule'> = {}): string[] {
  const timing = timingOf(text, more);
  return nextOccurrences(timing, anchorAt, limit).map((at) => localTime(at, timing.timezone).slice(0, 16));
}

/** `1997-09: 2-4 30` is four days of September 1997. */
function days(...months: string[]): string[] {
  return months.flatMap((month) => {
    const [name, list = ''] = month.split(': ');
    return list.split(' ').flatMap((item) => {
      const [from = '', to = from] = item.split('-');
      const length = Number(to) - Number(from) + 1;
      return Array.from({ length }, (_, i) => `${name}-${String(Number(from) + i).padStart(2, '0')}`);
    });
  });
}

const NINE = 'DTSTART;TZID=America/New_York:19970902T090000\nRRULE:';

describe('the examples of RFC 5545, 3.8.5.3', () => {
  it.each([
    ['daily for 10 occurrences', 'FREQ=DAILY;COUNT=10', days('1997-09: 2-11')],
    [
      'daily until 24 December',
      'FREQ=DAILY;UNTIL=19971224T000000Z',
      days('1997-09: 2-30', '1997-10: 1-31', '1997-11: 1-30', '1997-12: 1-23'),
    ],
    [
      'every other day',
      'FREQ=DAILY;INTERVAL=2',
      days('1997-09: 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30', '1997-10: 2 4'),
    ],
    [
      'every 10 days, 5 occurrences',
      'FREQ=DAILY;INTERVAL=10;COUNT=5',
      days('1997-09: 2 12 22', '1997-10: 2 12'),
    ],
    [
      'weekly for 10 occurrences',
      'FREQ=WEEKLY;COUNT=10',
      days('1997-09: 2 9 16 23 30', '1997-10: 7 14 21 28', '1997-11: 4'),
    ],
    [
      'weekly until 24 December',
      'FREQ=WEEKLY;UNTIL=19971224T000000Z',
      days('1997-09: 2 9 16 23 30', '1997-10: 7 14 21 28', '1997-11: 4 11 18 25', '1997-12: 2 9 16 23'),
    ],
    [
      'every other week',
      'FREQ=WEEKLY;INTERVAL=2;WKST=SU',
      days(
        '1997-09: 2 16 30',
        '1997-10: 14 28',
        '1997-11: 11 25',
        '1997-12: 9 23',
        '1998-01: 6 20',
        '1998-02: 3 17',
      ),
    ],
    [
      'weekly on Tuesday and Thursday',
      'FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH',
      days('1997-09: 2 4 9 11 16 18 23 25 30', '1997-10: 2'),
    ],
    [
      'weekly on Tuesday and Thursday, counted',
      'FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH',
      days('1997-09: 2 4 9 11 16 18 23 25 30', '1997-10: 2'),
    ],
    [
      'every other week on Tuesday and Thursday',
      'FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH',
      days('1997-09: 2 4 16 18 30', '1997-10: 2 14 16'),
    ],
    [
      'the 2nd and the last Friday, bimonthly Sundays',
      'FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU',
      days('1997-09: 7 28', '1997-11: 2 30', '1998-01: 4 25', '1998-03: 1 29', '1998-05: 3 31'),
    ],
    [
      'monthly on the second-to-last Monday',
      'FREQ=MONTHLY;COUNT=6;BYDAY=-2MO',
      days('1997-09: 22', '1997-10: 20', '1997-11: 17', '1997-12: 22', '1998-01: 19', '1998-02: 16'),
    ],
    [
      'monthly on the third-to-the-last day',
      'FREQ=MONTHLY;BYMONTHDAY=-3',
      days('1997-09: 28', '1997-10: 29', '1997-11: 28', '1997-12: 29', '1998-01: 29', '1998-02: 26'),
    ],
    [
      'monthly on the 2nd and 15th',
      'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15',
      days('1997-09: 2 15', '1997-10: 2 15', '1997-11: 2 15', '1997-12: 2 15', '1998-01: 2 15'),
    ],
    [
      'monthly on the first and last day',
      'FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1',
      days('1997-09: 30', '1997-10: 1 31', '1997-11: 1 30', '1997-12: 1 31', '1998-01: 1 31', '1998-02: 1'),
    ],
    [
      'every 18 months on the 10th to 15th',
      'FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15',
      days('1997-09: 10-15', '1999-03: 10-13'),
    ],
    [
      'every Tuesday, every other month',
      'FREQ=MONTHLY;INTERVAL=2;BYDAY=TU',
      days('1997-09: 2 9 16 23 30', '1997-11: 4 11 18 25', '1998-01: 6 13 20 27', '1998-03: 3 10 17 24 31'),
    ],
    [
      'yearly in June and July',
      'FREQ=YEARLY;COUNT=10;BYMONTH=6,7',
      days(
        '1998-06: 2',
        '1998-07: 2',
        '1999-06: 2',
        '1999-07: 2',
        '2000-06: 2',
        '2000-07: 2',
        '2001-06: 2',
        '2001-07: 2',
        '2002-06: 2',
        '2002-07: 2',
      ),
    ],
    [
      'every third year on days 1, 100 and 200',
      'FREQ=YEARLY;INTERVAL=3;COUNT=7;BYYEARDAY=1,100,200',
      days(
        '2000-01: 1',
        '2000-04: 9',
        '2000-07: 18',
        '2003-01: 1',
        '2003-04: 10',
        '2003-07: 19',
        '2006-01: 1',
      ),
    ],
    [
      'every 20th Monday of the year',
      'FREQ=YEARLY;BYDAY=20MO',
      days('1998-05: 18', '1999-05: 17', '2000-05: 15'),
    ],
    [
      'Monday of week 20',
      'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO',
      days('1998-05: 11', '1999-05: 17', '2000-05: 15'),
    ],
    [
      'the first and last Sunday of April and October',
      'FREQ=YEARLY;BYMONTH=4,10;BYDAY=1SU,-1SU',
      days('1997-10: 5 26', '1998-04: 5 26', '1998-10: 4 25'),
    ],
    [
      'every Thursday in March',
      'FREQ=YEARLY;BYMONTH=3;BYDAY=TH',
      days('1998-03: 5 12 19 26', '1999-03: 4 11 18 25'),
    ],
    [
      'every Thursday of the summer',
      'FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8',
      days('1998-06: 4 11 18 25', '1998-07: 2 9 16 23 30', '1998-08: 6 13 20 27'),
    ],
    [
      'every Friday the 13th',
      'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13',
      days('1998-02: 13', '1998-03: 13', '1998-11: 13', '1999-08: 13', '2000-10: 13'),
    ],
    [
      'the first Saturday after the first Sunday',
      'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13',
      days('1997-09: 13', '1997-10: 11', '1997-11: 8', '1997-12: 13', '1998-01: 10'),
    ],
    [
      'US presidential election day',
      'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
      days('1997-11: 4', '2001-11: 6', '2005-11: 8'),
    ],
    [
      'the third of Tuesday, Wednesday, Thursday',
      'FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3',
      days('1997-09: 4', '1997-10: 7', '1997-11: 6'),
    ],
    [
      'the second-to-last weekday',
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2',
      days('1997-09: 29', '1997-10: 30', '1997-11: 27', '1997-12: 30', '1998-01: 29'),
    ],
    [
      'the 15th and 30th, an invalid date left out',
      'FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5',
      days('1997-09: 15 30', '1997-10: 15 30', '1997-11: 15'),
    ],
  ])('%s', (_name, rule, expected) => {
    expect(fires(`${NINE}${rule}`, expected.length)).toEqual(expected.map((day) => `${day}T09:00`));
    const timing = timingOf(`${NINE}${rule}`);
    const ends = /COUNT|UNTIL/.test(rule);
    if (ends) expect(countOccurrences(timing, anchorAt, Date.UTC(2100, 0, 1))).toBe(expected.length);
  });

  it.each([
    ['every 3 hours until 17:00', 'FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z', ['02T09:00', '02T12:00']],
    [
      'every 15 minutes, 6 times',
      'FREQ=MINUTELY;INTERVAL=15;COUNT=6',
      ['02T09:00', '02T09:15', '02T09:30', '02T09:45', '02T10:00', '02T10:15'],
    ],
    [
      'every hour and a half, 4 times',
      'FREQ=MINUTELY;INTERVAL=90;COUNT=4',
      ['02T09:00', '02T10:30', '02T12:00', '02T13:30'],
    ],
    [
      'every 20 minutes from 09:00 to 16:40',
      'FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40',
      ['02T09:00', '02T09:20', '02T09:40', '02T10:00'],
    ],
    [
      'the same, minutely',
      'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16',
      ['02T09:00', '02T09:20', '02T09:40', '02T10:00'],
    ],
  ])('%s', (_name, rule, expected) => {
    expect(fires(`${NINE}${rule}`, expected.length)).toEqual(expected.map((time) => `1997-09-${time}`));
  });

  it('keeps 09:00 on the clock when the clocks change', () => {
    const timing = timingOf(`${NINE}FREQ=DAILY`);
    const [before, after] = nextOccurrences(timing, Date.UTC(1997, 9, 25, 4), 2);
    expect([before, after].map((at) => localTime(at ?? 0, timing.timezone))).toEqual([
      '1997-10-25T09:00:00-04:00',
      '1997-10-26T09:00:00-05:00',
    ]);
  });

  it.each([
    ['MO', days('1997-08: 5 10 19 24')],
    ['SU', days('1997-08: 5 17 19 31')],
  ])('begins its weeks on %s if told so', (weekStart, expected) => {
    const rule = `DTSTART;TZID=America/New_York:19970805T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=${weekStart}`;
    expect(fires(rule, 5)).toEqual(expected.map((day) => `${day}T09:00`));
  });
});

describe('a recurrence set', () => {
  const start = 'DTSTART:20260105T090000\nRRULE:FREQ=DAILY;COUNT=5';

  it('leaves out EXDATE and still counts it', () => {
    expect(fires(`${start}\nEXDATE:20260106T090000,20260108T090000`, 9)).toEqual(
      days('2026-01: 5 7 9').map((day) => `${day}T09:00`),
    );
  });

  it('leaves out a whole day where EXDATE is a date', () => {
    expect(fires(`${start};BYHOUR=9,10\nEXDATE;VALUE=DATE:20260106`, 9)).toEqual([
      '2026-01-05T09:00',
      '2026-01-05T10:00',
      '2026-01-07T09:00',
    ]);
  });

  it('adds RDATE once, unless EXDATE takes it out again', () => {
    const text = `${start}\nRDATE:20260107T090000,20260107T120000\nRDATE;TZID=Europe/Berlin:20260201T100000,20260202T100000\nEXDATE:20260202T090000`;
    expect(fires(text, 9)).toEqual([
      '2026-01-05T09:00',
      '2026-01-06T09:00',
      '2026-01-07T09:00',
      '2026-01-07T12:00',
      '2026-01-08T09:00',
      '2026-01-09T09:00',
      '2026-02-01T09:00',
    ]);
    expect(countOccurrences(timingOf(text), anchorAt, Date.UTC(2027, 0, 1))).toBe(7);
  });

  it('is RDATE alone, with DTSTART, where there is no rule', () => {
    expect(fires('DTSTART:20260105T090000\nRDATE:20260107T090000', 9)).toEqual([
      '2026-01-05T09:00',
      '2026-01-07T09:00',
    ]);
  });

  it('counts only instances that match, so that an odd DTSTART is none', () => {
    expect(fires('DTSTART:20260106T090000\nRRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2', 9)).toEqual([
      '2026-01-12T09:00',
      '2026-01-19T09:00',
    ]);
  });

  it('repeats by the clock of its TZID, and takes it for the zone where none is given', () => {
    const timing = timingOf('DTSTART;TZID=Asia/Tokyo:20260105T090000\nRRULE:FREQ=DAILY');
    expect(timing.timezone).toBe('Asia/Tokyo');
    expect(nextOccurrences(timing, anchorAt, 1)).toEqual([Date.UTC(2026, 0, 5)]);
  });

  it('warns where the rule repeats by another clock than the one asked for', () => {
    const rule = { rrule: 'DTSTART:20260105T090000Z\nRRULE:FREQ=DAILY' };
    const result = parseTiming({ rule, timezone: 'America/New_York' }, { anchorAt });
    expect(result.ok && result.warnings.join()).toContain('DTSTART is in UTC');
  });

  it('without DTSTART fires COUNT times after it was made, and the making is none of them', () => {
    const madeAt = Date.UTC(2026, 0, 15, 12, 0, 0, 250);
    const result = parseTiming({ rule: { rrule: 'FREQ=MINUTELY;INTERVAL=5;COUNT=3' } }, { anchorAt: madeAt });
    const found = result.ok ? nextOccurrences(result.timing, madeAt, 9) : [];
    expect(found.map((at) => new Date(at).toISOString().slice(11, 23))).toEqual([
      '12:05:00.000',
      '12:10:00.000',
      '12:15:00.000',
    ]);
  });

  it('without DTSTART begins at startAt where there is one', () => {
    expect(fires('FREQ=DAILY;COUNT=2', 9, { startAt: '2026-06-01T08:30:00Z' })).toEqual([
      '2026-06-01T08:30',
      '2026-06-02T08:30',
    ]);
  });

  it('reaches an UNTIL that the clocks jumped over', () => {
    const rule = 'DTSTART;TZID=Europe/Berlin:20260328T023000\nRRULE:FREQ=DAILY;UNTIL=20260329T023000';
    expect(fires(rule, 9)).toEqual(['2026-03-28T02:30', '2026-03-29T03:00']);
  });

  it('numbers weeks as ISO 8601 does, over the edge of the year', () => {
    const rule = (weeks: string) => `DTSTART:20250101T090000\nRRULE:FREQ=YEARLY;BYWEEKNO=${weeks}`;
    const at9 = (dates: string[]) => dates.map((date) => `${date}T09:00`);
    expect(fires(rule('53;BYDAY=FR'), 3)).toEqual(at9(['2027-01-01', '2032-12-31', '2038-01-01']));
    expect(fires(rule('1;BYDAY=MO'), 3)).toEqual(at9(['2025-12-29', '2027-01-04', '2028-01-03']));
    expect(fires(rule('-1;BYDAY=SU'), 3)).toEqual(at9(['2025-12-28', '2027-01-03', '2028-01-02']));
    // DTSTART is a Wednesday.
    expect(fires(rule('20'), 2)).toEqual(at9(['2025-05-14', '2026-05-13']));
  });

  it('picks a BYSETPOS from whole periods, DTSTART somewhere within', () => {
    const thursday = 'DTSTART:20260101T090000\nRRULE:';
    expect(fires(`${thursday}FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=1`, 2)).toEqual([
      '2026-01-05T09:00',
      '2026-01-12T09:00',
    ]);
    expect(fires(`${thursday}FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=-1`, 2)).toEqual([
      '2026-01-02T09:00',
      '2026-01-09T09:00',
    ]);
    expect(fires(`${thursday}FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=-2,1`, 2)).toEqual([
      '2026-01-05T09:00',
      '2026-01-12T09:00',
    ]);
    expect(fires(`${thursday}FREQ=DAILY;BYHOUR=9,12,15;BYSETPOS=-2`, 2)).toEqual([
      '2026-01-01T12:00',
      '2026-01-02T12:00',
    ]);
    expect(fires(`${thursday}FREQ=HOURLY;BYMINUTE=5,10,15;BYSETPOS=2`, 2)).toEqual([
      '2026-01-01T09:10',
      '2026-01-01T10:10',
    ]);
    expect(fires(`${thursday}FREQ=MINUTELY;BYSECOND=0,30;BYSETPOS=1`, 2)).toEqual([
      '2026-01-01T09:00',
      '2026-01-01T09:01',
    ]);
  });

  it('reads folded lines, a bare rule and lower case', () => {
    expect(fires('DTSTART:20260105T090000\r\nRRULE:FREQ=DAILY;\r\n COUNT=2', 9)).toHaveLength(2);
    expect(fires('DTSTART:20260105T090000\nfreq=daily;count=2', 9)).toHaveLength(2);
  });

  it.each([
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', 'feb28', '2025-02-28'],
    ['FREQ=YEARLY', 'feb28', '2025-02-28'],
    ['FREQ=YEARLY', 'mar1', '2025-03-01'],
    ['FREQ=YEARLY;BYMONTH=2', 'mar1', '2025-03-01'],
    ['FREQ=YEARLY', 'skip', '2028-02-29'],
    ['FREQ=MONTHLY;BYMONTHDAY=29', 'feb28', '2024-03-29'],
  ] as const)('on 29 February, %s with %s', (rule, leapDay, second) => {
    const found = fires(`DTSTART:20240229T090000\nRRULE:${rule}`, 2, { leapDay });
    expect(found).toEqual(['2024-02-29T09:00', `${second}T09:00`]);
  });
});

describe('a random rule', () => {
  const list = (min: number, max: number, maxLength = 3) =>
    fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength }).map(
      (values) =>
        values
          .filter(Boolean)
          .sort((a, b) => a - b)
          .join() || '1',
    );
  const weekdays = fc.uniqueArray(fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'), {
    minLength: 1,
    maxLength: 4,
  });
  const nth = fc.array(
    fc
      .tuple(fc.constantFrom(1, 2, 3, 4, -1, -2), fc.constantFrom('MO', 'WE', 'SU'))
      .map(([n, day]) => `${n}${day}`),
    { minLength: 1, maxLength: 2 },
  );
  const maybe = (name: string, values: fc.Arbitrary<string | string[]>) =>
    fc.option(
      values.map((value) => `;${name}=${value}`),
      { nil: '' },
    );
  const times = fc
    .tuple(maybe('BYHOUR', list(0, 23)), maybe('BYMINUTE', list(0, 59)))
    .map((parts) => parts.join(''));
  const start = fc.integer({ min: Date.UTC(2020, 0, 1) / 1000, max: Date.UTC(2032, 0, 1) / 1000 });
  const interval = fc.integer({ min: 1, max: 4 });
  // Not -2 and below: the library takes the first of a list for what lies before it. Nor weeks, of which it takes the
  // first to begin with DTSTART.
  const setPos = fc.option(
    fc.constantFrom(1, 2, 3, -1).map((value) => `;BYSETPOS=${value}`),
    { nil: '' },
  );
  // Nor weeks at a year's edge, which it numbers wrongly where they do not begin on Monday.
  const rules = fc.oneof(
    fc
      .tuple(
        maybe('BYMONTH', list(1, 12)),
        maybe('BYMONTHDAY', list(-31, 31)),
        maybe('BYDAY', weekdays),
        times,
      )
      .map((parts) => `FREQ=DAILY${parts.join('')}`),
    fc
      .tuple(maybe('BYMONTH', list(1, 12)), weekdays, fc.constantFrom('MO', 'SU', 'WE'), times)
      .map(([month, days, weekStart, time]) => `FREQ=WEEKLY${month};BYDAY=${days};WKST=${weekStart}${time}`),
    fc
      .tuple(maybe('BYMONTH', list(1, 12)), maybe('BYMONTHDAY', list(-31, 31)), times)
      .map((parts) => `FREQ=MONTHLY${parts.join('')}`),
    fc
      .tuple(fc.oneof(nth, weekdays), times, setPos)
      .map(([days, time, pos]) => `FREQ=MONTHLY;BYDAY=${days}${time}${pos}`),
    fc
      .tuple(maybe('BYMONTH', list(1, 12)), fc.oneof(nth, weekdays), times, setPos)
      .map(([month, days, time, pos]) => `FREQ=YEARLY${month};BYDAY=${days}${time}${pos}`),
    fc.tuple(list(-366, 366), times).map(([days, time]) => `FREQ=YEARLY;BYYEARDAY=${days}${time}`),
    fc
      .tuple(list(2, 51), weekdays, fc.constantFrom('MO', 'SU'), times)
      .map(
        ([weeks, days, weekStart, time]) =>
          `FREQ=YEARLY;BYWEEKNO=${weeks};BYDAY=${days};WKST=${weekStart}${time}`,
      ),
  );

  it('names the same instants as the rrule library does', () => {
    fc.assert(
      fc.property(rules, interval, start, (rule, every, startSec) => {
        const dtstart = new Date(startSec * 1000);
        const text = `${rule};INTERVAL=${every}`;
        const stamp = dtstart.toISOString().replace(/[-:]|\.000/g, '');
        const result = parseTiming(
          { rule: { rrule: `DTSTART:${stamp}\nRRULE:${text}` }, leapDay: 'skip' },
          { anchorAt },
        );
        const ours = result.ok ? nextOccurrences(result.timing, anchorAt, 12) : [];
        // The library looks for what is not there until the year 9999.
        fc.pre(ours.length === 12);
        const theirs = new rrule.RRule({ ...rrule.RRule.parseString(text), dtstart }).all(
          (_date, n) => n < 12,
        );
        expect(ours.map((at) => new Date(at))).toEqual(theirs);
      }),
      { numRuns: 600 },
    );
  }, 30_000);

  it('names the same instants as rrule-temporal does, in a zone and away from changes of clocks', () => {
    fc.assert(
      fc.property(weekdays, fc.integer({ min: 3, max: 23 }), interval, (days, hour, every) => {
        const text = `DTSTART;TZID=America/New_York:20240105T${String(hour).padStart(2, '0')}1500\nRRULE:FREQ=WEEKLY;INTERVAL=${every};BYDAY=${days};COUNT=40`;
        const theirs = new RRuleTemporal({ rruleString: text }).all().map((date) => date.epochMilliseconds);
        expect(nextOccurrences(timingOf(text), anchorAt, 50)).toEqual(theirs);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a recurrence text that makes no sense', () => {
  it.each([
    ['FREQ=DAILY;BYHOUR=25', 'BYHOUR is 25; expected 0-23'],
    ['FREQ=DAILY;INTERVAL=-1', 'INTERVAL is -1; expected 1-10000'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL is 0; expected 1-10000'],
    ['FREQ=DAILY;INTERVAL=1e9', 'INTERVAL is 1E9; expected 1-10000'],
    ['FREQ=DAILY;COUNT=0', 'COUNT is 0; expected 1-1000000000'],
    ['FREQ=DAILY;COUNT=99999999999', 'expected 1-1000000000'],
    ['FREQ=FORTNIGHTLY', 'FREQ is FORTNIGHTLY; expected one of YEARLY'],
    ['INTERVAL=2', 'FREQ is missing'],
    ['FREQ=DAILY;COUNT=1;UNTIL=20270101', 'COUNT and UNTIL exclude each other'],
    ['FREQ=DAILY;FREQ=DAILY', 'FREQ is given twice'],
    ['FREQ=DAILY;BYEASTER=1', 'BYEASTER is not a part of RRULE'],
    ['FREQ=DAILY;BYSETPOS=1', 'BYSETPOS picks from what another BY part names'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'BYSETPOS is 0'],
    ['FREQ=WEEKLY;BYDAY=2MO', 'BYDAY with a number needs FREQ=MONTHLY or YEARLY'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'BYMONTHDAY does not go with FREQ=WEEKLY'],
    ['FREQ=DAILY;BYYEARDAY=1', 'BYYEARDAY does not go with FREQ=DAILY'],
    ['FREQ=MONTHLY;BYWEEKNO=1', 'BYWEEKNO needs FREQ=YEARLY'],
    ['FREQ=DAILY;UNTIL=soon', 'UNTIL is SOON; expected 20260131T090000'],
    ['FREQ=DAILY;UNTIL=20260231', 'that month has days 1-28'],
    ['RRULE:FREQ=DAILY\nRRULE:FREQ=DAILY', 'RRULE is given twice'],
    ['RRULE:FREQ=DAILY\nEXRULE:FREQ=DAILY', 'EXRULE is not supported'],
    ['DTSTART;TZID=Mars/Base:20260101T000000\nRRULE:FREQ=DAILY', '"Mars/Base" is not a known time zone'],
    ['DTSTART:18000101T000000\nRRULE:FREQ=DAILY', 'expected a year of 1900-2199'],
    ['RDATE;VALUE=PERIOD:20260101T000000/PT1H', 'expected TZID=…, VALUE=DATE'],
    ['BEGIN:VEVENT', 'BEGIN is not understood'],
    ['', 'is empty'],
    ['FREQ', '"FREQ" is not understood'],
  ])('%s is refused with words that help', (text, message) => {
    const result = parseRecurrenceText(text);
    expect(result.ok ? 'read' : result.messages.join()).toContain(message);
  });
});
