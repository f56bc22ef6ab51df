import { describe, expect, it } from 'vitest';
import { anchorAt, days, fires, timingOf } from '../../test/rule-fires.js';
import { localTime } from '../calendar/wall-time.js';
import { countOccurrences, nextOccurrences } from '../occurrences.js';
import { parseTiming } from '../parse-timing.js';

describe('recurrence set', () => {
  const start = 'DTSTART:20260105T090000\nRRULE:FREQ=DAILY;COUNT=5';

  it('EXDATE removes an instance, but COUNT still counts that instance', () => {
    expect(fires(`${start}\nEXDATE:20260106T090000,20260108T090000`, 9)).toEqual(
      days('2026-01: 5 7 9').map((day) => `${day}T09:00`),
    );
  });

  it('EXDATE with VALUE=DATE removes all instances of that day', () => {
    expect(fires(`${start};BYHOUR=9,10\nEXDATE;VALUE=DATE:20260106`, 9)).toEqual([
      '2026-01-05T09:00',
      '2026-01-05T10:00',
      '2026-01-07T09:00',
    ]);
  });

  it('an RDATE adds an instance, unless the RRULE has that instance already or an EXDATE removes it', () => {
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

  it('a recurrence set without RRULE has the instances of DTSTART and RDATE', () => {
    expect(fires('DTSTART:20260105T090000\nRDATE:20260107T090000', 9)).toEqual([
      '2026-01-05T09:00',
      '2026-01-07T09:00',
    ]);
  });

  it('a DTSTART that does not match its RRULE is not an instance', () => {
    expect(fires('DTSTART:20260106T090000\nRRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2', 9)).toEqual([
      '2026-01-12T09:00',
      '2026-01-19T09:00',
    ]);
  });

  it('an RRULE repeats at the local time of its TZID, which is also the default time zone of the schedule', () => {
    const timing = timingOf('DTSTART;TZID=Asia/Tokyo:20260105T090000\nRRULE:FREQ=DAILY');
    expect(timing.timezone).toBe('Asia/Tokyo');
    expect(nextOccurrences(timing, anchorAt, 1)).toEqual([Date.UTC(2026, 0, 5)]);
  });

  it('an RRULE whose DTSTART is in another time zone than the schedule gets a warning', () => {
    const rule = { rrule: 'DTSTART:20260105T090000Z\nRRULE:FREQ=DAILY' };
    const result = parseTiming({ rule, timezone: 'America/New_York' }, { anchorAt });
    expect(result.ok && result.warnings.join()).toContain('DTSTART is in UTC');
  });

  it('an RRULE without DTSTART fires COUNT times, all of them after the creation of its schedule', () => {
    const madeAt = Date.UTC(2026, 0, 15, 12, 0, 0, 250);
    const result = parseTiming({ rule: { rrule: 'FREQ=MINUTELY;INTERVAL=5;COUNT=3' } }, { anchorAt: madeAt });
    const instants = result.ok ? nextOccurrences(result.timing, madeAt, 9) : [];
    expect(instants.map((at) => new Date(at).toISOString().slice(11, 23))).toEqual([
      '12:05:00.000',
      '12:10:00.000',
      '12:15:00.000',
    ]);
  });

  it('an RRULE without DTSTART begins at startAt', () => {
    expect(fires('FREQ=DAILY;COUNT=2', 9, { startAt: '2026-06-01T08:30:00Z' })).toEqual([
      '2026-06-01T08:30',
      '2026-06-02T08:30',
    ]);
  });

  it('an RRULE with UNTIL inside a DST gap still fires the instance that is shifted out of the gap', () => {
    const rule = 'DTSTART;TZID=Europe/Berlin:20260328T023000\nRRULE:FREQ=DAILY;UNTIL=20260329T023000';
    expect(fires(rule, 9)).toEqual(['2026-03-28T02:30', '2026-03-29T03:00']);
  });

  it('BYWEEKNO numbers weeks as ISO 8601 does, even across New Year', () => {
    const rule = (weeks: string) => `DTSTART:20250101T090000\nRRULE:FREQ=YEARLY;BYWEEKNO=${weeks}`;
    const at9 = (dates: string[]) => dates.map((date) => `${date}T09:00`);
    expect(fires(rule('53;BYDAY=FR'), 3)).toEqual(at9(['2027-01-01', '2032-12-31', '2038-01-01']));
    expect(fires(rule('1;BYDAY=MO'), 3)).toEqual(at9(['2025-12-29', '2027-01-04', '2028-01-03']));
    expect(fires(rule('-1;BYDAY=SU'), 3)).toEqual(at9(['2025-12-28', '2027-01-03', '2028-01-02']));
    // Without BYDAY, the rule fires on the weekday of DTSTART, a Wednesday.
    expect(fires(rule('20'), 2)).toEqual(at9(['2025-05-14', '2026-05-13']));
  });

  it('BYSETPOS selects from the whole period of FREQ (such as a week), even if DTSTART lies inside that period', () => {
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

  it('an RRULE may have folded lines and lower case letters, and may omit the name RRULE', () => {
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
  ] as const)(
    'the RRULE %s with leapDay %s, started on 29 February 2024, fires next on %s',
    (rule, leapDay, second) => {
      const localTimes = fires(`DTSTART:20240229T090000\nRRULE:${rule}`, 2, { leapDay });
      expect(localTimes).toEqual(['2024-02-29T09:00', `${second}T09:00`]);
    },
  );

  it('BYSETPOS with BYWEEKNO selects from the whole week, even if the week begins in December', () => {
    const rule = 'FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1';
    expect(fires(`DTSTART:20250101T090000Z\nRRULE:${rule}`, 3)).toEqual([
      '2025-12-29T09:00',
      '2027-01-04T09:00',
      '2028-01-03T09:00',
    ]);
    expect(fires(`DTSTART:20250101T090000Z\nRRULE:${rule.replace('BYSETPOS=1', 'BYSETPOS=-1')}`, 2)).toEqual([
      '2025-01-03T09:00',
      '2026-01-02T09:00',
    ]);
  });

  it('INTERVAL with BYWEEKNO treats a week across New Year as one week of one year', () => {
    const rule = 'FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=MO,TU,WE,TH,FR';
    expect(fires(`DTSTART:20251229T090000Z\nRRULE:${rule}`, 6)).toEqual([
      ...['2025-12-29', '2025-12-30', '2025-12-31', '2026-01-01', '2026-01-02'].map((day) => `${day}T09:00`),
      '2028-01-03T09:00',
    ]);
    const lastWeek = 'FREQ=YEARLY;INTERVAL=2;BYWEEKNO=53;BYDAY=SU,MO';
    expect(fires(`DTSTART:20201228T090000Z\nRRULE:${lastWeek}`, 3)).toEqual([
      '2020-12-28T09:00',
      '2021-01-03T09:00',
      '2026-12-28T09:00',
    ]);
  });

  it('BYHOUR, BYMINUTE and BYSECOND are ignored with a warning if DTSTART is a date', () => {
    const rrule = 'DTSTART;VALUE=DATE:20260105\nRRULE:FREQ=DAILY;BYHOUR=9,10;BYMINUTE=30;BYSECOND=5';
    expect(fires(rrule, 2)).toEqual(['2026-01-05T00:00', '2026-01-06T00:00']);
    const result = parseTiming({ rule: { rrule } }, { anchorAt });
    expect(result.ok && result.warnings.join()).toContain('BYHOUR, BYMINUTE, BYSECOND is ignored');
  });

  it('an RRULE with DTSTART inside a DST gap does not fire at earlier local times of that gap', () => {
    const at2 = 'DTSTART;TZID=Europe/Berlin:20260329T023000\nRRULE:FREQ=DAILY;BYHOUR=2;BYMINUTE=0';
    expect(fires(at2, 1)).toEqual(['2026-03-30T02:00']);
    const at230 = at2.replace('BYMINUTE=0', 'BYMINUTE=30');
    expect(fires(at230, 2)).toEqual(['2026-03-29T03:00', '2026-03-30T02:30']);
  });

  it('an RRULE with DTSTART inside a DST overlap does not fire at earlier local times, even when the clocks repeat them', () => {
    const rule = 'DTSTART;TZID=Europe/Berlin:20261025T023000\nRRULE:FREQ=DAILY;BYHOUR=2;BYMINUTE=0,30';
    expect(fires(rule, 2, { dst: { overlap: 'second' } })).toEqual(['2026-10-25T02:30', '2026-10-26T02:00']);
    expect(fires(rule, 3, { dst: { overlap: 'both' } })).toEqual([
      '2026-10-25T02:30',
      '2026-10-25T02:30',
      '2026-10-26T02:00',
    ]);
  });

  it('an RRULE with a local UNTIL inside a DST gap or overlap does not fire at later local times', () => {
    const overlap =
      'DTSTART;TZID=Europe/Berlin:20261024T020000\nRRULE:FREQ=DAILY;BYHOUR=2;BYMINUTE=15,45;UNTIL=20261025T023000';
    expect(fires(overlap, 9)).toEqual(['2026-10-24T02:15', '2026-10-24T02:45', '2026-10-25T02:15']);
    const gap =
      'DTSTART;TZID=Europe/Berlin:20260328T024500\nRRULE:FREQ=DAILY;BYHOUR=2;BYMINUTE=45;UNTIL=20260329T023000';
    expect(fires(gap, 9)).toEqual(['2026-03-28T02:45']);
  });

  it('an RRULE every 30 minutes with DTSTART inside a DST overlap fires every 30 minutes of real time', () => {
    const timing = timingOf(
      'DTSTART;TZID=Europe/Berlin:20261025T023000\nRRULE:FREQ=MINUTELY;INTERVAL=30;COUNT=4',
    );
    expect(nextOccurrences(timing, anchorAt, 9).map((at) => localTime(at, timing.timezone))).toEqual([
      '2026-10-25T02:30:00+02:00',
      '2026-10-25T02:00:00+01:00',
      '2026-10-25T02:30:00+01:00',
      '2026-10-25T03:00:00+01:00',
    ]);
  });
});
