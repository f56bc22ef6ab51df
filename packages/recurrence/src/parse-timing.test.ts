import { describe, expect, it } from 'vitest';
import { parseTiming, type TimingInput } from './parse-timing.js';

const anchorAt = Date.UTC(2026, 0, 15, 12, 0, 0, 250);

function read(input: unknown) {
  return parseTiming(input as TimingInput, { anchorAt });
}

function problems(input: unknown): string[] {
  const result = read(input);
  return result.ok ? [] : result.problems.map(({ field, message }) => `${field}: ${message}`);
}

function warnings(input: unknown): string[] {
  const result = read(input);
  return result.ok ? result.warnings : ['refused'];
}

const daily = { cron: '0 9 * * *' };

describe('parsing a timing', () => {
  it('a parsed timing is normalized and has its defaults filled in', () => {
    const result = read({ rule: { cron: ' 0  9 * * mon-fri ' }, timezone: 'europe/berlin' });
    expect(result.ok && result.timing).toEqual({
      rule: { kind: 'cron', cron: '0 9 * * MON-FRI' },
      timezone: 'Europe/Berlin',
      startAt: null,
      endAt: null,
      dst: { gap: 'shift', overlap: 'first' },
      leapDay: 'skip',
      exclusions: [],
      calendars: {},
      onExcluded: 'skip',
      businessDays: [],
      settledAts: [],
      anchorAt,
    });
  });

  it('the time of a rule `at` is an instant if it has a UTC offset, and otherwise a local time', () => {
    const at = (text: string) => {
      const result = read({ rule: { at: text }, timezone: 'America/New_York' });
      return result.ok && result.timing.rule.kind === 'at'
        ? new Date(result.timing.rule.at).toISOString()
        : null;
    };
    expect(at('2026-07-01T09:00:00')).toBe('2026-07-01T13:00:00.000Z');
    expect(at('2026-07-01T09:00:00.5')).toBe('2026-07-01T13:00:00.500Z');
    expect(at('2026-07-01 09:00')).toBe('2026-07-01T13:00:00.000Z');
    expect(at('2026-07-01T09:00:00+02:00')).toBe('2026-07-01T07:00:00.000Z');
    expect(at('2026-07-01T09:00:00Z')).toBe('2026-07-01T09:00:00.000Z');
    expect(at('2026-03-08T02:30:00')).toBe('2026-03-08T07:00:00.000Z');
    expect(at('2026-11-01T01:30:00')).toBe('2026-11-01T05:30:00.000Z');
  });

  it('a rule `at` with a local time inside a DST gap or overlap follows the DST policy', () => {
    const input = {
      rule: { at: '2026-11-01T01:30:00' },
      timezone: 'America/New_York',
      dst: { overlap: 'second' },
    };
    const result = read(input);
    expect(result.ok && result.timing.rule).toMatchObject({ at: Date.parse('2026-11-01T06:30:00Z') });
    const missing = {
      rule: { at: '2026-03-08T02:30:00' },
      timezone: 'America/New_York',
      dst: { gap: 'skip' },
    };
    expect(problems(missing)[0]).toContain('does not exist in America/New_York');
  });

  it.each(['TZ', 'CRON_TZ'])('the prefix %s= of a cron pattern sets its time zone', (prefix) => {
    const cron = `${prefix}=Europe/Berlin 0 9 * * *`;
    const result = read({ rule: { cron } });
    expect(result.ok && result.timing).toMatchObject({
      rule: { kind: 'cron', cron: '0 9 * * *' },
      timezone: 'Europe/Berlin',
    });
    expect(read({ rule: { cron }, timezone: 'europe/berlin' }).ok).toBe(true);
    expect(problems({ rule: { cron }, timezone: 'Asia/Tokyo' })).toEqual([
      'rule.cron: begins with the time zone Europe/Berlin, but timezone is Asia/Tokyo; write only one of them',
    ]);
    expect(problems({ rule: { cron: `${prefix}=Mars 0 9 * * *` } })[0]).toContain(
      '"Mars" is not a known time zone',
    );
  });

  it('leapDay defaults to skip for a cron rule and to feb28 for an RRULE', () => {
    const leapDayOf = (rule: unknown) => {
      const result = read({ rule });
      return result.ok && result.timing.leapDay;
    };
    expect(leapDayOf({ cron: '0 0 29 2 *' })).toBe('skip');
    expect(leapDayOf({ rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29' })).toBe('feb28');
  });

  it('the rule `in` counts from the creation of its schedule', () => {
    const result = read({ rule: { in: 'PT15M' } });
    expect(result.ok && result.timing.rule).toEqual({ kind: 'at', at: anchorAt + 900_000, wallTime: null });
  });
});

describe('invalid timing', () => {
  it.each([
    [{ rule: { cron: '0 25 * * *' } }, 'rule.cron: field 2 (hour) is 25; expected 0-23'],
    [
      { rule: daily, timezone: '+02:00' },
      'timezone: "+02:00" is a UTC offset, which has no daylight saving time',
    ],
    [{ rule: daily, timezone: 'Berlin' }, 'did you mean Europe/Berlin?'],
    [{ rule: daily, timezone: 5 }, 'timezone: expected the name of a time zone'],
    [
      { rule: { every: 'P1M' } },
      'rule.every: is "P1M"; expected an ISO 8601 duration such as PT15M or P1D; months and years differ in length, use rrule',
    ],
    [{ rule: { every: 'PT0.5S' } }, 'rule.every: is PT0.5S; expected at least PT1S'],
    [{ rule: { in: 'soon' } }, 'rule.in: is "soon"; expected an ISO 8601 duration'],
    [{ rule: { at: 'tomorrow' } }, 'rule.at: is "tomorrow"; expected a date and time such as'],
    [{ rule: { at: '2026-02-30T09:00:00Z' } }, 'rule.at: the day is 30; that month has days 1-28'],
    [{ rule: { at: '2026-02-01T09:00:00+25:00' } }, 'the offset is +25:00'],
    [{ rule: {} }, 'rule: expected exactly one of at, in, every, cron, rrule'],
    [{ rule: { cron: '* * * * *', at: '2026-02-01T09:00:00Z' } }, 'rule: expected exactly one of'],
    [{ rule: daily, dst: { gap: 'jump' } }, 'dst.gap: expected shift or skip'],
    [{ rule: daily, dst: { overlap: 'third' } }, 'dst.overlap: expected first, second or both'],
    [{ rule: daily, leapDay: 'never' }, 'leapDay: expected feb28, mar1 or skip'],
    [{ rule: daily, startAt: 'x' }, 'startAt: is "x"; expected a date and time'],
    [
      { rule: daily, startAt: '2026-03-01T00:00:00Z', endAt: '2026-02-01T00:00:00Z' },
      'endAt: is before startAt',
    ],
    [{ rule: daily, exclusions: ['2026-02-30'] }, 'exclusions.0: "2026-02-30" is not a date'],
    [
      { rule: daily, exclusions: ['2026-02-03/2026-02-01'] },
      'exclusions.0: "2026-02-03/2026-02-01" ends before it begins',
    ],
    [{ rule: daily, exclusions: 'christmas' }, 'exclusions: expected a list of dates'],
  ])('invalid timing %j is refused with the message %j', (input, message) => {
    expect(problems(input).join('\n')).toContain(message);
  });

  it.each([
    [
      { rule: { cron: '0 0 30 2 *' } },
      'rule.cron: this rule never fires: no date and time up to 2199 match it',
    ],
    [
      { rule: daily, endAt: '2026-01-15T13:00:00Z' },
      'this rule never fires: its first occurrence is after endAt',
    ],
    [{ rule: { at: '2026-02-01T00:00:00Z' }, exclusions: ['2026-02-01'] }, 'every occurrence is excluded'],
    [{ rule: { at: '2026-02-01T00:00:00Z' }, startAt: '2026-03-01T00:00:00Z' }, 'it is before startAt'],
    [
      { rule: { rrule: 'DTSTART:20200101T090000Z\nRRULE:FREQ=DAILY;COUNT=3' } },
      'its last occurrence is past',
    ],
    [
      { rule: { rrule: 'FREQ=DAILY;UNTIL=20260301' }, startAt: '2026-06-01T00:00:00Z' },
      'its last occurrence is before startAt',
    ],
    [{ rule: { every: 'P1D' }, endAt: '2026-01-16T00:00:00Z' }, 'its first occurrence is after endAt'],
    [
      { rule: { every: 'P1D' }, endAt: '2026-01-16T00:00:00Z', exclusions: ['2026-01-01/2200-12-31'] },
      'no occurrence is left before endAt and outside the exclusions',
    ],
  ])('timing %j never fires and is refused with the reason %j', (input, message) => {
    expect(problems(input).join('\n')).toContain(message);
  });

  it('exclusions of more than 10,000 dates, including those of calendars, are refused', () => {
    const dates = Array.from({ length: 1000 }, (_, i) => new Date(i * 86_400_000).toISOString().slice(0, 10));
    const names = Array.from({ length: 11 }, (_, i) => `calendar-${i}`);
    const result = parseTiming(
      { rule: daily, exclusions: names },
      { anchorAt, calendars: new Map(names.map((name) => [name, dates])) },
    );
    expect(result.ok ? [] : result.problems).toEqual([
      { field: 'exclusions', message: 'name 11000 dates with their calendars; expected at most 10000' },
    ]);
  });

  it('an invalid timing is refused with a list of all its problems', () => {
    const input = { rule: { cron: '99 * * * *' }, timezone: 'Mars', leapDay: 'x', endAt: 'y' };
    expect(problems(input)).toHaveLength(4);
  });
});

describe('warnings', () => {
  it('valid rules that are often mistakes get a warning', () => {
    expect(warnings({ rule: { cron: '0 9 13 * FRI' } })[0]).toContain('match either');
    expect(warnings({ rule: { cron: '0 9 31 * *' } })[0]).toContain('months without a day 31 are left out');
    expect(warnings({ rule: { rrule: 'FREQ=MONTHLY;BYMONTHDAY=30' } })[0]).toContain(
      'months without a day 30',
    );
    expect(warnings({ rule: { at: '2020-01-01T00:00:00Z' } })).toEqual(['this instant is already past']);
  });

  it('weekday numbers in a cron pattern with ? get a warning, because Quartz and AWS count them differently', () => {
    const warning = 'weekdays count from 0 = Sunday here, but from 1 = Sunday in Quartz and AWS';
    expect(warnings({ rule: { cron: '0 0 12 ? * 2' } })[0]).toContain(warning);
    expect(warnings({ rule: { cron: '0 12 ? * 2-6' } })[0]).toContain(warning);
    expect(warnings({ rule: { cron: '0 12 ? * MON' } })).toEqual([]);
    expect(warnings({ rule: { cron: '0 12 1 * ?' } })).toEqual([]);
    expect(warnings({ rule: { cron: '0 12 * * 2' } })).toEqual([]);
  });

  it('cron on 29 February gets a warning unless leapDay is set', () => {
    const warning = '29 February exists in leap years only; set leapDay to feb28 or mar1 to fire every year';
    expect(warnings({ rule: { cron: '0 0 29 2 *' } })).toEqual([warning]);
    expect(warnings({ rule: { cron: '0 0 29 2 *' }, leapDay: 'skip' })).toEqual([]);
  });

  it('a yearly RRULE that fires every month or every week gets a warning', () => {
    expect(warnings({ rule: { rrule: 'FREQ=YEARLY;BYMONTHDAY=15' } })[0]).toContain('fires in every month');
    expect(warnings({ rule: { rrule: 'FREQ=YEARLY;BYDAY=MO' } })[0]).toContain('fires in every week');
    expect(warnings({ rule: { rrule: 'FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=15' } })).toEqual([]);
    expect(warnings({ rule: { rrule: 'FREQ=YEARLY;BYDAY=1MO' } })).toEqual([]);
  });

  it('the zones EST and MST get a warning, because they have no daylight saving time', () => {
    expect(warnings({ rule: daily, timezone: 'EST' })).toEqual([
      'EST is standard time all year round; America/New_York has daylight saving time in summer',
    ]);
    expect(warnings({ rule: daily, timezone: 'MST' })[0]).toContain('MST is standard time all year round');
    expect(warnings({ rule: { every: 'PT1H' }, timezone: 'EST' })).toEqual([]);
  });

  it('a warning names each DST gap of the coming year that contains a local time of the rule', () => {
    const input = { rule: { cron: '30 2 * * *' }, timezone: 'Europe/Berlin' };
    expect(warnings(input)).toEqual(['2026-03-29: clocks go forward: 02:30 does not exist, fires at 03:00']);
    expect(warnings({ ...input, dst: { gap: 'skip' } })).toEqual([
      '2026-03-29: clocks go forward: 02:30 does not exist, nothing fires',
    ]);
    expect(warnings({ ...input, rule: { cron: '30 * * * *' } })).toEqual([]);
    expect(warnings({ ...input, rule: { at: '2026-10-25T02:30:00' } })[0]).toContain('happens twice');
  });

  it('ordinary rules get no warning', () => {
    expect(warnings({ rule: { cron: '0 9 * * 1-5' }, timezone: 'America/New_York' })).toEqual([]);
    expect(warnings({ rule: { every: 'PT15M' } })).toEqual([]);
    expect(
      warnings({ rule: { rrule: 'DTSTART;TZID=Europe/Berlin:20260201T090000\nRRULE:FREQ=DAILY' } }),
    ).toEqual([]);
  });
});
