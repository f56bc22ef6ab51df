import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Servers, startServers } from '@carillon/embedded';
import type { TestProject } from 'vitest/node';
import type {} from './servers.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Nothing here has to survive a power cut. */
const FAST_BUT_FORGETFUL = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Starts one Postgres and one Redis for the whole run, unless DATABASE_URL and REDIS_URL name some. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildEmbedded();
  const home = await mkdtemp(join(tmpdir(), 'carillon-test-'));
  const servers = await startServers({
    home,
    databaseUrl: process.env.DATABASE_URL,
    redisUrl: process.env.REDIS_URL,
    searchPath: process.env.PATH ?? '',
    postgresSettings: FAST_BUT_FORGETFUL,
    log: { info: () => undefined, warn: (line) => console.warn(line) },
  });
  project.provide('databaseUrl', servers.databaseUrl);
  project.provide('redisUrl', servers.redisUrl);
  return () => tearDown(servers, home);
}

async function tearDown(servers: Servers, home: string): Promise<void> {
  await servers.stop();
  await rm(home, { recursive: true, force: true });
}

/** The WebAssembly Redis runs as a process of its own, and Node 20 runs JavaScript only. */
async function buildEmbedded(): Promise<void> {
  await promisify(execFile)(
    join(root, 'node_modules/.bin/tsc'),
    ['-p', 'packages/embedded/tsconfig.build.json'],
    {
      cwd: root,
    },
  );
}
