import { describe, expect, it } from 'vitest';
import { admitRun } from './admit.js';
import { closingOf, type Outcome } from './outcome.js';
import type { Plan } from './plan.js';
import { retryDelayMs } from './retry.js';
import { attemptKey, decodeRunId, encodeRunId } from './run-id.js';

const plan = (overlap: Plan['overlap'], maxConcurrentRuns: number | null = null) =>
  ({ overlap, maxConcurrentRuns, dependsOn: { schedule: 'other', withinMs: 1_000 } }) as Plan;

describe('admission of a run', () => {
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
  ] as const)(
    'the overlap policy %s with maxConcurrentRuns %s and %s open runs decides: %s',
    (overlap, max, started, expected) => {
      expect(admitRun(plan(overlap, max), { started, queued: 0 }, true).kind).toBe(expected);
    },
  );

  it('a run does not overtake a queued run', () => {
    expect(admitRun(plan('queue'), { started: 0, queued: 1 }, true).kind).toBe('queue');
  });

  it('a run is skipped if the queue of its schedule is full', () => {
    const admission = admitRun(plan('queue'), { started: 1, queued: 1_000 }, true);
    expect(admission).toMatchObject({ kind: 'skip', reasonCode: 'queue_full' });
  });

  it('a run is skipped if the schedule it depends on has not succeeded', () => {
    const admission = admitRun(plan('allow'), { started: 0, queued: 0 }, false);
    expect(admission).toMatchObject({ kind: 'skip', reasonCode: 'dependency' });
  });
});

describe('retry', () => {
  const retry = { maxAttempts: 3, baseDelayMs: 60_000, maxDelayMs: 200_000, jitter: false };

  it('the retry delay doubles after each attempt, up to the cap', () => {
    const delays = [1, 2, 3, 4].map((attempt) =>
      retryDelayMs(retry, { attempt, random: 0, retryAfterMs: null }),
    );
    expect(delays).toEqual([60_000, 120_000, 200_000, 200_000]);
  });

  it('retry jitter adds at most a tenth', () => {
    const delay = retryDelayMs(
      { ...retry, jitter: true },
      { attempt: 1, random: 0.999999, retryAfterMs: null },
    );
    expect(delay).toBeGreaterThan(60_000);
    expect(delay).toBeLessThanOrEqual(66_000);
  });

  it('a retry follows the Retry-After of the receiver, up to the cap', () => {
    expect(retryDelayMs(retry, { attempt: 1, random: 0, retryAfterMs: 5_000 })).toBe(5_000);
    expect(retryDelayMs(retry, { attempt: 1, random: 0, retryAfterMs: 9_000_000 })).toBe(200_000);
  });

  it('a transient failure is retried as long as attempts are left', () => {
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

describe('run id', () => {
  it('a run id encodes the identity of the run and decodes to it', () => {
    for (const origin of ['rule', 'trigger', 'backfill'] as const) {
      const run = { scheduleId: 123_456_789, occurrenceAt: 1_794_787_200_123, origin };
      expect(decodeRunId(encodeRunId(run))).toEqual(run);
    }
    const before1970 = { scheduleId: 1, occurrenceAt: -5, origin: 'rule' } as const;
    expect(decodeRunId(encodeRunId(before1970))).toEqual(before1970);
  });

  it('only the canonical spelling of a run id is accepted', () => {
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

  it('the attempt key of a run differs with each claim', () => {
    const keys = [1, 2, 3, 2 ** 40].map((epoch) => attemptKey('run_r1_a', 1, epoch));
    expect(new Set(keys).size).toBe(4);
    expect(keys[0]).toMatch(/^run_r1_a-1-[0-9a-z]+$/);
    expect(attemptKey('run_r1_a', 1, 1)).toBe(keys[0]);
  });
});
