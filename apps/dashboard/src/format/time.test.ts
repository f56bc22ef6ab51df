import { describe, expect, it } from 'vitest';
import { durationWords, formatCountdown, formatInstant, formatSpan, instantOf, localOf } from './time.js';

const at = Date.parse('2026-11-17T23:30:05Z');

describe('Times of the dashboard', () => {
  it('formatInstant shows only the time of an instant that is today in the given zone, and adds the date for any other day', () => {
    expect(formatInstant(at, { zone: 'UTC', now: at })).toBe('23:30:05');
    expect(formatInstant(at, { zone: 'Europe/Berlin', now: at - 3_600_000 })).toBe('18 Nov 00:30:05');
    expect(formatInstant(at, { zone: 'UTC', now: at + 400 * 86_400_000 })).toBe('17 Nov 2026 23:30:05');
  });

  it('a local time that is converted to an instant and back stays the same, in every zone and around a clock change', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe']) {
      for (const day of ['2026-11-17T09:00:00', '2027-03-28T03:00:00', '2027-07-01T00:00:00']) {
        expect(localOf(instantOf(day, zone), zone)).toBe(day);
      }
    }
  });

  it('instantOf takes the earlier instant of a local time that a clock change repeats, and moves a skipped local time on by the change', () => {
    const zones: [string, repeated: string, first: string, skipped: string, moved: string][] = [
      ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30Z', '2026-03-29T02:30', '2026-03-29T01:30Z'],
      ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30Z', '2026-03-08T02:30', '2026-03-08T07:30Z'],
      [
        'Australia/Lord_Howe',
        '2026-04-05T01:45',
        '2026-04-04T14:45Z',
        '2026-10-04T02:15',
        '2026-10-03T15:45Z',
      ],
    ];
    for (const [zone, repeated, first, skipped, moved] of zones) {
      expect(instantOf(repeated, zone)).toBe(Date.parse(first));
      expect(instantOf(skipped, zone)).toBe(Date.parse(moved));
    }
  });

  it('durationWords shows a duration in words, and text that is not a duration unchanged', () => {
    expect(['PT1M30S', 'P2D', 'PT0.5S', 'soon'].map(durationWords)).toEqual([
      '1 min 30 s',
      '2 d',
      '0.5 s',
      'soon',
    ]);
  });

  it('formatSpan shows a span of time in one unit, and formatCountdown shows minutes and hours with a second unit', () => {
    expect([12, 4_000, 185_000, 7_300_000].map(formatSpan)).toEqual(['12 ms', '4 s', '3 min', '2 h']);
    expect([9_000, 252_000, 7_500_000, 400_000_000].map(formatCountdown)).toEqual([
      '9 s',
      '4 min 12 s',
      '2 h 05 min',
      '4 days',
    ]);
  });
});
