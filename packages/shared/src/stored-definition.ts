import type { Plan } from './plan.js';
import type { Timing } from './rules/index.js';
import { RecentCache } from './rules/recent-cache.js';

/**
 * What is not stored because it is the same for nearly every schedule. A claim reads the definition of each row that it
 * takes, so short texts are throughput. These values are part of the stored form: changing one would change every
 * definition that left it out.
 */
const USUAL_TIMING: Omit<Timing, 'rule'> = {
  timezone: 'UTC',
  startAt: null,
  endAt: null,
  dst: { gap: 'shift', overlap: 'first' },
  leapDay: 'feb28',
  exclusions: [],
  calendars: {},
  anchorAt: 0,
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
};

/** The stored form. Two timings with the same text are the same. */
export const storeTiming = storeWithout<Timing, 'rule'>(USUAL_TIMING, 'rule');
export const storePlan = storeWithout<Plan, 'target'>(USUAL_PLAN, 'target');

const timings = new RecentCache<string, Timing>(5_000);
const plans = new RecentCache<string, Plan>(5_000);

/** From the stored form, parsed once per distinct text: schedules of a herd share theirs. */
export const readTiming = (text: string): Timing =>
  timings.get(text, () => ({ ...USUAL_TIMING, ...JSON.parse(text) }));
export const readPlan = (text: string): Plan =>
  plans.get(text, () => ({ ...USUAL_PLAN, ...JSON.parse(text) }));

/** In the order of the keys' names, so that the text does not depend on how the object was made. */
function storeWithout<T extends object, K extends keyof T & string>(
  usual: Omit<T, K>,
  always: K,
): (value: T) => string {
  const usualFields = new Map<string, unknown>(Object.entries(usual));
  const usualTexts = new Map([...usualFields].map(([key, field]) => [key, JSON.stringify(field)]));
  const keys = [...usualFields.keys(), always].sort() as (keyof T & string)[];
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
