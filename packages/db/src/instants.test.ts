import { expect, it } from 'vitest';
import { parseInstant } from './instants.js';

const CASES: [text: string, at: number][] = [
  ['2026-11-17 19:05:38.123+00', Date.UTC(2026, 10, 17, 19, 5, 38, 123)],
  ['2026-11-17 19:05:38+00', Date.UTC(2026, 10, 17, 19, 5, 38)],
  ['2026-11-17 19:05:38.1+00', Date.UTC(2026, 10, 17, 19, 5, 38, 100)],
  ['2026-11-17 19:05:38.123+05:30', Date.UTC(2026, 10, 17, 13, 35, 38, 123)],
  ['2026-11-17 19:05:38.123-03', Date.UTC(2026, 10, 17, 22, 5, 38, 123)],
  ['1880-01-01 00:00:00-00:44:30', Date.UTC(1880, 0, 1, 0, 44, 30)],
  ['0044-03-15 12:00:00+00 BC', new Date('-000043-03-15T12:00:00Z').getTime()],
  ['0050-01-01 00:00:00+00', new Date('0050-01-01T00:00:00Z').getTime()],
  ['12026-11-17 19:05:38.123+00', new Date('+012026-11-17T19:05:38.123Z').getTime()],
  ['infinity', Number.POSITIVE_INFINITY],
  ['-infinity', Number.NEGATIVE_INFINITY],
];

it.each(CASES)(
  'a timestamp that Postgres prints as %s is parsed into milliseconds since 1970',
  (text, at) => {
    expect(parseInstant(text)).toBe(at);
  },
);

it('parsing a text that is not a timestamp throws an error instead of returning NaN', () => {
  expect(() => parseInstant('yesterday')).toThrow('cannot be parsed');
});
