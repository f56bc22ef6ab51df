import { readNextDueAt, setTestClock } from '@carillon/db';
import type { Pool } from 'pg';
import type { DrivenWorker } from '../run.js';

/** The time of a test installation. It stands still until the test moves it. */
export interface TestClock {
  now(): Date;
  /**
   * Moves time forward, from one due instant to the next. Each occurrence and each retry on the way runs at its own
   * time and has ended when this resolves. Takes a duration such as `1 day`, `90 minutes` or `PT1H`, or milliseconds.
   */
  advance(by: string | number): Promise<void>;
  /** Moves time forward to an instant, in the same way as `advance`. */
  advanceTo(at: Date | string): Promise<void>;
}

const UNITS = { week: 604_800_000, day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1_000 };
const WORDS = /^(\d+(?:\.\d+)?) (second|minute|hour|day|week)s?$/;
const ISO = /^P(?=.)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** The length of a duration: `3 days`, `PT1H30M`, or milliseconds. A day is 24 hours. */
export function toMilliseconds(duration: string | number): number {
  if (typeof duration === 'number') return duration;
  const [, count, unit] = WORDS.exec(duration) ?? [];
  if (unit !== undefined) return Number(count) * UNITS[unit as keyof typeof UNITS];
  const iso = ISO.exec(duration);
  if (!iso)
    throw new Error(
      `"${duration}" is not a duration; expected, for example, "1 day", "90 minutes" or "PT1H"`,
    );
  return Object.values(UNITS).reduce((sum, lengthMs, n) => sum + Number(iso[n + 1] ?? 0) * lengthMs, 0);
}

/**
 * The time that the API and the worker of a test read, in epoch milliseconds. `testClock` sets the same time in the
 * database of the test, where SQL functions that read it from a table replace `now()` and `clock_timestamp()`.
 */
export interface ClockReading {
  now: number;
}

export function testClock(reading: ClockReading, pool: Pool, worker: DrivenWorker): TestClock {
  const set = async (now: number) => {
    // The database gets the new time first. If this process were ahead of the database, a run could be claimed early.
    await setTestClock(pool, now);
    reading.now = now;
    await worker.runAllDue();
  };
  const advanceTo = async (untilAt: number) => {
    if (!(untilAt >= reading.now))
      throw new Error(`time only moves forward: it is ${new Date(reading.now).toISOString()} now`);
    await worker.runAllDue();
    for (;;) {
      const nextAt = await readNextDueAt(pool, reading.now);
      if (nextAt === null || nextAt > untilAt) break;
      await set(nextAt);
    }
    if (reading.now < untilAt) await set(untilAt);
  };
  return {
    now: () => new Date(reading.now),
    advance: (by) => advanceTo(reading.now + toMilliseconds(by)),
    advanceTo: (at) => advanceTo(new Date(at).getTime()),
  };
}
