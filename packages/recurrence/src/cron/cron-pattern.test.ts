import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextOccurrences } from '../occurrences.js';
import { parseTiming } from '../parse-timing.js';
import type { LeapDayPolicy, Timing } from '../timing.js';
import { parseCron } from './cron-pattern.js';

const anchorAt = Date.UTC(2026, 0, 1);

function timingOf(cron: string, more: { timezone?: string; leapDay?: LeapDayPolicy } = {}): Timing {
  const result = parseTiming({ rule: { cron }, ...more }, { anchorAt });
  if (!result.ok) throw new Error(`${cron}: ${JSON.stringify(result.problems)}`);
  return result.timing;
}

function fires(cron: string, limit: number, more: { leapDay?: LeapDayPolicy } = {}): string[] {
  return nextOccurrences(timingOf(cron, more), anchorAt, limit).map((at) =>
    new Date(at).toISOString().slice(0, 16),
  );
}

function dates(cron: string, limit: number, more: { leapDay?: LeapDayPolicy } = {}): string[] {
  return fires(cron, limit, more).map((text) => text.slice(2, 10));
}

describe('cron pattern', () => {
  it.each([
    ['0 0 L * *', ['26-01-31', '26-02-28', '26-03-31']],
    ['0 0 L-3 * *', ['26-01-28', '26-02-25', '26-03-28']],
    ['0 0 LW * *', ['26-01-30', '26-02-27', '26-03-31', '26-04-30', '26-05-29']],
    ['0 0 L-1W * *', ['26-01-30', '26-02-27', '26-03-30', '26-04-29', '26-05-29']],
    ['0 0 * * MON-WED#1', ['26-01-05', '26-01-06', '26-01-07', '26-02-02']],
    ['0 0 * * FRI#L', ['26-01-30', '26-02-27']],
    ['0 0 15W * *', ['26-01-15', '26-02-16', '26-03-16', '26-04-15', '26-05-15']],
    ['0 0 1W * *', ['26-01-01', '26-02-02', '26-03-02', '26-04-01', '26-05-01', '26-06-01'].slice(1)],
    ['0 0 1W 8 *', ['26-08-03']],
    ['0 0 31W 5 *', ['26-05-29']],
    ['0 0 * * MON#2', ['26-01-12', '26-02-09', '26-03-09']],
    ['0 0 * * 5#5', ['26-01-30', '26-05-29', '26-07-31']],
    ['0 0 * * 5L', ['26-01-30', '26-02-27', '26-03-27']],
    ['0 0 * * FRIL', ['26-01-30', '26-02-27', '26-03-27']],
    ['0 0 * * FRI-MON', ['26-01-02', '26-01-03', '26-01-04', '26-01-05', '26-01-09']],
    ['0 0 * * 7', ['26-01-04', '26-01-11']],
    ['0 0 * * 5-7', ['26-01-02', '26-01-03', '26-01-04', '26-01-09']],
    ['0 0 1 NOV-FEB *', ['26-02-01', '26-11-01', '26-12-01', '27-01-01']],
    ['0 0 ? * mon', ['26-01-05', '26-01-12']],
    ['@monthly', ['26-02-01', '26-03-01']],
    ['@weekly', ['26-01-04', '26-01-11']],
    ['@annually', ['27-01-01', '28-01-01']],
  ])('cron pattern %s fires on the days %j', (cron, expected) => {
    expect(dates(cron, expected.length)).toEqual(expected);
  });

  it.each([
    ['0 22-2 * * *', ['01-01T01:00', '01-01T02:00', '01-01T22:00', '01-01T23:00', '01-02T00:00']],
    ['5/20 0 * * *', ['01-01T00:05', '01-01T00:25', '01-01T00:45', '01-02T00:05']],
    ['10-30/10 0 * * *', ['01-01T00:10', '01-01T00:20', '01-01T00:30', '01-02T00:10']],
    ['@hourly', ['01-01T01:00', '01-01T02:00']],
  ])('cron pattern %s fires at the times %j', (cron, expected) => {
    expect(fires(cron, expected.length).map((text) => text.slice(5))).toEqual(expected);
  });

  it('the first field of a cron pattern with six fields is the seconds', () => {
    const instants = nextOccurrences(timingOf('15,45 0 9 * * *'), anchorAt, 3);
    expect(instants.map((at) => new Date(at).toISOString().slice(5, 19))).toEqual([
      '01-01T09:00:15',
      '01-01T09:00:45',
      '01-02T09:00:15',
    ]);
  });

  it('a cron pattern that restricts both the day of month and the day of week fires on days that match either', () => {
    expect(dates('0 0 13 * FRI', 4)).toEqual(['26-01-02', '26-01-09', '26-01-13', '26-01-16']);
  });

  it('a cron pattern with */10 as the day of month fires only on days that match both day fields, as in Vixie cron', () => {
    expect(dates('0 0 */10 * MON', 3)).toEqual(['26-05-11', '26-06-01', '26-08-31'].slice(0, 3));
  });
});

describe('cron on 29 February', () => {
  it('cron on 29 February fires in leap years only, unless leapDay is set', () => {
    expect(dates('0 0 29 2 *', 3)).toEqual(['28-02-29', '32-02-29', '36-02-29']);
    expect(timingOf('0 0 29 2 *').leapDay).toBe('skip');
  });

  it.each([
    ['feb28', ['26-02-28', '27-02-28', '28-02-29']],
    ['mar1', ['26-03-01', '27-03-01', '28-02-29']],
    ['skip', ['28-02-29', '32-02-29', '36-02-29']],
  ] as const)('cron on 29 February with leapDay %s fires on %j', (leapDay, expected) => {
    expect(dates('0 9 29 2 *', 3, { leapDay })).toEqual(expected);
  });

  it('leapDay does not apply to a cron pattern that names other days besides 29 February', () => {
    const leapDay = 'mar1';
    expect(dates('0 9 28,29 2 *', 3, { leapDay })).toEqual(['26-02-28', '27-02-28', '28-02-28']);
    expect(dates('0 9 29 * *', 3, { leapDay })).toEqual(['26-01-29', '26-03-29', '26-04-29']);
    expect(dates('0 9 29 2,3 *', 2, { leapDay })).toEqual(['26-03-29', '27-03-29']);
    expect(dates('0 9 29 2 0-6', 29, { leapDay }).at(-1)).toBe('27-02-01');
  });
});

describe('cron compared with croner', () => {
  const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
  const item = (min: number, max: number) =>
    fc.oneof(
      number(min, max),
      fc
        .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
        .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
      fc
        .tuple(fc.integer({ min, max: max - 1 }), fc.integer({ min: 1, max: 5 }))
        .map(([a, step]) => `${a}-${max}/${step}`),
    );
  const field = (min: number, max: number) =>
    fc.oneof(
      fc.constant('*'),
      fc.array(item(min, max), { minLength: 1, maxLength: 3 }).map((items) => items.join()),
    );
  const monthDay = fc.oneof(
    { weight: 3, arbitrary: field(1, 31) },
    fc.constant('L'),
    number(1, 28).map((day) => `${day}W`),
  );
  const weekday = fc.oneof(
    { weight: 3, arbitrary: field(0, 6) },
    fc.tuple(number(0, 6), number(1, 4)).map(([day, n]) => `${day}#${n}`),
    number(0, 6).map((day) => `${day}L`),
  );
  const patterns = fc
    .tuple(field(0, 59), field(0, 59), field(0, 23), monthDay, field(1, 12), weekday)
    .map((fields) => fields.join(' '));

  it('random cron patterns fire at the same instants as in croner', () => {
    fc.assert(
      fc.property(patterns, fc.integer({ min: 0, max: 5000 }), (cron, days) => {
        const from = anchorAt + days * 86_400_000 + 12_345_000;
        const theirs = new Cron(cron, { timezone: 'UTC' })
          .nextRuns(8, new Date(from))
          .map((date) => date.getTime());
        const read = parseTiming({ rule: { cron }, leapDay: 'skip' }, { anchorAt });
        fc.pre(theirs.length === 8);
        expect(read.ok && nextOccurrences(read.timing, from, 8)).toEqual(theirs);
      }),
      { numRuns: 400 },
    );
  }, 30_000);
});

describe('invalid cron pattern', () => {
  it.each([
    ['0 25 * * *', 'field 2 (hour) is 25; expected 0-23'],
    ['60 * * * *', 'field 1 (minute) is 60; expected 0-59'],
    ['0 0 60 * * *', 'field 3 (hour) is 60; expected 0-23'],
    ['* * 0 * *', 'field 3 (day of month) is 0; expected 1-31'],
    ['* * * 13 *', 'field 4 (month) is 13; expected 1-12 or JAN-DEC'],
    ['* * * FOO *', 'field 4 (month) is FOO; expected 1-12 or JAN-DEC'],
    ['* * * * 8', 'field 5 (day of week) is 8; expected 0-7 or SUN-SAT'],
    ['1,,2 * * * *', 'field 1 (minute) is empty; expected 0-59'],
    ['1-2-3 * * * *', 'field 1 (minute) is 1-2-3; expected a range such as 1-5'],
    ['*/0 * * * *', 'field 1 (minute) is stepped by 0; expected a step of 1-60'],
    ['*/90 * * * *', 'for longer intervals use a rule with "every"'],
    ['*/5/5 * * * *', 'expected one step at most'],
    ['? * * * *', 'expected ? in the day fields only'],
    ['* * * * L', 'such as FRIL for the last Friday'],
    ['* * * * MON#6', 'expected #1 to #5'],
    ['* * 32W * *', 'field 3 (day of month) is 32; expected 1-31'],
    ['* * L-31 * *', 'expected L-0 to L-30'],
    ['* * * *', 'has 4 fields; expected 5'],
    ['', 'has 0 fields; expected 5'],
    ['* * * * * * *', 'a field for years is not supported'],
    ['@reboot', '@reboot names no time'],
    ['-1 * * * *', 'field 1 (minute) is -1; negative values are not supported; expected 0-59'],
    ['@fortnightly', '@fortnightly is not a known macro; expected one of @yearly'],
    ['@every 5m', 'use the rule { "every": "PT5M" }'],
    ['@every 1h30m', 'use the rule { "every": "PT1H30M" }'],
    ['rate(5 minutes)', 'rate(…) is the syntax of AWS EventBridge; use the rule { "every": "PT5M" }'],
    ['rate(1 day)', 'use the rule { "every": "P1D" }'],
    [
      'cron(0 12 * * ? *)',
      'write the fields alone, without the year and with names for weekdays: 0 12 * * ?',
    ],
    ['0 12 * * ? *', 'a pattern of AWS ends with the year, which has to be left out'],
    ['at(2026-03-29T09:00:00)', 'use the rule { "at": "2026-03-29T09:00:00" }'],
    ['PT5M', 'PT5M is a duration; use the rule { "every": "PT5M" }'],
    ['2026-03-29T09:00:00Z', '2026-03-29T09:00:00Z is a date; to fire once use the rule { "at"'],
    ['0 9 2026-03-29 * *', 'field 3 (day of month) is 2026-03-29; 2026-03-29 is a date'],
    ['/5 * * * *', 'field 1 (minute) is /5; a step needs a range before it; write */5'],
    ['H * * * *', 'H is the hashed value of Jenkins, which is not supported; write a number of 0-59'],
    ['H/15 * * * *', 'H is the hashed value of Jenkins'],
    ['0~30 * * * *', 'random values are not supported'],
    ['0 24 * * *', 'field 2 (hour) is 24; expected 0-23; midnight is 0'],
    ['0 0 -1 * *', 'write L'],
    ['0 0 -3 * *', 'write L-2'],
    ['0 0 15-L * *', 'a range cannot end in L; write 15-31'],
    ['35 * 1-l/8 * *', 'write 1-31/8'],
    ['30 18 * * 2 Europe/Paris', 'ends with the time zone Europe/Paris; write it in timezone'],
    ['0 0 * * L-3', 'L counts from the end of the month; write it in the day of month field'],
    ['0 0 * L *', 'L counts from the end of the month'],
    ['0 0 * * FRI#-1', 'the last one of the month is FRIL'],
    ['0 0 * * MONDAY', 'field 5 (day of week) is MONDAY; write MON'],
    ['0 0 * JANUARY *', 'field 4 (month) is JANUARY; write JAN'],
    ['1.5 * * * *', 'field 1 (minute) is 1.5; expected 0-59'],
  ])('invalid cron pattern %s is refused with the message %j', (cron, message) => {
    const result = parseCron(cron);
    expect(result.ok ? [] : result.messages.join()).toContain(message);
  });

  it('a cron pattern with several wrong fields is refused with one message for each of them', () => {
    const result = parseCron('61 25 * * 9');
    expect(result.ok ? [] : result.messages).toHaveLength(3);
  });
});
