import type { Outcome } from '@carillon/shared';
import { describe, expect, it } from 'vitest';
import type { ClaimedRun } from './claim.js';
import { type AttemptEnd, toClosedRun } from './close-runs.js';

const NOW_AT = Date.parse('2026-11-16T09:00:00.100Z');
const END: AttemptEnd = {
  nowAt: NOW_AT,
  durationMs: 12.4,
  latenessMs: 7.6,
  random: 0,
  receiptOf: () => null,
};
const FAILED: Outcome = { kind: 'failed', isTransient: true, errorCode: 'http_503', error: 'answered 503' };

const run = (attempt: number, freeAttempts = 0) =>
  ({
    attempt,
    freeAttempts,
    plan: { retry: { maxAttempts: 3, baseDelayMs: 60_000, maxDelayMs: 3_600_000, jitter: false } },
  }) as ClaimedRun;

describe('closing an attempt', () => {
  it('closing a successful attempt records the receiver’s answer, and the duration and lateness in whole milliseconds', () => {
    const answer = { httpStatus: 201, response: '{"id":"x"}', externalId: 'x' };
    expect(toClosedRun(run(1), { kind: 'succeeded', answer }, END)).toMatchObject({
      status: 'succeeded',
      outcome: 'succeeded',
      ...answer,
      durationMs: 12,
      latenessMs: 8,
      errorCode: null,
      retryInMs: null,
    });
  });

  it('after a transient failure a run is retried with a delay; after the failure of its last attempt the run has failed', () => {
    expect(toClosedRun(run(2), FAILED, END)).toMatchObject({
      status: 'retrying',
      errorCode: 'http_503',
      retryInMs: 120_000,
    });
    expect(toClosedRun(run(3), FAILED, END)).toMatchObject({ status: 'failed', retryInMs: null });
  });

  it('an attempt that a stopping worker handed back (a free attempt) does not count against the maximum number of attempts', () => {
    expect(toClosedRun(run(3, 1), FAILED, END)).toMatchObject({ status: 'retrying', retryInMs: 120_000 });
  });

  it('if a run is deferred because its receiver is busy, closing its attempt records this reason, but no outcome and no lateness', () => {
    const outcome = {
      kind: 'deferred',
      retryInMs: 1_000,
      reasonCode: 'origin_busy',
      reason: 'busy now',
    } as const;
    expect(toClosedRun(run(1), outcome, END)).toMatchObject({
      status: 'retrying',
      outcome: null,
      latenessMs: null,
      errorCode: 'origin_busy',
      error: 'busy now',
    });
  });

  it('the times of the next attempts of deferred runs are rounded up to multiples of 250 ms, so that many runs share one wake-up', () => {
    const returnAts = [1, 140, 150, 151].map((retryInMs) => {
      const outcome = { kind: 'deferred', retryInMs, reasonCode: 'origin_busy', reason: 'busy' } as const;
      return (toClosedRun(run(1), outcome, END).retryInMs ?? 0) + NOW_AT;
    });
    expect(returnAts.map((at) => at - Date.parse('2026-11-16T09:00:00Z'))).toEqual([250, 250, 250, 500]);
  });

  it('the receipt (the message about the end of a run) reports the status that the run has after the close', () => {
    const end = { ...END, receiptOf: (status: string) => ({ url: 'https://example.com/', body: status }) };
    expect(toClosedRun(run(3), FAILED, end).receipt?.body).toBe('failed');
  });
});
