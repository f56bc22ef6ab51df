import type { Plan } from './plan.js';
import type { Timing } from './rules/index.js';

/** Parses stored JSON once per distinct text: schedules of a herd share their timing and their plan. */
function cachedParse<T>(limit: number): (text: string) => T {
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  return (text) => {
    const hit = recent.get(text);
    if (hit !== undefined) return hit;
    const value = older.get(text) ?? (JSON.parse(text) as T);
    // Two generations: a full one ages as a whole, which bounds the memory without counting each use.
    if (recent.size >= limit) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, value);
    return value;
  };
}

export const readTiming = cachedParse<Timing>(5_000);
export const readPlan = cachedParse<Plan>(5_000);
