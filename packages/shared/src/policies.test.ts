import { describe, expect, it } from 'vitest';
import { admitRun } from './admit.js';
import { closingOf, type Outcome } from './outcome.js';
import type { Plan } from './plan.js';
import { retryDelayMs } from './retry.js';
import { attemptKey, decodeRunId, encodeRunId } from './run-id.js';

const plan = (overlap: Plan['overlap'], maxConcurrentRuns: number | null = null) =>
  ({ overlap, maxConcurrentRuns, dependsOn: { schedule: 'other', withinMs: 1_000 } }) as Plan;

describe('Another run', () => {
  it.each([
    ['allow', null, 5, 'start'],
    ['allow', 2, 1, 'start'],
    ['allow', 2, 2, 'queue'],
    ['skip', null, 0, 'start'],
    ['skip', null, 1, 'skip'],
    ['skip', 3, 2, 'start'],
    ['queue', null, 1, 'queue'],
    ['queue', 2, 1, 'start'],
    ['cancel', null, 1, 'replace'],
    ['cancel', null, 0, 'start'],
  ] as const)('with overlap %s, at most %s at once and %s open: %s', (overlap, max, started, expected) => {
    expect(admitRun(plan(overlap, max), { started, queued: 0 }, true).kind).toBe(expected);
  });

  it('does not overtake one that is queued', () => {
    expect(admitRun(plan('queue'), { started: 0, queued: 1 }, true).kind).toBe('queue');
  });

  it('is skipped once the queue is full', () => {
    const admission = admitRun(plan('queue'), { started: 1, queued: 1_000 }, true);
    expect(admission).toMatchObject({ kind: 'skip', reasonCode: 'queue_full' });
  });

  it('is skipped where what it depends on has not succeeded', () => {
    const admission = admitRun(plan('allow'), { started: 0, queued: 0 }, false);
    expect(admission).toMatchObject({ kind: 'skip', reasonCode: 'dependency' });
  });
});

describe('A retry', () => {
  const retry = { maxAttempts: 3, baseDelayMs: 60_000, maxDelayMs: 200_000, jitter: false };

  it('waits twice as long after each attempt, up to the cap', () => {
    const delays = [1, 2, 3, 4].map((attempt) =>
      retryDelayMs(retry, { attempt, random: 0, retryAfterMs: null }),
    );
    expect(delays).toEqual([60_000, 120_000, 200_000, 200_000]);
  });

  it('adds at most a tenth for jitter', () => {
    const delay = retryDelayMs(
      { ...retry, jitter: true },
      { attempt: 1, random: 0.999999, retryAfterMs: null },
    );
    expect(delay).toBeGreaterThan(60_000);
    expect(delay).toBeLessThanOrEqual(66_000);
  });

  it('comes when the receiver asks for it, within the cap', () => {
    expect(retryDelayMs(retry, { attempt: 1, random: 0, retryAfterMs: 5_000 })).toBe(5_000);
    expect(retryDelayMs(retry, { attempt: 1, random: 0, retryAfterMs: 9_000_000 })).toBe(200_000);
  });

  it('is made for what may pass, as long as there are attempts left', () => {
    const failed = (isTransient: boolean): Outcome => ({
      kind: 'failed',
      isTransient,
      errorCode: 'x',
      error: 'x',
    });
    expect(closingOf(failed(true), { retry, attempt: 2, random: 0 }).status).toBe('retrying');
    expect(closingOf(failed(true), { retry, attempt: 3, random: 0 }).status).toBe('failed');
    expect(closingOf(failed(false), { retry, attempt: 1, random: 0 }).status).toBe('failed');
  });
});

describe("A run's id", () => {
  it('says who the run is, and back', () => {
    for (const origin of ['rule', 'trigger', 'backfill'] as const) {
      const run = { scheduleId: 123_456_789, occurrenceAt: 1_794_787_200_123, origin };
      expect(decodeRunId(encodeRunId(run))).toEqual(run);
    }
    const before1970 = { scheduleId: 1, occurrenceAt: -5, origin: 'rule' } as const;
    expect(decodeRunId(encodeRunId(before1970))).toEqual(before1970);
  });

  it('has one spelling only', () => {
    for (const text of [
      'run_r01_a',
      'run_r1_0a',
      'run_r1_-0',
      'run_x1_a',
      'run_r1_zzzzzzzzzzz',
      'run_r1',
      '',
    ]) {
      expect(decodeRunId(text)).toBeNull();
    }
  });

  it('has an attempt key that differs with each claim', () => {
    const keys = [1, 2, 3, 2 ** 40].map((epoch) => attemptKey('run_r1_a', 1, epoch));
    expect(new Set(keys).size).toBe(4);
    expect(keys[0]).toMatch(/^run_r1_a-1-[0-9a-z]+$/);
    expect(attemptKey('run_r1_a', 1, 1)).toBe(keys[0]);
  });
});
