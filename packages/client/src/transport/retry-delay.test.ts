import { describe, expect, it } from 'vitest';
import { CarillonError, type ErrorDetails } from './carillon-error.js';
import { readRetryAfter, retryDelay } from './retry-delay.js';

const delay = (details: ErrorDetails, { tries = 1, isRepeatable = true, random = 1 } = {}) =>
  retryDelay(new CarillonError('no', details), { tries, isRepeatable, random });

const problemOf = (code: string, status: number) => ({
  type: `/problems/${code}`,
  code,
  title: 'No',
  status,
  detail: 'no',
});

describe('retryDelay', () => {
  it('the client retries after 429 even if the request is unsafe to repeat, because nothing was changed', () => {
    expect(delay({ kind: 'refused', status: 429 }, { isRepeatable: false })).toBe(250);
  });

  it.each(['database_unavailable', 'stopping'])(
    'the client retries after the problem %s even if the request is unsafe to repeat, because nothing was changed',
    (code) => {
      const problem = problemOf(code, 503);
      expect(delay({ kind: 'refused', status: 503, problem }, { isRepeatable: false })).toBe(250);
    },
  );

  it.each(['network', 'timeout'] as const)(
    'the client retries after a %s error only if the request is safe to repeat',
    (kind) => {
      expect(delay({ kind })).toBe(250);
      expect(delay({ kind }, { isRepeatable: false })).toBeNull();
    },
  );

  it.each([502, 503, 504])(
    'after status %i, the change may have been made, so the client retries only a request that is safe to repeat',
    (status) => {
      const problem = problemOf('outcome_unknown', status);
      expect(delay({ kind: 'refused', status, problem })).toBe(250);
      expect(delay({ kind: 'refused', status, problem }, { isRepeatable: false })).toBeNull();
    },
  );

  it.each([400, 401, 403, 404, 409, 412, 422, 500])('the client never retries status %i', (status) => {
    expect(delay({ kind: 'refused', status })).toBeNull();
  });

  it('the retry delay of the client doubles up to eight seconds, with jitter', () => {
    expect([1, 2, 3, 10].map((tries) => delay({ kind: 'network' }, { tries }))).toEqual([
      250, 500, 1_000, 8_000,
    ]);
    expect(delay({ kind: 'network' }, { tries: 3, random: 0 })).toBe(500);
  });

  it('the client waits for a Retry-After of up to a minute, and gives up if it is longer', () => {
    expect(delay({ kind: 'refused', status: 429, retryAfterMs: 7_000 })).toBe(7_000);
    expect(delay({ kind: 'refused', status: 429, retryAfterMs: 61_000 })).toBeNull();
  });
});

describe('readRetryAfter', () => {
  it('the client reads Retry-After as seconds or as an HTTP date', () => {
    const nowAt = Date.parse('2026-11-16T09:00:00Z');
    expect(readRetryAfter('3', nowAt)).toBe(3_000);
    expect(readRetryAfter('Mon, 16 Nov 2026 09:00:30 GMT', nowAt)).toBe(30_000);
    expect(readRetryAfter('Mon, 16 Nov 2026 08:00:00 GMT', nowAt)).toBe(0);
    expect(readRetryAfter('soon', nowAt)).toBeNull();
    expect(readRetryAfter(null, nowAt)).toBeNull();
  });
});
