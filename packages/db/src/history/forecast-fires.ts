import { MINUTE_MS, occurrencesWithin, readTiming, type Timing, UnusableRule } from '@carillon/shared';
import type { Pool } from 'pg';
import { type ForecastGroup, readForecastGroups, readNextFires } from './forecast.js';
export const minuteOf = (at: number) => Math.floor(at / MINUTE_MS) * MINUTE_MS;

/**
 * Maximum CPU time for counting the fires of one forecast. A count that takes longer is cut off, and the forecast is
 * marked as incomplete. The time for reading the schedules from Postgres is not included.
 */
const MAX_CPU_MS = 5_000;
/** Number of occurrences that are computed in one turn of the event loop: at most a millisecond of work. */
const OCCURRENCES_PER_TURN = 200;

/** Number of fires, by the start of their minute. */
export type FiresByMinute = Map<number, number>;

export interface Forecast {
  fires: FiresByMinute;
  /**
   * The recurring schedules whose fires were counted, grouped by rule and next occurrence. The group with the most
   * schedules comes first.
   */
  groups: readonly ForecastGroup[];
  isComplete: boolean;
}

/** Counts the fires of all schedules of a project by minute. Lets other work of this process run in between. */
export async function countFires(
  pool: Pool,
  { projectId, fromAt, toAt }: { projectId: number; fromAt: number; toAt: number },
  nextFires: Promise<FiresByMinute> = readNextFires(pool, { projectId, toAt }),
): Promise<Forecast> {
  const fires = new Map(await nextFires);
  const { groups, isComplete } = await readForecastGroups(pool, { projectId, toAt });
  const isCounted = await addLaterFires(fires, groups, { fromAt, toAt });
  return { fires, groups, isComplete: isComplete && isCounted };
}

/**
 * Counts the fires of recurring schedules that follow their next fire, and adds them by minute to `fires`. Returns
 * false if the count was cut off because it took too long, or if a group was left out because its rule can no longer be
 * evaluated.
 */
export async function addLaterFires(
  fires: FiresByMinute,
  groups: readonly ForecastGroup[],
  { fromAt, toAt }: { fromAt: number; toAt: number },
): Promise<boolean> {
  let usedMs = 0;
  let sliceAt = performance.now();
  let inSlice = 0;
  let isComplete = true;
  for (const { timing: text, occurrenceAt, runsLeft, schedules } of groups) {
    const timing = readTiming(text);
    let afterAt = Math.max(occurrenceAt, fromAt - 1);
    let left = (runsLeft ?? Number.POSITIVE_INFINITY) - 1;
    while (left > 0 && afterAt < toAt) {
      const limit = Math.min(OCCURRENCES_PER_TURN, left);
      const next = findOrNull(timing, { afterAt, untilAt: toAt, limit });
      if (next === null) {
        isComplete = false;
        break;
      }
      for (const at of next) fires.set(minuteOf(at), (fires.get(minuteOf(at)) ?? 0) + schedules);
      left -= next.length;
      afterAt = next.length === limit ? (next.at(-1) ?? toAt) : toAt;
      // A call that finds nothing takes time too, so each call counts as one more occurrence.
      inSlice += next.length + 1;
      if (inSlice < OCCURRENCES_PER_TURN) continue;
      usedMs += performance.now() - sliceAt;
      if (usedMs > MAX_CPU_MS) return false;
      await new Promise(setImmediate);
      inSlice = 0;
      sliceAt = performance.now();
    }
  }
  return isComplete;
}

/** The occurrences within a range; null if the rule can no longer be evaluated. */
function findOrNull(
  timing: Timing,
  range: { afterAt: number; untilAt: number; limit: number },
): number[] | null {
  try {
    return occurrencesWithin(timing, range);
  } catch (error) {
    if (error instanceof UnusableRule) return null;
    throw error;
  }
}

/**
 * Counts how often each schedule of a group fires within the given minute, not counting its next fire. The result is
 * null if this is not known: the rule can no longer be evaluated, or the remaining runs are limited and the schedule
 * fires more than `MAX_OCCURRENCES_LISTED` times until then.
 */
export function laterFiresIn(
  { timing: text, occurrenceAt, runsLeft }: ForecastGroup,
  minuteAt: number,
): number | null {
  const lastAt = minuteAt + MINUTE_MS - 1;
  if (occurrenceAt > lastAt) return 0;
  const timing = readTiming(text);
  const afterAt = Math.max(occurrenceAt, minuteAt - 1);
  const inMinute = findOrNull(timing, { afterAt, untilAt: lastAt, limit: MAX_PER_MINUTE });
  if (inMinute === null || runsLeft === null || inMinute.length === 0) return inMinute?.length ?? null;
  // The next fire uses up one of the remaining runs.
  const limit = Math.min(runsLeft - 1, MAX_OCCURRENCES_LISTED);
  const allowed = occurrencesWithin(timing, { afterAt: occurrenceAt, untilAt: lastAt, limit });
  if (allowed.length === MAX_OCCURRENCES_LISTED && limit < runsLeft - 1) return null;
  return inMinute.filter((at) => allowed.includes(at)).length;
}

/** A rule fires at most once a second. */
const MAX_PER_MINUTE = 60;
/** Maximum number of occurrences that are listed to find out when the remaining runs are used up. */
const MAX_OCCURRENCES_LISTED = 1_000;
