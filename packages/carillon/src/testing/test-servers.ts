import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServers } from '@carillon/embedded';
import { readPath, readTestServers } from '../config.js';

/** A Postgres and a Redis for tests. Several test installations may share them. */
export interface TestServers extends AsyncDisposable {
  databaseUrl: string;
  redisUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts embedded servers in a folder of their own, which is removed when they stop. A server whose address is in
 * CARILLON_TEST_DATABASE_URL or CARILLON_TEST_REDIS_URL is used and not started.
 */
export async function startTestServers(): Promise<TestServers> {
  const home = await mkdtemp(join(tmpdir(), 'carillon-testing-'));
  const servers = await startServers({
    home,
    ...readTestServers(),
    redis: undefined,
    searchPath: readPath(),
    // Test data need not survive a power cut.
    postgresSettings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
    log: { info: () => {}, warn: () => {} },
  });
  const stop = async () => {
    await servers.stop();
    await rm(home, { recursive: true, force: true });
  };
  return {
    databaseUrl: servers.databaseUrl,
    redisUrl: servers.redisUrl,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
