import { endLeftovers, type HomePaths, lockHome, prepareHome, writePrivately } from './home.js';
import type { Log } from './log.js';
import type { PostgresSettings } from './postgres/settings.js';
import { startPostgres } from './postgres/start-postgres.js';
import { type RedisChoice, startRedis } from './redis/start-redis.js';

export interface StartServersOptions {
  /** The folder for data, secrets and logs; absolute. */
  home: string;
  /** A Postgres to use instead of the embedded one. */
  databaseUrl?: string | undefined;
  /** A Redis to use instead of the embedded one, or `none` to run without Redis. */
  redisUrl?: string | undefined;
  /** Which embedded Redis to run. Default: a native Redis if `searchPath` has one, otherwise Valkey as WebAssembly. */
  redis?: RedisChoice | undefined;
  /** The folders in which to look for a native Redis, as in PATH. Default: none. */
  searchPath?: string;
  /** Settings of the embedded Postgres that override our own, named as in postgresql.conf. */
  postgresSettings?: PostgresSettings;
  /** The folder of an installed Postgres to run instead of the embedded one, such as /usr/lib/postgresql/15. */
  postgresFolder?: string | undefined;
  log: Log;
}

export interface Servers {
  databaseUrl: string;
  redisUrl: string;
  postgresKind: string;
  redisKind: string;
  paths: HomePaths;
  stop(): Promise<void>;
}

interface Server {
  url: string;
  kind: string;
  stop(): Promise<void>;
}

/**
 * Locks the data folder and starts Postgres and Redis, unless their URLs are given. If one of them fails to start, the
 * other is stopped and the folder is unlocked.
 */
export async function startServers(options: StartServersOptions): Promise<Servers> {
  const { home, databaseUrl, redisUrl, redis, searchPath = '', postgresSettings = {}, log } = options;
  const folder = options.postgresFolder;
  const paths = await prepareHome(home);
  const undo: Array<() => Promise<void>> = [await lockHome(paths)];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    for (const name of await endLeftovers(paths))
      log.warn(`Stopped ${name}, which an earlier start had left behind`);
    const starting = await Promise.allSettled([
      databaseUrl ? external(databaseUrl) : startPostgres({ paths, settings: postgresSettings, folder, log }),
      redisUrl ? external(redisUrl) : startRedis({ paths, choice: redis, searchPath, log }),
    ]);
    for (const outcome of starting) if (outcome.status === 'fulfilled') undo.push(outcome.value.stop);
    const [postgres, redisServer] = starting.map(settledValue) as [Server, Server];
    await writePrivately(paths.postgresUrl, postgres.url);
    await writePrivately(paths.redisUrl, redisServer.url);
    return {
      databaseUrl: postgres.url,
      redisUrl: redisServer.url,
      postgresKind: postgres.kind,
      redisKind: redisServer.kind,
      paths,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function external(url: string): Promise<Server> {
  return { url, kind: url === 'none' ? 'none' : 'external', stop: async () => undefined };
}

function settledValue<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}
