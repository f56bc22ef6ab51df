import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { startServers } from '@carillon/embedded';
import { POSTGRES_FOLDER } from './chosen-servers.js';

export interface OwnServers {
  databaseUrl: string;
  redisUrl: string;
  /** The program that runs as Redis: a native server if PATH has one. */
  redisKind: string;
  /**
   * Stops Postgres as `pg_ctl stop -m immediate` does, so that it has to recover. `keepRunning`, which watches the
   * servers, starts it again.
   */
  crashPostgres(): Promise<void>;
  /** Kills Redis with SIGKILL, so that its data is lost. `keepRunning`, which watches the servers, starts it again. */
  killRedis(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a Postgres (with durability on) and a Redis for one test that breaks its servers. The servers that all tests
 * share must not be broken.
 */
export async function startOwnServers({
  parent = tmpdir(),
  ...options
}: {
  /** The folder below which the data folder is created. */
  parent?: string;
  /** Servers to use instead of starting new ones. */
  databaseUrl?: string;
  redisUrl?: string;
  postgresSettings?: Record<string, string | number>;
} = {}): Promise<OwnServers> {
  const home = await mkdtemp(join(parent, `carillon-test-${userInfo().uid}-faults-`));
  const log = { info: () => undefined, warn: () => undefined };
  const servers = await startServers({
    home,
    searchPath: process.env.PATH ?? '',
    postgresFolder: POSTGRES_FOLDER,
    log,
    ...options,
  });
  const end = async (pidFile: string, signal: NodeJS.Signals) =>
    process.kill(Number.parseInt(await readFile(pidFile, 'utf8'), 10), signal);
  return {
    databaseUrl: servers.databaseUrl,
    redisUrl: servers.redisUrl,
    redisKind: servers.redisKind,
    async crashPostgres() {
      await end(join(servers.paths.postgresData, 'postmaster.pid'), 'SIGQUIT');
    },
    async killRedis() {
      await end(servers.paths.redisPid, 'SIGKILL');
    },
    async stop() {
      await servers.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
