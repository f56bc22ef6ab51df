import type { ForecastGroup } from '@carillon/db';
import { nextOccurrences } from '@carillon/shared';

const MINUTE_MS = 60_000;
/** What one answer may cost: beyond it, the forecast says that it is not complete. */
const LONGEST_MS = 1_000;
/** Between two looks at the clock; short enough that other requests hardly notice. */
const AT_A_TIME = 500;

/** Counts fires by minute, group by group, as far as there is time for it. */
export async function forecastFires(
  groups: readonly ForecastGroup[],
  { fromAt, toAt }: { fromAt: number; toAt: number },
): Promise<{ fires: Map<number, number>; isComplete: boolean }> {
  const fires = new Map<number, number>();
  const add = (at: number, count: number) => {
    // What is overdue is expected now.
    const minute = Math.floor(Math.max(at, fromAt) / MINUTE_MS) * MINUTE_MS;
    fires.set(minute, (fires.get(minute) ?? 0) + count);
  };
  const startedAt = performance.now();
  let done = 0;
  for (const group of groups) add(group.dueAt, group.schedules);
  for (const group of groups) {
    if (group.timing.rule.kind === 'at') continue;
    let afterAt = Math.max(group.occurrenceAt, fromAt - 1);
    let left = (group.runsLeft ?? Number.POSITIVE_INFINITY) - 1;
    // Few at first: most rules have few occurrences within the time asked for.
    for (let size = 4; left > 0 && afterAt <= toAt; size = Math.min(size * 4, AT_A_TIME)) {
      if (performance.now() - startedAt > LONGEST_MS) return { fires, isComplete: false };
      const next = nextOccurrences(group.timing, afterAt, Math.min(size, left));
      for (const at of next) if (at <= toAt) add(at, group.schedules);
      left -= next.length;
      afterAt = next.at(-1) ?? Number.POSITIVE_INFINITY;
      done += next.length;
      if (done < AT_A_TIME) continue;
      done = 0;
      await new Promise(setImmediate);
    }
  }
  return { fires, isComplete: true };
}
