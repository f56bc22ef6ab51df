import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, isCalendarDuration, parseDuration } from './duration.js';

describe('ISO 8601 duration', () => {
  it.each([
    ['PT15M', 900_000],
    ['PT60S', 60_000],
    ['P1D', 86_400_000],
    ['P1W', 604_800_000],
    ['P1DT2H3M4.5S', 93_784_500],
    ['PT0.25S', 250],
    ['PT0S', 0],
    ['PT36H', 129_600_000],
  ])('the duration %s is parsed as %i ms', (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs);
  });

  it.each([
    '',
    'P',
    'PT',
    'P1DT',
    '1D',
    'P1M',
    'P1Y',
    'P1Y2DT3H',
    '-P1D',
    'PT1.5H',
    'PT1S ',
    'pt1s',
    'P1H',
    'PT1D',
  ])('the text "%s" is refused as a duration of fixed length', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  it('a duration with months or years is distinguished from invalid text', () => {
    expect(['P1M', 'P1Y', 'P1Y6M', 'P1MT5M'].map(isCalendarDuration)).toEqual([true, true, true, true]);
    expect(['PT1M', 'P1D', 'month', 'P'].map(isCalendarDuration)).toEqual([false, false, false, false]);
  });

  it.each([
    [0, 'PT0S'],
    [90_000, 'PT1M30S'],
    [86_400_000, 'P1D'],
    [1_209_600_000, 'P2W'],
    [1_234, 'PT1.234S'],
    [90_061_000, 'P1DT1H1M1S'],
  ])('a duration of %i ms is written %s', (durationMs, text) => {
    expect(formatDuration(durationMs)).toBe(text);
  });

  it('a formatted duration parses back to the same number of milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e13 }), (durationMs) => {
        expect(parseDuration(formatDuration(durationMs))).toBe(durationMs);
      }),
    );
  });
});
