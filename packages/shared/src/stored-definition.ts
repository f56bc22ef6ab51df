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
export const storeTiming = storeWithout<Timing>(USUAL_TIMING);
export const storePlan = storeWithout<Plan>(USUAL_PLAN);

const timings = new RecentCache<string, Timing>(5_000);
const plans = new RecentCache<string, Plan>(5_000);

/** From the stored form, parsed once per distinct text: schedules of a herd share theirs. */
export const readTiming = (text: string): Timing =>
  timings.get(text, () => ({ ...USUAL_TIMING, ...JSON.parse(text) }));
export const readPlan = (text: string): Plan =>
  plans.get(text, () => ({ ...USUAL_PLAN, ...JSON.parse(text) }));

/** In the order of the keys' names, so that the text does not depend on how the object was made. */
function storeWithout<T extends object>(usual: Partial<T>): (value: T) => string {
  const usualTexts = new Map(Object.entries(usual).map(([key, field]) => [key, JSON.stringify(field)]));
  return (value) => {
    const unusual: string[] = [];
    for (const key of Object.keys(value).sort()) {
      const field = JSON.stringify(value[key as keyof T]);
      if (field !== undefined && field !== usualTexts.get(key))
        unusual.push(`${JSON.stringify(key)}:${field}`);
    }
    return `{${unusual.join()}}`;
  };
}
