import { nextOccurrences, parseTiming, type Timing } from '@carillon/recurrence';
import { describe, expect, it } from 'vitest';
import { moveYearly, nameEvent, scheduleYearly, type YearlyEvent, yearAt } from './yearly-event.js';

const person = { userId: 'usr_1', firstName: 'Ada', lastName: 'Lovelace', timezone: 'Europe/London' };
const birthday: YearlyEvent = {
  name: 'birthday',
  date: '1990-12-10',
  localTime: '09:00',
  leapDay: 'feb28',
  message: null,
};

function timingOf(date: string, timezone: string, more: Partial<YearlyEvent> = {}): Timing {
  const event = { ...birthday, date, ...more };
  const input = scheduleYearly(event, { person: { ...person, timezone }, key: 'evt_1', target: null });
  const parsed = parseTiming(input as Parameters<typeof parseTiming>[0], { anchorAt: 0 });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.timing;
}

const at = (text: string) => Date.parse(text);
const iso = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());

describe('yearly event', () => {
  it('a yearly event becomes a schedule in the time zone of its user, with a message', () => {
    expect(scheduleYearly(birthday, { person, key: 'evt_1', target: null })).toMatchObject({
      rule: { cron: '0 9 10 12 *' },
      timezone: 'Europe/London',
      payload: { eventId: 'evt_1', message: 'Happy birthday, Ada Lovelace!' },
    });
  });

  it('a yearly event of 29 February with the leap day policy feb28 occurs on 28 February in years that are not leap years', () => {
    const next = nextOccurrences(timingOf('2000-02-29', 'Pacific/Apia'), at('2026-11-16T00:00:00Z'), 3);
    expect(next.map(iso)).toEqual([
      '2027-02-27T20:00:00.000Z',
      '2028-02-28T20:00:00.000Z',
      '2029-02-27T20:00:00.000Z',
    ]);
  });

  it('a yearly event keeps its local time on both sides of a clock change', () => {
    const timing = timingOf('1990-03-29', 'Europe/Berlin', { localTime: '07:30' });
    const next = nextOccurrences(timing, at('2026-01-01T00:00:00Z'), 3);
    expect(next.map(iso)).toEqual([
      '2026-03-29T05:30:00.000Z',
      '2027-03-29T05:30:00.000Z',
      '2028-03-29T05:30:00.000Z',
    ]);
  });

  it('a yearly event has a new event id each year, unless its payload has an id of its own', () => {
    const named = { key: 'evt_1', runId: 'run_r1_a' };
    expect(nameEvent('{"eventId":"evt_1","message":"hi"}', named)).toBe(
      '{"eventId":"run_r1_a","message":"hi"}',
    );
    expect(nameEvent('{"eventId":"mine"}', named)).toBe('{"eventId":"mine"}');
  });
});

describe('yearly event that is moved', () => {
  const apia = timingOf('1990-06-15', 'Pacific/Apia');
  const pagoPago = timingOf('1990-06-15', 'Pacific/Pago_Pago');
  const pending = at('2026-06-14T20:00:00Z');

  it('if a user moves west across the date line, the yearly event of the user occurs a day later, at the same local time', () => {
    const next = moveYearly({
      before: apia,
      after: pagoPago,
      pendingAt: pending,
      celebratedYear: null,
      nowAt: at('2026-06-01T00:00:00Z'),
    });
    expect(iso(next)).toBe('2026-06-15T20:00:00.000Z');
  });

  it('if a user moves east across the date line, to a zone where the time of a yearly event has passed, the event occurs at once', () => {
    const next = moveYearly({
      before: pagoPago,
      after: apia,
      pendingAt: at('2026-06-15T20:00:00Z'),
      celebratedYear: 2025,
      nowAt: at('2026-06-15T12:00:00Z'),
    });
    expect(iso(next)).toBe('2026-06-14T20:00:00.000Z');
  });

  it('a birthday greeted on 1 January is not greeted again that year after a move to a zone where it is still 31 December', () => {
    const kiritimati = timingOf('1990-01-01', 'Pacific/Kiritimati');
    const honolulu = timingOf('1990-01-01', 'Pacific/Honolulu');
    // 9 in the morning of 1 January 2026 in Kiritimati: in Honolulu it is still 2025.
    const celebratedAt = at('2025-12-31T19:00:00Z');
    const next = moveYearly({
      before: kiritimati,
      after: honolulu,
      pendingAt: at('2026-12-31T19:00:00Z'),
      celebratedYear: yearAt(celebratedAt, 'Pacific/Kiritimati'),
      nowAt: celebratedAt + 3_600_000,
    });
    expect(iso(next)).toBe('2027-01-01T19:00:00.000Z');
  });

  it('a yearly event that has never occurred occurs on its next date in the new time zone, even if its time on that date has passed in the old zone', () => {
    const next = moveYearly({
      before: timingOf('1990-01-01', 'Pacific/Kiritimati'),
      after: timingOf('1990-01-01', 'Pacific/Honolulu'),
      pendingAt: at('2026-12-31T19:00:00Z'),
      celebratedYear: null,
      nowAt: at('2025-12-31T20:00:00Z'),
    });
    expect(iso(next)).toBe('2026-01-01T19:00:00.000Z');
  });

  it('a yearly event whose date is changed to one that has passed this year occurs next year', () => {
    const next = moveYearly({
      before: timingOf('1990-11-20', 'UTC'),
      after: timingOf('1990-11-10', 'UTC'),
      pendingAt: at('2026-11-20T09:00:00Z'),
      celebratedYear: null,
      nowAt: at('2026-11-16T00:00:00Z'),
    });
    expect(iso(next)).toBe('2027-11-10T09:00:00.000Z');
  });

  it('a yearly event that has occurred this year and is changed to a later date occurs next year', () => {
    const next = moveYearly({
      before: timingOf('1990-02-10', 'UTC'),
      after: timingOf('1990-02-20', 'UTC'),
      pendingAt: at('2027-02-10T09:00:00Z'),
      celebratedYear: 2026,
      nowAt: at('2026-02-11T00:00:00Z'),
    });
    expect(iso(next)).toBe('2027-02-20T09:00:00.000Z');
  });
});
