import { describe, expect, it } from 'vitest';
import { canonicalTimeZone, isTimeZone, timeZoneProblem } from './time-zone-name.js';

describe('time zone name', () => {
  it.each([
    'UTC',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'Europe/Kyiv',
    'US/Eastern',
    'Etc/GMT+5',
    'Etc/GMT+3',
    'EST5EDT',
    'Europe/Kiev',
    'GMT',
    'GMT+0',
    'CET',
    'Japan',
    'NZ-CHAT',
  ])('%s is accepted as a time zone', (name) => {
    expect(isTimeZone(name)).toBe(true);
    expect(timeZoneProblem(name)).toBeNull();
  });

  it.each(['+02:00', '-0500', '+2', 'UTC+2', 'GMT-05:00', 'Mars/Base', '', 'x'.repeat(1000)])(
    'the text "%s" is refused as a time zone',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
      expect(timeZoneProblem(name)).toMatch(/expected an IANA name/);
    },
  );

  it('a city that is given as a time zone is refused with a suggestion', () => {
    expect(timeZoneProblem('new york')).toBe(
      '"new york" is not a known time zone; did you mean America/New_York?',
    );
  });

  it('a time zone name in any case is turned into its IANA spelling', () => {
    expect(canonicalTimeZone('europe/berlin')).toBe('Europe/Berlin');
    expect(canonicalTimeZone('utc')).toBe('UTC');
    expect(canonicalTimeZone('Etc/UTC')).toBe('UTC');
    expect(canonicalTimeZone('Europe/Kyiv')).toBe('Europe/Kyiv');
  });

  it.each([
    ['BST', 'Europe/London'],
    ['AST', 'America/Halifax'],
    ['ART', 'America/Argentina/Buenos_Aires'],
    ['NST', 'America/St_Johns'],
    ['PST', 'America/Los_Angeles'],
    ['ist', 'Asia/Kolkata'],
    ['CEST', 'Europe/Berlin'],
  ])('the abbreviation %s is refused as a time zone with the suggestion %s', (name, suggestion) => {
    expect(isTimeZone(name)).toBe(false);
    expect(timeZoneProblem(name)).toContain(`did you mean ${suggestion}?`);
  });

  it('a time zone of two or three letters is refused unless it is an IANA name', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const two = letters.flatMap((a) => letters.map((b) => a + b));
    const three = two.flatMap((start) => letters.map((c) => start + c));
    const accepted = [...two, ...three].filter((name) => canonicalTimeZone(name) !== null);
    expect(accepted).toEqual([
      'GB',
      'NZ',
      'CET',
      'EET',
      'EST',
      'GMT',
      'HST',
      'MET',
      'MST',
      'PRC',
      'ROC',
      'ROK',
      'UCT',
      'UTC',
      'WET',
    ]);
  });

  it('every time zone that is suggested for an abbreviation exists', () => {
    for (const name of ['ECT', 'VST', 'IET', 'PNT', 'SST', 'CTT', 'MIT', 'NET', 'PLT', 'EAT', 'CAT', 'BET']) {
      const suggestion = /did you mean (\S+)\?/.exec(timeZoneProblem(name) ?? '')?.[1] ?? '';
      expect(isTimeZone(suggestion)).toBe(true);
    }
  });
});
