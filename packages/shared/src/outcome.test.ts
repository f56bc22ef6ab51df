import { expect, it } from 'vitest';
import { closingOf, type Outcome } from './outcome.js';

it('a failed attempt is retried only if the failure is transient and attempts are left', () => {
  const retry = { maxAttempts: 3, baseDelayMs: 60_000, maxDelayMs: 200_000, jitter: false };
  const failed = (isTransient: boolean): Outcome => ({
    kind: 'failed',
    isTransient,
    errorCode: 'error',
    error: 'x',
  });
  expect(closingOf(failed(true), { retry, attempt: 2, random: 0 }).status).toBe('retrying');
  expect(closingOf(failed(true), { retry, attempt: 3, random: 0 }).status).toBe('failed');
  expect(closingOf(failed(false), { retry, attempt: 1, random: 0 }).status).toBe('failed');
});
