import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { dropDatabase } from './administer.js';
import { bundleApps } from './bundle-apps.js';
import { POSTGRES_FOLDER, USES_PGBOUNCER } from './chosen-servers.js';
import { Pgbouncer } from './pgbouncer.js';
import type {} from './servers.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const homePrefix = join(tmpdir(), `carillon-test-${userInfo().uid}-`);
/** The prefix of the CARILLON_HOME folders that this process creates. */
const ownPrefix = `${homePrefix}${process.pid}-`;

/** Test data need not survive a power cut, so nothing is flushed to disk. */
const WITHOUT_DURABILITY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

interface SharedServers {
  readonly started: Promise<StartedServers>;
  /** Number of Vitest projects that still use the servers. */
  users: number;
}

interface StartedServers {
  readonly provided: ProvidedContext;
  stop(): Promise<void>;
}

/**
 * Vitest loads this module once for each of its projects, all in one process. A global variable lets the projects share
 * the servers.
 */
const run = globalThis as { carillonTestServers?: SharedServers };

/** Starts one Postgres and one Redis for all projects of the run, unless DATABASE_URL and REDIS_URL are set. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  run.carillonTestServers ??= { started: start(), users: 0 };
  const servers = run.carillonTestServers;
  servers.users += 1;
  const { provided, stop } = await servers.started;
  for (const key of Object.keys(provided) as (keyof ProvidedContext)[]) project.provide(key, provided[key]);
  return async () => {
    servers.users -= 1;
    if (servers.users > 0) return;
    delete run.carillonTestServers;
    await stop();
  };
}

async function start(): Promise<StartedServers> {
  const { clearAbandonedHome, startServers } = await buildEmbedded();
  await removeAbandonedHomes(clearAbandonedHome);
  const home = await mkdtemp(ownPrefix);
  const apps = join(home, 'apps');
  // The programs are bundled before the servers start, so that a failed build leaves no server running.
  await bundleApps(apps);
  const servers = await startServers({
    home,
    databaseUrl: process.env.DATABASE_URL,
    redisUrl: process.env.REDIS_URL,
    redis: process.env.CARILLON_REDIS as 'native' | 'wasm' | undefined,
    searchPath: process.env.PATH ?? '',
    postgresSettings: WITHOUT_DURABILITY,
    postgresFolder: POSTGRES_FOLDER,
    log: { info: () => undefined, warn: (line) => console.warn(line) },
  });
  const { databaseUrl, redisUrl } = servers;
  const templateDatabase = `template_${randomBytes(6).toString('hex')}`;
  const pgbouncer = USES_PGBOUNCER ? await Pgbouncer.start(databaseUrl) : null;
  return {
    provided: { apps, databaseUrl, redisUrl, pooledUrl: pgbouncer?.url ?? null, templateDatabase },
    async stop() {
      await pgbouncer?.stop();
      // If DATABASE_URL is set, its server keeps running after the tests, so the template database must be dropped.
      await dropDatabase(databaseUrl, templateDatabase);
      await servers.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/**
 * Compiles and imports the built package instead of its source. Its WebAssembly Redis runs in a process of its own, and
 * Node 20 can't run TypeScript there.
 */
async function buildEmbedded() {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  await promisify(execFile)(tsc, ['-p', 'packages/embedded/tsconfig.build.json'], { cwd: root });
  return import('@carillon/embedded');
}

/** Stops the servers that a killed test run left behind, and removes their folders. */
async function removeAbandonedHomes(clear: (home: string) => Promise<boolean>): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const home = join(tmpdir(), name);
    if (!home.startsWith(homePrefix) || home.startsWith(ownPrefix)) continue;
    if (await clear(home)) await rm(home, { recursive: true, force: true });
  }
}
