import { fileURLToPath } from 'node:url';
import { migrate, openDatabase, readClock } from '@carillon/db';
import { Bells, connectProducer, PostgresClock } from '@carillon/queue';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { Arena } from './arena.js';
import type { CrewOptions } from './crew.js';

/** The program of an app, beside what it exports. */
const mainOf = (exported: string) => fileURLToPath(new URL('./main.js', exported));
const HANDLERS = new URL('../players/carillon-handlers.js', import.meta.url).href;
const WORKERS = 2;

/** Two of Carillon's own worker processes, as they come, with the bench's handler loaded. */
export const workerCrew = (env: Record<string, string>): CrewOptions => ({
  main: mainOf(import.meta.resolve('@carillon/worker')),
  processes: WORKERS,
  env: {
    CARILLON_HANDLERS: HANDLERS,
    BENCH_JOBS: '0',
    ALLOW_PRIVATE_TARGETS: 'true',
    LOG_LEVEL: 'info',
    ...env,
  },
  readyWhenPrinted: 'Worker ready',
});

export const apiCrew = (env: Record<string, string>): CrewOptions => ({
  main: mainOf(import.meta.resolve('@carillon/api')),
  processes: 1,
  env: { PORT: '0', LOG_LEVEL: 'info', ...env },
  readyWhenPrinted: 'API ready',
});

/** What an API process is connected to, in a database that is ready for use. */
export interface Site {
  pool: Pool;
  redis: Redis;
  bells: Bells;
  env: { DATABASE_URL: string; REDIS_URL: string };
  close(): Promise<void>;
}

export const HORIZON_MS = 60_000;

/** Makes Carillon's tables in a database that is empty. */
export async function openSite({
  databaseUrl,
  redisUrl,
}: {
  databaseUrl: string;
  redisUrl: string;
}): Promise<Site> {
  await migrate(databaseUrl);
  const onError = (error: Error) => console.error(error);
  const pool = openDatabase({ url: databaseUrl, max: 4, applicationName: 'carillon-bench', onError });
  const redis = connectProducer(redisUrl, onError);
  await new Promise((resolve) => redis.once('ready', resolve));
  const clock = new PostgresClock(Date.now);
  await clock.ask(() => readClock(pool));
  const bells = new Bells({
    redis,
    prefix: 'bull',
    clock,
    process: 'bench',
    horizonMs: HORIZON_MS,
    onArmed: () => {},
  });
  return {
    pool,
    redis,
    bells,
    env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl },
    async close() {
      await bells.close();
      redis.disconnect();
      await pool.end();
    },
  };
}

/** Clears the arena for a round of Carillon alone, and closes what the round opened. */
export async function onSite<T>(arena: Arena, round: (site: Site) => Promise<T>, kept?: string): Promise<T> {
  const site = await openSite({ databaseUrl: await arena.clear(kept), redisUrl: arena.redisUrl });
  try {
    return await round(site);
  } finally {
    await site.close();
  }
}
