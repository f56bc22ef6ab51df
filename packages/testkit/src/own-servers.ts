import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { startServers } from '@carillon/embedded';

export interface OwnServers {
  databaseUrl: string;
  redisUrl: string;
  /** What runs as Redis: a native server where PATH has one. */
  redisKind: string;
  /** `-m immediate`: Postgres ends at once and has to recover. Its keeper starts it again. */
  crashPostgres(): Promise<void>;
  /** `kill -9`: all that Redis held is gone. Its keeper starts it again. */
  killRedis(): Promise<void>;
  stop(): Promise<void>;
}

/** A Postgres and a Redis that may be broken, durable as people run them; the ones that all tests share must not be. */
export async function startOwnServers({
  parent = tmpdir(),
  ...options
}: {
  /** The folder in which their data lies. */
  parent?: string;
  redisUrl?: string;
  postgresSettings?: Record<string, string | number>;
} = {}): Promise<OwnServers> {
  const home = await mkdtemp(join(parent, `carillon-test-${userInfo().uid}-faults-`));
  const log = { info: () => undefined, warn: () => undefined };
  const servers = await startServers({ home, searchPath: process.env.PATH ?? '', log, ...options });
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
