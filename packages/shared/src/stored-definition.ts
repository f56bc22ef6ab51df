import { type LeapDayPolicy, RecentCache, type Timing } from '@carillon/recurrence';
import type { Plan } from './plan.js';

/**
 * The values that are left out of the stored form, because nearly every schedule has them. A claim reads the definition
 * of each row that it takes, so short texts make claims faster. These values must never change, because a change would
 * alter every stored definition that leaves the value out.
 */
const USUAL_TIMING: Omit<Timing, 'rule' | 'leapDay'> = {
  timezone: 'UTC',
  startAt: null,
  endAt: null,
  dst: { gap: 'shift', overlap: 'first' },
  exclusions: [],
  calendars: {},
  onExcluded: 'skip',
  businessDays: [],
  settledAts: [],
  anchorAt: 0,
};

/** The leap day policy that is left out of the stored form. It depends on the kind of rule, which is always stored. */
const USUAL_LEAP_DAY: Record<Timing['rule']['kind'], LeapDayPolicy> = {
  at: 'feb28',
  every: 'feb28',
  cron: 'skip',
  rrule: 'feb28',
};

export const USUAL_PLAN: Omit<Plan, 'target'> = {
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
};

/** The stored form. Two timings are equal exactly if their texts are. */
export const storeTiming = (timing: Timing): string =>
  timing.leapDay === USUAL_LEAP_DAY[timing.rule.kind]
    ? storeWithoutLeapDay(timing)
    : storeWithLeapDay(timing);
export const storePlan = storeWithout<Plan, 'target'>(USUAL_PLAN, ['target']);

const storeWithoutLeapDay = storeWithout<Omit<Timing, 'leapDay'>, 'rule'>(USUAL_TIMING, ['rule']);
const storeWithLeapDay = storeWithout<Timing, 'rule' | 'leapDay'>(USUAL_TIMING, ['rule', 'leapDay']);

// A parsed definition takes about four times the memory of its text. Texts can be long: exclusions, EXDATE, headers.
const byTextLength = <T>() => ({
  maxEntries: 5_000,
  maxBytes: 16_000_000,
  bytesOf: (text: string, _value: T) => 500 + 6 * text.length,
});
const timings = new RecentCache<string, Timing>(byTextLength());
const plans = new RecentCache<string, Plan>(byTextLength());

/** Reads the stored form. Each distinct text is parsed once, because many schedules have the same text. */
export const readTiming = (text: string): Timing =>
  timings.get(text, () => {
    const stored = JSON.parse(text) as Pick<Timing, 'rule'> & Partial<Timing>;
    return { ...USUAL_TIMING, leapDay: USUAL_LEAP_DAY[stored.rule.kind], ...stored };
  });
export const readPlan = (text: string): Plan =>
  plans.get(text, () => ({ ...USUAL_PLAN, ...JSON.parse(text) }));

/** Writes the fields in the order of their names, so that the text does not depend on how the object was built. */
function storeWithout<T extends object, K extends keyof T & string>(
  usual: Omit<T, K>,
  always: readonly K[],
): (value: T) => string {
  const usualFields = new Map<string, unknown>(Object.entries(usual));
  const usualTexts = new Map([...usualFields].map(([key, field]) => [key, JSON.stringify(field)]));
  const keys = [...usualFields.keys(), ...always].sort() as (keyof T & string)[];
  return (value) => {
    let text = '';
    for (const key of keys) {
      const field = value[key];
      if (field === usualFields.get(key)) continue;
      const fieldText = JSON.stringify(field);
      if (fieldText !== undefined && fieldText !== usualTexts.get(key))
        text += `${text === '' ? '' : ','}"${key}":${fieldText}`;
    }
    return `{${text}}`;
  };
}

/**
 * True if the timing names a time zone. UTC does not count, because it is the default, which the stored form leaves
 * out.
 */
export const isZoned = (timing: Timing): boolean => /"timezone":|TZID/.test(storeTiming(timing));
