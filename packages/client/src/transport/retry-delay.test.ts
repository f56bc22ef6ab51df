import { describe, expect, it } from 'vitest';
import { CarillonError, type ErrorDetails } from './carillon-error.js';
import { readRetryAfter, retryDelay } from './retry-delay.js';

const delay = (details: ErrorDetails, { tries = 1, isRepeatable = true, random = 1 } = {}) =>
  retryDelay(new CarillonError('no', details), { tries, isRepeatable, random });

describe('Another try', () => {
  it.each([429, 503])('follows %i, whatever was asked for: nothing was done', (status) => {
    expect(delay({ kind: 'refused', status }, { isRepeatable: false })).toBe(250);
  });

  it.each(['network', 'timeout'] as const)(
    'follows a failed %s only where doing it twice does no harm',
    (kind) => {
      expect(delay({ kind })).toBe(250);
      expect(delay({ kind }, { isRepeatable: false })).toBeNull();
    },
  );

  it('follows a gateway that lost the API only where doing it twice does no harm', () => {
    expect(delay({ kind: 'refused', status: 502 })).toBe(250);
    expect(delay({ kind: 'refused', status: 504 }, { isRepeatable: false })).toBeNull();
  });

  it.each([400, 401, 403, 404, 409, 412, 422, 500])('never follows %i', (status) => {
    expect(delay({ kind: 'refused', status })).toBeNull();
  });

  it('comes later each time, up to eight seconds, and never all at once', () => {
    expect([1, 2, 3, 10].map((tries) => delay({ kind: 'network' }, { tries }))).toEqual([
      250, 500, 1_000, 8_000,
    ]);
    expect(delay({ kind: 'network' }, { tries: 3, random: 0 })).toBe(500);
  });

  it('waits for as long as the API asks, but not for more than a minute', () => {
    expect(delay({ kind: 'refused', status: 429, retryAfterMs: 7_000 })).toBe(7_000);
    expect(delay({ kind: 'refused', status: 429, retryAfterMs: 61_000 })).toBeNull();
  });
});

describe('Retry-After', () => {
  it('holds seconds or a date', () => {
    const nowAt = Date.parse('2026-11-16T09:00:00Z');
    expect(readRetryAfter('3', nowAt)).toBe(3_000);
    expect(readRetryAfter('Mon, 16 Nov 2026 09:00:30 GMT', nowAt)).toBe(30_000);
    expect(readRetryAfter('Mon, 16 Nov 2026 08:00:00 GMT', nowAt)).toBe(0);
    expect(readRetryAfter('soon', nowAt)).toBeNull();
    expect(readRetryAfter(null, nowAt)).toBeNull();
  });
});
