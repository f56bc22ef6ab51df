import { describe, expect, it } from 'vitest';
import { parseTiming, type TimingInput } from '../parse-timing.js';
import type { Timing } from '../timing.js';
import { describeRule } from './describe-rule.js';
import { dstRemark } from './dst-remark.js';

function timingOf(input: TimingInput): Timing {
  const result = parseTiming(input, { anchorAt: Date.UTC(2026, 0, 15, 12) });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.timing;
}

const NEW_YORK = 'America/New_York';
const AT_NINE = 'BYHOUR=9;BYMINUTE=0;BYSECOND=0';

describe('describing a rule', () => {
  it.each([
    ['0 9 * * 1-5', 'at 09:00 on weekdays'],
    ['30 2 * * *', 'at 02:30 every day'],
    ['0 9,17 * * 1,3', 'at 09:00 and 17:00 on Monday and Wednesday'],
    ['0 9 * * 0,6', 'at 09:00 on weekends'],
    ['*/15 * * * *', 'every 15 minutes'],
    ['0 * * * *', 'every hour'],
    ['* * * * * *', 'every second'],
    ['*/10 9-17 * * MON-FRI', 'every 10 minutes, between 09:00 and 17:59, on weekdays'],
    ['0 9 1 * *', 'at 09:00 on the 1st of the month'],
    ['0 9 1,15 6 *', 'at 09:00 on the 1st and the 15th of June'],
    ['0 9 29 2 *', 'at 09:00 on the 29th of February (in leap years only)'],
    ['0 9 L * *', 'at 09:00 on the last day of the month'],
    ['0 9 15W * *', 'at 09:00 on the weekday nearest the 15th of the month'],
    ['0 9 * * MON#2', 'at 09:00 on the 2nd Monday of the month'],
    ['0 9 * 6 5L', 'at 09:00 on the last Friday of June'],
    ['0 9 13 * FRI', 'at 09:00 on the 13th of the month and also on Friday'],
    ['0 9 1-7 * *', 'at 09:00 on days 1-7 of the month'],
    ['0 9 * 6 *', 'at 09:00 in June'],
  ])('the cron pattern %s is described as "%s"', (cron, words) => {
    expect(describeRule(timingOf({ rule: { cron }, timezone: NEW_YORK }))).toBe(`${words}, New York time`);
  });

  it.each([
    [`FREQ=DAILY;${AT_NINE}`, 'every day at 09:00'],
    [
      'FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=30;BYSECOND=0',
      'every week on Monday and Wednesday at 09:30',
    ],
    [`FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR;${AT_NINE}`, 'every 2 weeks on weekdays at 09:00'],
    [`FREQ=MONTHLY;BYDAY=-1FR;${AT_NINE}`, 'every month on the last Friday at 09:00'],
    [`FREQ=MONTHLY;BYMONTHDAY=-1;${AT_NINE}`, 'every month on the last day at 09:00'],
    [
      `FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;${AT_NINE}`,
      'every month on weekdays at 09:00, only the last of them',
    ],
    [`FREQ=DAILY;COUNT=3;${AT_NINE}`, 'every day at 09:00, 3 times'],
    [`FREQ=DAILY;UNTIL=20270101;${AT_NINE}`, 'every day at 09:00, until 2027-01-01'],
    ['FREQ=HOURLY;INTERVAL=3', 'every 3 hours'],
    ['FREQ=MINUTELY;BYDAY=MO,TU,WE,TH,FR', 'every minute on weekdays'],
    ['RDATE:20270101T090000', 'on 1 date named'],
    [`FREQ=YEARLY;BYMONTHDAY=15;${AT_NINE}`, 'every year on the 15th of every month at 09:00'],
    [
      `FREQ=YEARLY;INTERVAL=2;BYMONTHDAY=1,15;${AT_NINE}`,
      'every 2 years on the 1st and the 15th of every month at 09:00',
    ],
    [`FREQ=YEARLY;BYDAY=MO;${AT_NINE}`, 'every year on every Monday at 09:00'],
    [`FREQ=YEARLY;BYDAY=20MO;${AT_NINE}`, 'every year on the 20th Monday of the year at 09:00'],
    [`FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24;${AT_NINE}`, 'every year on 24 December at 09:00'],
    [
      `FREQ=YEARLY;BYMONTH=6,7;BYMONTHDAY=-1;${AT_NINE}`,
      'every year on the last day of the month in June and July at 09:00',
    ],
    [`FREQ=YEARLY;BYMONTH=3;BYDAY=TH;${AT_NINE}`, 'every year on every Thursday in March at 09:00'],
    [`FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;${AT_NINE}`, 'every year on Monday in week 20 of the year at 09:00'],
    [
      `FREQ=YEARLY;BYYEARDAY=1,100,-1;${AT_NINE}`,
      'every year on the last day, the 1st and the 100th of the year at 09:00',
    ],
    [`FREQ=MONTHLY;BYDAY=TU;${AT_NINE}`, 'every month on every Tuesday at 09:00'],
    [`FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;${AT_NINE}`, 'every month on the 13th if it is a Friday at 09:00'],
    [`FREQ=MONTHLY;BYMONTHDAY=1,2,3,4,5,6,7;${AT_NINE}`, 'every month on days 1-7 at 09:00'],
    [`FREQ=DAILY;BYMONTH=1;${AT_NINE}`, 'every day in January at 09:00'],
    [`FREQ=DAILY;INTERVAL=3;BYDAY=MO,TU,WE,TH,FR;${AT_NINE}`, 'every 3 days on weekdays at 09:00'],
    [
      `FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;${AT_NINE}`,
      'every year on 29 February (28 February in other years) at 09:00',
    ],
  ])('the RRULE %s is described as "%s"', (rrule, words) => {
    expect(describeRule(timingOf({ rule: { rrule }, timezone: NEW_YORK }))).toBe(`${words}, New York time`);
  });

  it('the description of a one-shot names its date, and that of an interval names its length', () => {
    expect(describeRule(timingOf({ rule: { at: '2026-12-24T18:00:00' }, timezone: 'Europe/Berlin' }))).toBe(
      'once, at 18:00 on 24 December 2026, Berlin time',
    );
    expect(describeRule(timingOf({ rule: { every: 'PT90M' } }))).toBe('every 90 minutes');
    expect(describeRule(timingOf({ rule: { every: 'P1DT1S' } }))).toBe('every 1 day and 1 second');
    expect(describeRule(timingOf({ rule: { cron: '0 9 * * *' } }))).toBe('at 09:00 every day, UTC');
  });
});

describe('DST remark', () => {
  const berlin = (rule: TimingInput['rule'], dst?: TimingInput['dst']) =>
    timingOf({ rule, timezone: 'Europe/Berlin', dst });
  const spring = Date.parse('2026-03-29T01:00:00Z');
  const autumn = Date.parse('2026-10-25T00:30:00Z');

  it('the remark on an occurrence in a DST gap says that the time does not exist and when it fires instead', () => {
    const remark = 'clocks go forward: 02:30 does not exist, fires at 03:00';
    expect(dstRemark(berlin({ cron: '30 2 * * *' }), spring)).toBe(remark);
    expect(dstRemark(berlin({ at: '2026-03-29T02:30:00' }), spring)).toBe(remark);
    expect(dstRemark(berlin({ cron: '*/20 2 * * *' }), spring)).toBe(
      'clocks go forward: 02:00 to 02:40 do not exist, fires at 03:00',
    );
  });

  it('the remark on an occurrence in a DST overlap says that the time happens twice and which one fires', () => {
    expect(dstRemark(berlin({ cron: '30 2 * * *' }), autumn)).toBe(
      'clocks go back: 02:30 happens twice, fires at the first',
    );
    expect(dstRemark(berlin({ cron: '30 2 * * *' }, { overlap: 'second' }), autumn + 3_600_000)).toBe(
      'clocks go back: 02:30 happens twice, fires at the second',
    );
    expect(dstRemark(berlin({ cron: '30 * * * *' }), autumn + 3_600_000)).toBe(
      'clocks go back: 02:30 happens twice, fires both times, this is the second',
    );
    expect(dstRemark(berlin({ at: '2026-10-25T02:30:00' }), autumn)).toContain('fires at the first');
  });

  it('an occurrence that no DST change affects has no DST remark', () => {
    expect(dstRemark(berlin({ cron: '30 2 * * *' }), spring + 86_400_000)).toBeNull();
    expect(dstRemark(berlin({ cron: '0 3 * * *' }), spring)).toBeNull();
    expect(dstRemark(berlin({ cron: '30 4 * * *' }), autumn + 3 * 3_600_000)).toBeNull();
    expect(dstRemark(berlin({ every: 'PT1H' }), spring)).toBeNull();
    expect(dstRemark(berlin({ at: '2026-10-25T00:30:00Z' }), autumn)).toBeNull();
  });
});
