import { randomBytes } from 'node:crypto';
import {
  computeStats,
  createTestDatabase,
  dropTestDatabase,
  migrate,
  openDatabase,
  readNextDueAt,
  setTestClock,
} from '@carillon/db';
import { testServers } from '@carillon/testkit';
import { afterAll, beforeAll } from 'vitest';

type Pool = ReturnType<typeof openDatabase>;

/** A sweep computes the statistics of ten minutes, so it takes six of them for an hour. */
const SWEEPS_PER_HOUR = 6;

export interface MovedTime {
  readonly url: string;
  readonly redisUrl: string;
  readonly prefix: string;
  now(): number;
  /** Computes the statistics of the earliest hour that has none yet, as the sweeps of the worker do. */
  computeHourOfStats(): Promise<void>;
  /**
   * Advances the time to an instant. It stops at each due time on the way and lets the runs that are due end. `lateMs`
   * says how late the engine is at each stop (default: not late).
   */
  advanceTo(
    at: string | number,
    worker: { runAllDue(): Promise<void> },
    lateMs?: (dueAt: number) => number,
  ): Promise<void>;
}

/** Creates a database whose time stands still until the test advances it, for the test file that calls this. */
export function useMovedTime(beginAt: string): MovedTime {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const { databaseUrl, redisUrl } = testServers();
  const url = Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).toString();
  let now = Date.parse(beginAt);
  let pool: Pool;

  beforeAll(async () => {
    await createTestDatabase(databaseUrl, { name, now });
    await migrate(url);
    pool = openDatabase({ url, max: 1, applicationName: 'carillon-test', onError: () => {} });
  });
  afterAll(async () => {
    await pool?.end();
    await dropTestDatabase(databaseUrl, name);
  });

  return {
    url,
    redisUrl,
    prefix: name,
    now: () => now,
    async computeHourOfStats() {
      for (let i = 0; i < SWEEPS_PER_HOUR; i++) await computeStats(pool, null);
    },
    async advanceTo(at, worker, lateMs = () => 0) {
      const untilAt = new Date(at).getTime();
      const set = async (next: number) => {
        // The clock of Postgres is set first. If the clock of the worker were ahead of it for a moment, the worker
        // could claim a run early.
        await setTestClock(pool, next);
        now = next;
        await worker.runAllDue();
      };
      await worker.runAllDue();
      for (;;) {
        const dueAt = await readNextDueAt(pool, now);
        if (dueAt === null || dueAt > untilAt) break;
        await set(Math.max(now, dueAt + lateMs(dueAt)));
      }
      if (now < untilAt) await set(untilAt);
    },
  };
}
