import type { Timing } from '@carillon/recurrence';
import { describe, expect, it } from 'vitest';
import type { Plan } from './plan.js';
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
  onExcluded: 'skip',
  businessDays: [],
  settledAts: [],
  anchorAt: 0,
};

describe('stored definition', () => {
  it('a stored definition reads back as it was stored', () => {
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

  it('the stored form of a rule has its leap day policy, unless that policy is the default for this kind of rule', () => {
    const rules: Timing['rule'][] = [
      { kind: 'cron', cron: '0 0 29 2 *' },
      { kind: 'rrule', rrule: 'FREQ=YEARLY' },
      { kind: 'every', everyMs: 60_000 },
    ];
    for (const rule of rules) {
      const texts = (['feb28', 'mar1', 'skip'] as const).map((leapDay) => {
        const text = storeTiming({ ...timing, rule, leapDay });
        expect(readTiming(text)).toEqual({ ...timing, rule, leapDay });
        return text;
      });
      expect(texts.filter((text) => !text.includes('leapDay'))).toHaveLength(1);
    }
    expect(storeTiming({ ...timing, rule: { kind: 'cron', cron: '0 9 * * *' }, leapDay: 'skip' })).toBe(
      '{"rule":{"kind":"cron","cron":"0 9 * * *"}}',
    );
  });

  it('the stored form of a definition omits fields that have their default', () => {
    expect(storePlan(plan)).toBe('{"target":{"type":"handler","name":"noop"}}');
    expect(storeTiming(timing)).toBe('{"rule":{"kind":"at","at":1794787200000,"wallTime":null}}');
  });

  it('the stored form of a definition does not depend on the order of the fields', () => {
    const reversed = Object.fromEntries(Object.entries({ ...timing, timezone: 'Asia/Tokyo' }).reverse());
    expect(storeTiming(reversed as unknown as Timing)).toBe(
      storeTiming({ ...timing, timezone: 'Asia/Tokyo' }),
    );
  });

  it('fields that a stored definition omits always read as the same defaults', () => {
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
      slo: null,
    });
    expect(readTiming('{"rule":{"kind":"cron","cron":"0 9 * * *"}}')).toEqual({
      ...timing,
      rule: { kind: 'cron', cron: '0 9 * * *' },
      leapDay: 'skip',
    });
    expect(readTiming('{"rule":{"kind":"rrule","rrule":"FREQ=YEARLY"}}').leapDay).toBe('feb28');
  });
});
