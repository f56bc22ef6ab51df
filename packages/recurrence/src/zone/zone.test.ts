import { afterEach, describe, expect, it, vi } from 'vitest';
import { localTime } from '../calendar/wall-time.js';
import { nextOccurrences } from '../occurrences.js';
import { parseTiming, type TimingInput } from '../parse-timing.js';
import { zoneNamed } from './zone.js';

describe('time zone offsets', () => {
  it.each([
    // Transitions a month apart for Ramadan, transitions of half an hour, and a skipped day.
    ['Africa/Cairo', 2010, 2014],
    ['Africa/Casablanca', 2015, 2031],
    ['Asia/Pyongyang', 2015, 2018],
    ['Pacific/Apia', 2010, 2012],
    ['America/St_Johns', 2010, 2012],
    // Pairs of transitions that are one or two weeks apart.
    ['Asia/Gaza', 2040, 2040],
    ['Asia/Hebron', 2053, 2054],
    ['Asia/Gaza', 2072, 2073],
    ['America/Recife', 2000, 2000],
    ['America/Argentina/Tucuman', 2004, 2004],
  ])('the local time in %s is the same as in Intl from %i to %i', (name, fromYear, toYear) => {
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

  it('a rule in Asia/Gaza fires at its local time between two transitions that are a week apart', () => {
    const result = parseTiming(
      { rule: { cron: '0 9 * * *' }, timezone: 'Asia/Gaza' },
      { anchorAt: Date.UTC(2040, 9, 19, 12) },
    );
    const instants = result.ok ? nextOccurrences(result.timing, Date.UTC(2040, 9, 19, 12), 10) : [];
    expect(instants.map((at) => localTime(at, 'Asia/Gaza').slice(11, 16))).toEqual(Array(10).fill('09:00'));
    expect(instants[1]).toBe(Date.UTC(2040, 9, 21, 6));
    expect(new Date(instants[1] ?? 0).toLocaleString('en-GB', { timeZone: 'Asia/Gaza' })).toContain(
      '09:00:00',
    );
  });

  it('the UTC offset changes of a time zone are found to the second', () => {
    const change = Date.parse('2026-03-29T01:00:00Z') / 1000;
    expect(zoneNamed('Europe/Berlin').spanAt(change)).toMatchObject({
      fromSec: change,
      offset: 7200,
      offsetBefore: 3600,
    });
    expect(zoneNamed('Europe/Berlin').spanAt(change - 1)).toMatchObject({
      toSec: change,
      offset: 3600,
      offsetAfter: 7200,
    });
    // Liberia gave up its offset of -00:44:30 on 7 January 1972 at 00:44:30 UTC.
    const odd = Date.parse('1972-01-07T00:44:30Z') / 1000;
    expect(zoneNamed('Africa/Monrovia').spanAt(odd)).toMatchObject({
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
  ])('the local time of %s in %s is %s', (iso, timezone, expected) => {
    expect(localTime(Date.parse(iso), timezone)).toBe(expected);
    expect(Date.parse(expected)).toBe(Date.parse(iso));
  });
});

describe('time zone of the host', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('occurrences do not depend on the time zone of the host', () => {
    const rules: TimingInput['rule'][] = [
      { at: '2027-03-28T02:30:00' },
      { cron: '30 2 * * *' },
      { rrule: 'DTSTART:20261001T023000\nRRULE:FREQ=DAILY;UNTIL=20270401' },
    ];
    // Each host zone gets its own startAt, so that no cached answer is returned.
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
