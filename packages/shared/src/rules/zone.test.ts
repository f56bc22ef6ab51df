import { afterEach, describe, expect, it, vi } from 'vitest';
import { nextOccurrences } from './occurrences.js';
import { parseTiming, type TimingInput } from './parse-timing.js';
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

  it.each([
    // Two changes a month apart, for Ramadan; a change of half an hour; a day left out.
    ['Africa/Cairo', 2010, 2014],
    ['Africa/Casablanca', 2015, 2031],
    ['Asia/Pyongyang', 2015, 2018],
    ['Pacific/Apia', 2010, 2012],
    ['America/St_Johns', 2010, 2012],
  ])('%s reads what Intl reads, from %i to %i', (name, fromYear, toYear) => {
    const clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: name,
      hourCycle: 'h23',
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    for (let at = Date.UTC(fromYear, 0, 1); at < Date.UTC(toYear + 1, 0, 1); at += 7_200_000) {
      const [day, month, year, ...time] = clock.format(at).split(/\D+/);
      if (localTime(at, name).slice(0, 19) !== `${year}-${month}-${day}T${time.join(':')}`) {
        expect.fail(`${localTime(at, name)} is ${clock.format(at)}`);
      }
    }
  });

  it('changes its offset at the very second', () => {
    const change = Date.parse('2026-03-29T01:00:00Z') / 1000;
    expect(zoneNamed('Europe/Berlin').stretchAt(change)).toMatchObject({
      fromSec: change,
      offset: 7200,
      offsetBefore: 3600,
    });
    expect(zoneNamed('Europe/Berlin').stretchAt(change - 1)).toMatchObject({
      toSec: change,
      offset: 3600,
      offsetAfter: 7200,
    });
    // Liberia left its 44 minutes and 30 seconds on 7 January 1972, when it was 00:44:30 by UTC.
    const odd = Date.parse('1972-01-07T00:44:30Z') / 1000;
    expect(zoneNamed('Africa/Monrovia').stretchAt(odd)).toMatchObject({
      fromSec: odd,
      offset: 0,
      offsetBefore: -2670,
    });
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

describe('the zone of the machine', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('changes nothing', () => {
    const rules: TimingInput['rule'][] = [
      { at: '2027-03-28T02:30:00' },
      { cron: '30 2 * * *' },
      { rrule: 'DTSTART:20261001T023000\nRRULE:FREQ=DAILY;UNTIL=20270401' },
    ];
    // A start of its own for each, so that no answer is remembered from before.
    const answer = (hostZone: string, startAt: string) => {
      vi.stubEnv('TZ', hostZone);
      return rules.map((rule) => {
        const result = parseTiming(
          { rule, timezone: 'Europe/Berlin', startAt },
          { anchorAt: Date.UTC(2026, 8, 1) },
        );
        return result.ok ? nextOccurrences(result.timing, 0, 400) : result.problems;
      });
    };
    const apia = answer('Pacific/Apia', '2026-09-01T00:00:00.001Z');
    const offset = new Date(2026, 0, 1).getTimezoneOffset();
    const newYork = answer('America/New_York', '2026-09-01T00:00:00.002Z');
    expect(new Date(2026, 0, 1).getTimezoneOffset()).not.toBe(offset);
    expect(newYork).toEqual(apia);
  });
});
