import { describe, expect, it } from 'vitest';
import { localTime } from './wall-time.js';
import { canonicalTimeZone, isTimeZone, timeZoneProblem, zoneNamed } from './zone.js';

describe('a time zone', () => {
  it.each([
    'UTC',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'Europe/Kyiv',
    'US/Eastern',
    'Etc/GMT+5',
  ])('%s is known', (name) => {
    expect(isTimeZone(name)).toBe(true);
    expect(timeZoneProblem(name)).toBeNull();
  });

  it.each(['+02:00', '-0500', '+2', 'UTC+2', 'GMT-05:00', 'Mars/Base', '', 'x'.repeat(1000)])(
    '%s is not',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
      expect(timeZoneProblem(name)).toMatch(/expected an IANA name/);
    },
  );

  it('is guessed from a city', () => {
    expect(timeZoneProblem('new york')).toBe(
      '"new york" is not a known time zone; did you mean America/New_York?',
    );
  });

  it('is spelled as IANA does, and an alias stays itself', () => {
    expect(canonicalTimeZone('europe/berlin')).toBe('Europe/Berlin');
    expect(canonicalTimeZone('utc')).toBe('UTC');
    expect(canonicalTimeZone('Etc/UTC')).toBe('UTC');
    expect(canonicalTimeZone('Europe/Kyiv')).toBe('Europe/Kyiv');
  });

  it('has its offset right at every hour around every change since 1970', () => {
    const names = [
      'Europe/Dublin',
      'Africa/Casablanca',
      'Africa/Cairo',
      'America/St_Johns',
      'Asia/Pyongyang',
      'Pacific/Apia',
    ];
    for (const name of names) {
      const clock = new Intl.DateTimeFormat('en-GB', {
        timeZone: name,
        hourCycle: 'h23',
        dateStyle: 'short',
        timeStyle: 'medium',
      });
      const zone = zoneNamed(name);
      for (let sec = 0; sec < 2_200_000_000; sec = zone.stretchAt(sec).toSec) {
        for (const probe of [sec - 1, sec, sec + 3600]) {
          const [day, month, year, ...time] = clock.format(probe * 1000).split(/\D+/);
          expect(localTime(probe * 1000, name).slice(0, 19)).toBe(
            `${year}-${month}-${day}T${time.join(':')}`,
          );
        }
      }
    }
  });
});

describe('local time', () => {
  it.each([
    ['2026-03-29T07:00:00Z', 'Europe/Berlin', '2026-03-29T09:00:00+02:00'],
    ['2026-01-01T00:00:00Z', 'America/St_Johns', '2025-12-31T20:30:00-03:30'],
    ['2026-01-01T00:00:00.250Z', 'UTC', '2026-01-01T00:00:00.250+00:00'],
    ['2026-07-01T00:00:00Z', 'Asia/Kathmandu', '2026-07-01T05:45:00+05:45'],
  ])('of %s in %s is %s', (iso, timezone, expected) => {
    expect(localTime(Date.parse(iso), timezone)).toBe(expected);
    expect(Date.parse(expected)).toBe(Date.parse(iso));
  });
});
