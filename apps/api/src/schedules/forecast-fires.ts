import type { ForecastGroup } from '@carillon/db';
import { nextOccurrences, readTiming } from '@carillon/shared';

export const MINUTE_MS = 60_000;
export const minuteOf = (at: number) => Math.floor(at / MINUTE_MS) * MINUTE_MS;

/** Maximum CPU time per forecast. A forecast that takes longer is cut off and marked as incomplete. */
const MAX_CPU_MS = 5_000;
/** Number of occurrences that are computed in one turn of the event loop: about a millisecond of work. */
const OCCURRENCES_PER_TURN = 50;

export interface FiresByMinute {
  /** Number of fires, by the start of their minute. */
  fires: Map<number, number>;
  isComplete: boolean;
}

/**
 * Adds the fires of recurring schedules after their next occurrence to the counts per minute. Lets other requests run
 * in between.
 */
export async function addLaterFires(
  fires: Map<number, number>,
  groups: readonly ForecastGroup[],
  { fromAt, toAt }: { fromAt: number; toAt: number },
): Promise<boolean> {
  let usedMs = 0;
  let sliceAt = performance.now();
  let inSlice = 0;
  for (const { timing: text, occurrenceAt, runsLeft, schedules } of groups) {
    const timing = readTiming(text);
    let afterAt = Math.max(occurrenceAt, fromAt - 1);
    let left = (runsLeft ?? Number.POSITIVE_INFINITY) - 1;
    while (left > 0 && afterAt <= toAt) {
      const next = nextOccurrences(timing, afterAt, Math.min(4, left));
      for (const at of next) {
        if (at <= toAt) fires.set(minuteOf(at), (fires.get(minuteOf(at)) ?? 0) + schedules);
      }
      left -= next.length;
      afterAt = next.at(-1) ?? Number.POSITIVE_INFINITY;
      inSlice += next.length;
      if (inSlice < OCCURRENCES_PER_TURN) continue;
      usedMs += performance.now() - sliceAt;
      if (usedMs > MAX_CPU_MS) return false;
      await new Promise(setImmediate);
      inSlice = 0;
      sliceAt = performance.now();
    }
  }
  return true;
}

/** Counts how often each schedule of a group fires within the given minute. Its next fire does not count. */
export function laterFiresIn(
  { timing: text, occurrenceAt, runsLeft }: ForecastGroup,
  minuteAt: number,
): number {
  const untilAt = minuteAt + MINUTE_MS;
  if (occurrenceAt >= untilAt) return 0;
  const timing = readTiming(text);
  const inMinute = nextOccurrences(timing, Math.max(occurrenceAt, minuteAt - 1), 60).filter(
    (at) => at < untilAt,
  );
  if (runsLeft === null || inMinute.length === 0) return inMinute.length;
  // The next fire uses up one of the remaining runs.
  const allowed = nextOccurrences(timing, occurrenceAt, Math.min(runsLeft - 1, MAX_COUNTED));
  return inMinute.filter((at) => allowed.includes(at)).length;
}

/** Maximum number of occurrences that are listed to find out when the remaining runs are used up. */
const MAX_COUNTED = 1_000;
