import type { Plan } from './plan.js';
import type { Timing } from './rules/index.js';

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
export const storeTiming = (timing: Timing): string => unusual(timing, USUAL_TIMING);
export const storePlan = (plan: Plan): string => unusual(plan, USUAL_PLAN);

/** From the stored form, parsed once per distinct text: schedules of a herd share theirs. */
export const readTiming = cached((text) => ({ ...USUAL_TIMING, ...JSON.parse(text) }) as Timing);
export const readPlan = cached((text) => ({ ...USUAL_PLAN, ...JSON.parse(text) }) as Plan);

/** In the order of the keys' names, so that the text does not depend on how the object was made. */
function unusual(value: object, usual: object): string {
  const known = usual as Record<string, unknown>;
  const differing = Object.entries(value)
    .filter(([key, field]) => JSON.stringify(field) !== JSON.stringify(known[key]))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(differing));
}

const MOST_KEPT = 5_000;

function cached<T>(parse: (text: string) => T): (text: string) => T {
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  return (text) => {
    const hit = recent.get(text);
    if (hit !== undefined) return hit;
    const value = older.get(text) ?? parse(text);
    // Two generations: a full one ages as a whole, which bounds the memory without counting each use.
    if (recent.size >= MOST_KEPT) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, value);
    return value;
  };
}
