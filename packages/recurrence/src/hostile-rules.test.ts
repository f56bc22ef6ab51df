import { describe, expect, it } from 'vitest';
import { localTime } from './calendar/wall-time.js';
import { countOccurrences, firstOccurrence, lastOccurrence, nextOccurrences } from './occurrences.js';
import { parseTiming, type TimingInput } from './parse-timing.js';

const anchorAt = Date.UTC(2026, 0, 15, 12) - 1;
const ENDS_AT = Date.UTC(2199, 11, 31);

const list = (length: number, item: (i: number) => string | number) =>
  Array.from({ length }, (_, i) => item(i)).join();
const all60 = list(60, (i) => i);
const all24 = list(24, (i) => i);
const stamps = (length: number) =>
  list(length, (i) => new Date(anchorAt + 1 + i * 86_400_000).toISOString().replace(/[-:]|\.000Z/g, ''));
const start = (day: string) => `DTSTART:${day}\nRRULE:`;

// Rules that make other libraries hang, or could make ours hang. Each comes with the date of its first occurrence, or
// `null` if it must be refused.
const CORPUS: [TimingInput['rule'], string | null][] = [
  [{ cron: '0 0 30 2 *' }, null],
  [{ cron: '0 0 31 2,4,6,9,11 *' }, null],
  [{ cron: '0 0 31W 2 *' }, null],
  [{ cron: '0 0 29 2 1#5' }, '2028-02-29'],
  [{ cron: '0 0 * 2 MON#5' }, '2044-02-29'],
  [{ cron: '0 0 L-30 * *' }, '2026-03-01'],
  [{ cron: '0 0 L-30 2 *' }, null],
  [{ cron: '59 59 23 31 12 *' }, '2026-12-31'],
  [{ cron: '* * * * * *' }, '2026-01-15'],
  [{ cron: `${all60} ${all60} ${all24} * * *` }, '2026-01-15'],
  [{ cron: '0'.repeat(100_000) }, null],
  [{ cron: '*,'.repeat(50_000) }, null],
  [{ cron: ' '.repeat(100_000) }, null],
  [{ cron: `${'0,'.repeat(300)}0 * * * *` }, null],
  [{ cron: '0 0 31W 4,6,9,11 *' }, null],
  [{ cron: '0-0/60 * * * *' }, '2026-01-15'],
  [{ cron: '*/99999999999999999999 * * * *' }, null],
  [{ cron: '١ * * * *' }, null],
  [{ cron: '__proto__ * * * *' }, null],
  [{ cron: '@constructor' }, null],
  [{ cron: '0 0 1-31/31 * 0-7/7' }, '2026-01-18'],
  [{ every: 'PT0S' }, null],
  [{ every: 'PT0.999S' }, null],
  [{ every: 'P1M' }, null],
  [{ every: 'P1Y' }, null],
  [{ every: '-PT5M' }, null],
  [{ every: 'P999999999W' }, null],
  [{ every: `PT${'9'.repeat(100_000)}S` }, null],
  [{ every: 'PT1S' }, '2026-01-15'],
  [{ in: 'P999999W' }, null],
  [{ in: 'PT0S' }, '2026-01-15'],
  [{ at: '9999-12-31T23:59:59Z' }, null],
  [{ at: '2026-02-30T00:00:00Z' }, null],
  [{ at: '2026-13-01T00:00:00Z' }, null],
  [{ at: '2026-01-01T24:00:00Z' }, null],
  [{ at: `${'1'.repeat(100_000)}` }, null],
  [{ rrule: 'FREQ=DAILY;INTERVAL=-1' }, null],
  [{ rrule: 'FREQ=DAILY;INTERVAL=0' }, null],
  [{ rrule: 'FREQ=DAILY;INTERVAL=99999999999999999999' }, null],
  [{ rrule: 'FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30' }, null],
  [{ rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31' }, null],
  [{ rrule: 'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31' }, null],
  [{ rrule: 'FREQ=MONTHLY;BYMONTHDAY=31;INTERVAL=12;BYMONTH=6' }, null],
  [{ rrule: `${start('20260115T120000')}FREQ=HOURLY;INTERVAL=2;BYHOUR=1` }, null],
  [{ rrule: `${start('20260115T130000')}FREQ=HOURLY;INTERVAL=2;BYHOUR=1` }, '2026-01-16'],
  [{ rrule: `${start('20260115T120000')}FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1` }, null],
  [{ rrule: `${start('20260115T120000')}FREQ=SECONDLY;INTERVAL=2;BYSECOND=1` }, null],
  [
    { rrule: `${start('20260115T120000')}FREQ=SECONDLY;INTERVAL=9973;BYHOUR=3;BYMINUTE=14;BYSECOND=15` },
    '2030-12-02',
  ],
  [
    { rrule: `${start('20260115T120000')}FREQ=SECONDLY;INTERVAL=10000;BYHOUR=3;BYMINUTE=14;BYSECOND=15` },
    null,
  ],
  [{ rrule: `${start('20260115T120000')}FREQ=HOURLY;INTERVAL=9999;BYMONTH=7;BYMONTHDAY=4;BYHOUR=4` }, null],
  [{ rrule: `${start('20260115T120000')}FREQ=DAILY;INTERVAL=7;BYDAY=MO` }, null],
  [{ rrule: 'FREQ=YEARLY;INTERVAL=10000' }, null],
  [{ rrule: `${start('20270115T120000')}FREQ=YEARLY;INTERVAL=10000` }, '2027-01-15'],
  [{ rrule: 'FREQ=SECONDLY;COUNT=1000000000' }, '2026-01-15'],
  [{ rrule: `${start('19000101T000000')}FREQ=SECONDLY;COUNT=1000000000` }, null],
  [{ rrule: `${start('19000101T000000')}FREQ=DAILY;COUNT=100000` }, '2026-01-16'],
  [{ rrule: `${start('19000101T000000')}FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=1000000000` }, null],
  [
    { rrule: `${start('19000101T000000')}FREQ=SECONDLY;INTERVAL=7;BYSECOND=3,5;COUNT=1000000000` },
    '2026-01-15',
  ],
  [{ rrule: `FREQ=SECONDLY;BYHOUR=${all24};BYMINUTE=${all60};BYSECOND=${all60}` }, '2026-01-15'],
  [
    {
      rrule: `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${all24};BYMINUTE=${all60};BYSECOND=${all60};BYSETPOS=-1`,
    },
    '2026-12-31',
  ],
  [{ rrule: 'FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;BYSETPOS=366' }, null],
  [{ rrule: 'FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;BYSETPOS=367' }, null],
  [{ rrule: 'FREQ=DAILY;BYSETPOS=1' }, null],
  [{ rrule: 'FREQ=SECONDLY;BYSECOND=1;BYSETPOS=2' }, null],
  [{ rrule: 'FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6' }, null],
  [{ rrule: 'FREQ=YEARLY;BYWEEKNO=1;BYYEARDAY=200' }, null],
  [{ rrule: 'FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1' }, null],
  [{ rrule: 'FREQ=YEARLY;BYYEARDAY=366;BYDAY=WE' }, '2036-12-31'],
  [{ rrule: 'FREQ=YEARLY;BYDAY=53MO' }, '2029-12-31'],
  [{ rrule: 'FREQ=MONTHLY;BYDAY=6MO' }, null],
  [{ rrule: 'FREQ=MONTHLY;BYDAY=-53SU' }, null],
  [{ rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;INTERVAL=3' }, '2044-02-29'],
  [{ rrule: 'FREQ=DAILY;UNTIL=19700101T000000Z' }, null],
  [{ rrule: `FREQ=DAILY;BYHOUR=${'1,'.repeat(50_000)}1` }, null],
  [{ rrule: `RRULE:${'FREQ=DAILY;'.repeat(10_000)}` }, null],
  [{ rrule: `FREQ=DAILY;BYHOUR=${'1,'.repeat(2000)}1` }, null],
  [{ rrule: 'X'.repeat(100_000) }, null],
  [{ rrule: '\n'.repeat(100_000) }, null],
  [{ rrule: '\r\n '.repeat(10_000) }, null],
  [{ rrule: `FREQ=DAILY\nEXDATE:${stamps(10_000)}` }, null],
  [{ rrule: `FREQ=DAILY\nEXDATE:${stamps(501)}` }, null],
  [{ rrule: `${start('20260115T120000')}FREQ=DAILY;COUNT=400\nEXDATE:${stamps(500)}` }, null],
  [{ rrule: `${start('20260115T120000')}FREQ=DAILY\nEXDATE:${stamps(500)}` }, '2027-05-30'],
  [{ rrule: `RDATE:${stamps(500)}` }, '2026-01-15'],
  [{ rrule: `RDATE:${stamps(500)}\nEXDATE:${stamps(500)}` }, null],
  [{ rrule: `RDATE:${stamps(400)}\nRDATE:${stamps(400)}` }, null],
  [
    { rrule: Array.from({ length: 400 }, () => 'EXDATE;TZID=Europe/Berlin:20260101T000000').join('\n') },
    null,
  ],
  [{ rrule: 'DTSTART;TZID=../../etc/passwd:20260101T000000\nRRULE:FREQ=DAILY' }, null],
  [{ rrule: 'FREQ=DAILY;__proto__=1' }, null],
  [{ rrule: 'FREQ=DAILY;CONSTRUCTOR=1' }, null],
  [{ rrule: 'RRULE:FREQ=DAILY\nEXRULE:FREQ=DAILY' }, null],
];

describe('hostile rule', () => {
  it.each(CORPUS.map(([rule, first]) => [JSON.stringify(rule).slice(0, 90), rule, first] as const))(
    'the rule %s, which could make the evaluation hang, is refused or evaluated within the step budget',
    (_name, rule, first) => {
      for (const timezone of ['UTC', 'America/New_York']) {
        const result = parseTiming({ rule, timezone }, { anchorAt });
        if (!result.ok) {
          expect(first).toBeNull();
          expect(result.problems.every(({ message }) => message.length > 0 && message.length < 300)).toBe(
            true,
          );
          continue;
        }
        const firstAt = firstOccurrence(result.timing) ?? 0;
        const instants = nextOccurrences(result.timing, firstAt - 1, 3);
        expect(localTime(firstAt, timezone).slice(0, 10)).toBe(first ?? 'refused');
        expect(instants[0]).toBe(firstAt);
        expect(lastOccurrence(result.timing, firstAt - 1, ENDS_AT)).not.toBeNull();
        expect(countOccurrences(result.timing, firstAt - 1, ENDS_AT)).toBeGreaterThanOrEqual(instants.length);
      }
    },
  );

  it.each([
    ['undefined', undefined],
    ['an empty object', {}],
    ['two rules', { cron: '* * * * *', every: 'PT1M' }],
    ['a rule of another kind', { magic: '1' }],
    ['a number', { cron: 5 }],
    ['a list', ['* * * * *']],
    ['a string', '* * * * *'],
  ])('a timing whose rule is %s is refused', (_name, rule) => {
    const result = parseTiming({ rule } as unknown as TimingInput, { anchorAt });
    expect(result.ok ? [] : result.problems[0]?.field).toMatch(/^rule/);
  });

  it('a rule is refused if all of its days are excluded, or if it has more than 1,000 exclusions', () => {
    const everyDay = parseTiming(
      { rule: { cron: '* * * * * *' }, timezone: 'Europe/Berlin', exclusions: ['1900-01-01/2200-12-31'] },
      { anchorAt },
    );
    expect(everyDay.ok ? '' : everyDay.problems[0]?.message).toBe(
      'this rule never fires: every occurrence is excluded',
    );
    const tooMany = Array.from({ length: 1001 }, (_, i) => `${1000 + i}-01-01`);
    expect(parseTiming({ rule: { cron: '* * * * *' }, exclusions: tooMany }, { anchorAt }).ok).toBe(false);
  });

  const costlyRule = (() => {
    const dates = (day: string) => list(299, (i) => `${1900 + ((i * 37) % 299)}${day}T000000`);
    const by = `BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${all24};BYSETPOS=${list(300, (i) => i + 1)}`;
    return `${start('19000101T000000')}FREQ=YEARLY;COUNT=80000;${by}\nEXDATE:${dates('0101')}\nRDATE:${dates('0701')}`;
  })();

  it('a rule whose evaluation exceeds the step budget is refused every time, with advice on what to simplify', () => {
    for (let attempt = 0; attempt < 2; attempt++) {
      const result = parseTiming({ rule: { rrule: costlyRule } }, { anchorAt });
      expect(result.ok ? '' : result.problems[0]?.message).toBe(
        'evaluating this rule takes over 300,000 steps; shorten its BY lists, leave out BYSETPOS or COUNT, list fewer dates, or begin with a later DTSTART',
      );
    }
  });

  it('the occurrences of any accepted rule can be counted up to the year 2199, even with long BY lists and BYSETPOS', () => {
    const positions = list(366, (i) => i + 1);
    const everyDay = 'BYDAY=MO,TU,WE,TH,FR,SA,SU';
    for (const freq of ['WEEKLY', 'MONTHLY', 'YEARLY']) {
      const rrule = `${start('19000101T000000')}FREQ=${freq};${everyDay};BYHOUR=${all24};BYSETPOS=${positions}`;
      const result = parseTiming({ rule: { rrule }, timezone: 'America/New_York' }, { anchorAt });
      expect(result.ok && countOccurrences(result.timing, 0, ENDS_AT)).toBeGreaterThan(80_000);
    }
  });

  it('ordinary RRULEs with a COUNT and a DTSTART in 1900 stay within the step budget', () => {
    const rules = [
      'FREQ=DAILY;COUNT=100000',
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3000',
      'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=9,17;COUNT=40000',
      'FREQ=YEARLY;BYWEEKNO=1,53;COUNT=400',
    ];
    for (const rule of rules) {
      const input = { rule: { rrule: `${start('19000101T000000')}${rule}` }, timezone: 'America/New_York' };
      expect(parseTiming(input, { anchorAt }).ok).toBe(true);
    }
  });
});
