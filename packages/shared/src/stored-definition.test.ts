import { describe, expect, it } from 'vitest';
import type { Plan } from './plan.js';
import type { Timing } from './rules/index.js';
import { readPlan, readTiming, storePlan, storeTiming, USUAL_PLAN } from './stored-definition.js';

const plan: Plan = { ...USUAL_PLAN, target: { type: 'handler', name: 'noop' } };
const timing: Timing = {
  rule: { kind: 'at', at: 1_794_787_200_000, wallTime: null },
  timezone: 'UTC',
  startAt: null,
  endAt: null,
  dst: { gap: 'shift', overlap: 'first' },
  leapDay: 'feb28',
  exclusions: [],
  calendars: {},
  anchorAt: 0,
};

describe('A stored definition', () => {
  it('reads back as what was stored, whatever differs from the usual', () => {
    const unusual: Plan = {
      ...plan,
      retry: { ...plan.retry, maxAttempts: 7 },
      overlap: 'queue',
      maxRuns: 3,
      misfire: { policy: 'skip', graceMs: 0, limit: 1 },
    };
    expect(readPlan(storePlan(plan))).toEqual(plan);
    expect(readPlan(storePlan(unusual))).toEqual(unusual);
    const zoned: Timing = {
      ...timing,
      timezone: 'Asia/Tokyo',
      exclusions: ['2026-12-25'],
      calendars: { us: ['2026-07-04'] },
      anchorAt: 5,
    };
    expect(readTiming(storeTiming(timing))).toEqual(timing);
    expect(readTiming(storeTiming(zoned))).toEqual(zoned);
  });

  it('is short where nothing is unusual', () => {
    expect(storePlan(plan)).toBe('{"target":{"type":"handler","name":"noop"}}');
    expect(storeTiming(timing)).toBe('{"rule":{"kind":"at","at":1794787200000,"wallTime":null}}');
  });

  it('has one text, however the object was made', () => {
    const reversed = Object.fromEntries(Object.entries({ ...timing, timezone: 'Asia/Tokyo' }).reverse());
    expect(storeTiming(reversed as unknown as Timing)).toBe(
      storeTiming({ ...timing, timezone: 'Asia/Tokyo' }),
    );
  });

  it('keeps the meaning of what it leaves out for ever: these values must not change', () => {
    expect(readPlan('{"target":{"type":"handler","name":"noop"}}')).toEqual({
      target: { type: 'handler', name: 'noop' },
      timeoutMs: 15_000,
      retry: { maxAttempts: 3, baseDelayMs: 60_000, maxDelayMs: 3_600_000, jitter: true },
      misfire: { policy: 'once', graceMs: 60_000, limit: 100 },
      overlap: 'allow',
      maxConcurrentRuns: null,
      dependsOn: null,
      maxRuns: null,
      jitterMs: 0,
      pauseAfterFailures: null,
      onSuccess: null,
      onFailure: null,
      hasSecret: false,
    });
    expect(readTiming('{"rule":{"kind":"cron","cron":"0 9 * * *"}}')).toEqual({
      ...timing,
      rule: { kind: 'cron', cron: '0 9 * * *' },
    });
  });
});
