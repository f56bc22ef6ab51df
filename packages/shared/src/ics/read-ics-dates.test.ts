import { describe, expect, it } from 'vitest';
import { readIcsDates } from './read-ics-dates.js';

const nowAt = Date.parse('2026-11-18T00:00:00Z');
const ics = (...events: string[]) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...events.map((event) => `BEGIN:VEVENT\r\n${event}\r\nEND:VEVENT`),
    'END:VCALENDAR',
  ].join('\r\n');
const read = (text: string) => readIcsDates(text, { nowAt, maxDates: 1_000 });
const datesOf = (...events: string[]) => {
  const result = read(ics(...events));
  if (!result.ok) throw new Error(result.problem);
  return result.dates;
};

describe('reading holidays from an .ics file', () => {
  it('a whole-day event of an .ics file excludes its days up to, but not including, its DTEND', () => {
    expect(datesOf('DTSTART;VALUE=DATE:20261225\r\nDTEND;VALUE=DATE:20261227\r\nSUMMARY:Christmas')).toEqual([
      '2026-12-25',
      '2026-12-26',
    ]);
    expect(datesOf('DTSTART;VALUE=DATE:20270101')).toEqual(['2027-01-01']);
  });

  it('an event with a time of day in an .ics file excludes each day that it touches', () => {
    const event = 'DTSTART;TZID=Europe/Berlin:20261231T180000\r\nDTEND;TZID=Europe/Berlin:20270101T060000';
    expect(datesOf(event)).toEqual(['2026-12-31', '2027-01-01']);
    expect(datesOf('DTSTART:20261231T000000Z\r\nDTEND:20270101T000000Z')).toEqual(['2026-12-31']);
    expect(datesOf('DTSTART:20261231T180000\r\nDURATION:PT12H')).toEqual(['2026-12-31', '2027-01-01']);
    expect(datesOf('DTSTART:20261231T180000\r\nDURATION:PT6H')).toEqual(['2026-12-31']);
  });

  it('a yearly event of an .ics file excludes its dates from a year ago until five years ahead, except its EXDATEs', () => {
    const event = 'DTSTART;VALUE=DATE:20000501\r\nRRULE:FREQ=YEARLY\r\nEXDATE;VALUE=DATE:20280501';
    expect(datesOf(event)).toEqual(['2026-05-01', '2027-05-01', '2029-05-01', '2030-05-01', '2031-05-01']);
  });

  it('durations, folded lines, alarms and cancelled events of an .ics file are read as RFC 5545 says', () => {
    const folded =
      'DTSTART;VALUE=D\r\n ATE:20261224\r\nDURATION:P2D\r\nBEGIN:VALARM\r\nDURATION:P9D\r\nEND:VALARM';
    expect(datesOf(folded, 'DTSTART;VALUE=DATE:20270301\r\nSTATUS:CANCELLED')).toEqual([
      '2026-12-24',
      '2026-12-25',
    ]);
  });

  it('an .ics file without a calendar, without dates or with too many dates is refused with the reason', () => {
    expect(read('<html>')).toEqual({ ok: false, problem: 'it does not begin with BEGIN:VCALENDAR' });
    expect(read(ics())).toMatchObject({ ok: false, problem: expect.stringContaining('no event') });
    expect(read(ics('SUMMARY:x'))).toMatchObject({ ok: false, problem: expect.stringContaining('event 1') });
    const many = ics('DTSTART;VALUE=DATE:20260101\r\nRRULE:FREQ=DAILY');
    expect(read(many)).toMatchObject({ ok: false, problem: expect.stringContaining('more than 1000') });
  });
});
