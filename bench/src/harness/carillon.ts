import { fileURLToPath } from 'node:url';
import { migrate, openDatabase, readClock } from '@carillon/db';
import { Bells, connectProducer, PostgresClock, type RedisClient } from '@carillon/queue';
import type { Pool } from 'pg';
import type { Arena } from './arena.js';
import { closePool, reportConnectionError } from './connections.js';
import type { CrewOptions } from './crew.js';

/** The path of the program of an app. */
const mainOf = (exported: string) => fileURLToPath(new URL('./main.js', exported));
const HANDLERS = new URL('../players/carillon-handlers.js', import.meta.url).href;
const WORKERS = 2;

/** Two worker processes of Carillon, with default settings and the handler of the bench. */
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

/** A database with the tables of Carillon, and the connections to it that an API process has. */
export interface Site {
  pool: Pool;
  redis: RedisClient;
  bells: Bells;
  env: { DATABASE_URL: string; REDIS_URL: string };
  close(): Promise<void>;
}

export const HORIZON_MS = 60_000;

/** Creates Carillon's tables in an empty database, and opens the connections of an API process. */
export async function openSite({
  databaseUrl,
  redisUrl,
}: {
  databaseUrl: string;
  redisUrl: string;
}): Promise<Site> {
  await migrate(databaseUrl);
  const pool = openDatabase({
    url: databaseUrl,
    max: 4,
    applicationName: 'carillon-bench',
    // The time-out is long, because a race inserts millions of rows by one statement.
    queryTimeoutMs: 600_000,
    onError: reportConnectionError,
  });
  const redis = connectProducer(redisUrl, reportConnectionError);
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
      await closePool(pool);
    },
  };
}

/** Runs a round in which only Carillon takes part, and closes its connections afterwards. */
export async function onSite<T>(arena: Arena, round: (site: Site) => Promise<T>, kept?: string): Promise<T> {
  const site = await openSite({ databaseUrl: await arena.clear(kept), redisUrl: arena.redisUrl });
  try {
    return await round(site);
  } finally {
    await site.close();
  }
}
