import { describe, expect, it } from 'vitest';
import { retryDelayMs } from './outcome.js';

const RETRY = { maxAttempts: 5, baseDelayMs: 60_000, maxDelayMs: 3_600_000, jitter: false };
const delay = (attempt: number, retry = RETRY, { random = 0, retryAfterMs = null as number | null } = {}) =>
  retryDelayMs(retry, { attempt, random, retryAfterMs });

describe('retry delay', () => {
  it('the retry delay doubles after each attempt: 60, 120, 240 seconds', () => {
    expect([1, 2, 3].map((attempt) => delay(attempt))).toEqual([60_000, 120_000, 240_000]);
  });

  it('the retry delay stays within its maximum after any number of attempts', () => {
    expect(delay(7)).toBe(3_600_000);
    expect(delay(100)).toBe(3_600_000);
  });

  it('jitter lengthens the retry delay by up to a tenth', () => {
    const retry = { ...RETRY, jitter: true };
    expect(delay(1, retry, { random: 0 })).toBe(60_000);
    expect(delay(1, retry, { random: 0.999_999 })).toBe(66_000);
  });

  it('the retry delay follows the Retry-After of the receiver, within its maximum', () => {
    expect(delay(1, RETRY, { retryAfterMs: 5_000 })).toBe(5_000);
    expect(delay(1, RETRY, { retryAfterMs: 86_400_000 })).toBe(3_600_000);
  });
});
