import { describe, expect, it } from 'vitest';
import { anchorAt, days, fires, timingOf } from '../../test/rule-fires.js';
import { localTime } from '../calendar/wall-time.js';
import { countOccurrences, nextOccurrences } from '../occurrences.js';

const NINE = 'DTSTART;TZID=America/New_York:19970902T090000\nRRULE:';

describe('examples of RFC 5545, 3.8.5.3', () => {
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
      'every other month on the first and last Sunday',
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
      'the 20th Monday of the year',
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
  ])('the RFC 5545 example "%s" fires at the times that the RFC lists', (_name, rule, expected) => {
    expect(fires(`${NINE}${rule}`, expected.length)).toEqual(expected.map((day) => `${day}T09:00`));
    const timing = timingOf(`${NINE}${rule}`);
    const ends = /COUNT|UNTIL/.test(rule);
    if (ends) expect(countOccurrences(timing, anchorAt, Date.UTC(2100, 0, 1))).toBe(expected.length);
  });

  it.each([
    [
      'every 3 hours until 17:00 UTC',
      'FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z',
      ['02T09:00', '02T12:00'],
    ],
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
      'every 20 minutes from 09:00 to 16:40, as a minutely rule',
      'FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16',
      ['02T09:00', '02T09:20', '02T09:40', '02T10:00'],
    ],
  ])('the RFC 5545 example "%s" fires at the times that the RFC lists', (_name, rule, expected) => {
    expect(fires(`${NINE}${rule}`, expected.length)).toEqual(expected.map((time) => `1997-09-${time}`));
  });

  it('a daily RRULE keeps its local time through a DST change', () => {
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
  ])('WKST=%s decides where the weeks of INTERVAL=2 begin', (weekStart, expected) => {
    const rule = `DTSTART;TZID=America/New_York:19970805T090000\nRRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=${weekStart}`;
    expect(fires(rule, 5)).toEqual(expected.map((day) => `${day}T09:00`));
  });
});
