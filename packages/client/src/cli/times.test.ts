import { describe, expect, it } from 'vitest';
import { readDuration, readShort, readTime, shortTime, timeFromNow } from './times.js';

const nowAt = Date.parse('2026-11-16T09:00:00Z');

describe('Times', () => {
  it('the carillon command accepts durations, instants and offsets from now as times', () => {
    expect(['90s', '15m', '2h', '1d', '2w', 'PT5M'].map(readDuration)).toEqual([
      'PT90S',
      'PT15M',
      'PT2H',
      'P1D',
      'P14D',
      'PT5M',
    ]);
    expect(['now', '+2h', '30m ago', '2026-12-24T18:00'].map((text) => readTime(text, nowAt))).toEqual([
      '2026-11-16T09:00:00.000Z',
      '2026-11-16T11:00:00.000Z',
      '2026-11-16T08:30:00.000Z',
      '2026-12-24T18:00',
    ]);
    expect(readShort('7d', 'last')).toBe(604_800_000);
    expect(() => readShort('a week', 'last')).toThrow('--last a week: expected a duration');
  });

  it('the carillon command prints times without milliseconds and with their distance from now', () => {
    expect(shortTime('2026-11-16T09:00:00.123Z')).toBe('2026-11-16 09:00:00Z');
    expect(shortTime('2026-11-16T09:00:00+09:00')).toBe('2026-11-16 09:00:00+09:00');
    expect(timeFromNow('2026-11-16T12:00:00.000Z', nowAt)).toBe('2026-11-16 12:00:00Z  in 3 h');
    expect(timeFromNow('2026-11-13T09:00:00.000Z', nowAt)).toBe('2026-11-13 09:00:00Z  3 days ago');
    expect(timeFromNow(null, nowAt)).toBe('–');
  });
});
