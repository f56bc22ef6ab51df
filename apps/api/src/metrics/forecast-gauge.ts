import { type ComingGroup, countComingFires, readComingGroups } from '@carillon/db';
import { countOccurrences, MINUTE_MS, readTiming, UnusableRule } from '@carillon/shared';
import { cachedFor, type Gauge } from '@carillon/telemetry';
import type { Pool } from 'pg';

/** The gauge has one value for each of these windows, in minutes. */
const WINDOWS = [1, 5, 60];
const LONGEST = Math.max(...WINDOWS);
/** Cache TTL of the gauge: a forecast may read 200,000 schedules. */
const CACHE_TTL_MS = 15_000;
/**
 * Number of groups (schedules with the same rule and next occurrence) that are counted in one turn of the event loop.
 * Other requests run between two turns.
 */
const GROUPS_PER_TURN = 100;

/**
 * The number of runs expected within the next minutes, over all projects. An autoscaler can use this gauge to add
 * workers before many runs are due at once.
 */
export class ForecastGauge {
  readonly #read: () => Promise<Gauge>;

  constructor(pool: Pool) {
    this.#read = cachedFor(CACHE_TTL_MS, () => readForecast(pool));
  }

  read(): Promise<Gauge> {
    return this.#read();
  }
}

async function readForecast(pool: Pool): Promise<Gauge> {
  const [{ now, next }, groups] = await Promise.all([
    countComingFires(pool, { minutes: WINDOWS, now: null }),
    readComingGroups(pool, { minutes: LONGEST, now: null }),
  ]);
  const counts = [...next];
  for (const [i, group] of groups.entries()) {
    WINDOWS.forEach((minutes, place) => {
      counts[place] = (counts[place] ?? 0) + laterFires(group, now + minutes * MINUTE_MS);
    });
    if (i % GROUPS_PER_TURN === 0) await new Promise(setImmediate);
  }
  return {
    name: 'carillon_forecast_runs',
    help: 'Runs that are expected within the window: next occurrences, later ones of recurring schedules, and retries.',
    values: WINDOWS.map((minutes, place) => ({
      labels: { window: `${minutes}m` },
      value: counts[place] ?? 0,
    })),
  };
}

/**
 * Counts the fires of a group of schedules after their next occurrence. A rule that can no longer be evaluated counts
 * as 0: when its schedules are due, a worker pauses them.
 */
function laterFires({ timing, occurrenceAt, runsLeft, schedules }: ComingGroup, untilAt: number): number {
  const later = countOrZero(timing, { afterAt: occurrenceAt, untilAt });
  return Math.min(later, runsLeft === null ? later : Math.max(0, runsLeft - 1)) * schedules;
}

function countOrZero(timing: string, { afterAt, untilAt }: { afterAt: number; untilAt: number }): number {
  try {
    return countOccurrences(readTiming(timing), afterAt, untilAt);
  } catch (error) {
    if (error instanceof UnusableRule) return 0;
    throw error;
  }
}
