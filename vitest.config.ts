import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { findChromium } from './scripts/chromium.mjs';
import { hasProgram } from './scripts/programs.mjs';
import { SpreadLong } from './scripts/spread-long.mjs';

// Tests import the sources of workspace packages, so that they never test an old build.
const conditions = ['@carillon/source'];

/**
 * Tests that need a program which npm can't install. Debian has these programs in the packages chromium-headless-shell,
 * prometheus, golang-go with sprig and ghodss/yaml, redis-server and postgresql-client.
 */
const OPTIONAL = [
  { isThere: findChromium() !== null, program: 'Chromium', folder: 'tests/browser' },
  {
    isThere: hasProgram('prometheus') && hasProgram('promtool'),
    program: 'Prometheus',
    folder: 'tests/prometheus',
  },
  {
    isThere:
      hasProgram('go') &&
      ['Masterminds/sprig', 'ghodss/yaml'].every((name) =>
        existsSync(`/usr/share/gocode/src/github.com/${name}`),
      ),
    program: 'Go with sprig and ghodss/yaml',
    folder: 'tests/deploy/chart',
  },
  {
    isThere: hasProgram('redis-server') && hasProgram('openssl'),
    program: 'redis-server or openssl',
    folder: 'tests/redis',
  },
  {
    isThere: ['redis-server', 'redis-cli', 'pg_isready', 'promtool'].every((name) => hasProgram(name)),
    program: 'redis-server, redis-cli, pg_isready or promtool',
    folder: 'tests/deploy/compose',
  },
  { isThere: hasProgram('openssl'), program: 'openssl', folder: 'tests/tls' },
];

/**
 * Tests of handlers and of library mode. Each of these files runs in a process of its own, as the program of a user
 * does. Such a process imports all sources anew, which takes seconds of CPU time.
 */
const DEFINE_HANDLERS = [
  'apps/worker/test/handler.test.ts',
  'apps/worker/test/probes.test.ts',
  'apps/worker/test/robustness.test.ts',
  'apps/worker/test/typed-handlers.test.ts',
  'packages/carillon/test/run.test.ts',
  'packages/carillon/test/sql.test.ts',
  'packages/carillon/test/sql-docs.test.ts',
  'packages/testing/test/test-clock.test.ts',
  'packages/create-carillon/template/test/**/*.test.ts',
];
/** Packs and installs the packages from npm. It takes minutes, so `pnpm packed` runs it and `npm test` does not. */
const PACKED = 'tests/packages/**/*.test.ts';

const missing = OPTIONAL.filter(({ isThere }) => !isThere);
for (const { program, folder } of missing)
  console.log(`${program} is not installed here, so the tests in ${folder} are left out.`);

const real = {
  pool: 'forks' as const,
  globalSetup: ['packages/testkit/src/global-setup.ts'],
  // The time-outs are long, because tests wait on conditions, and a slow machine takes longer. A condition that never
  // becomes true still fails the test.
  testTimeout: 90_000,
  hookTimeout: 240_000,
};

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    maxWorkers: 3,
    sequence: { sequencer: SpreadLong },
    // Test files share the loaded modules, because no test replaces a module. With isolation, each file would import
    // everything anew.
    isolate: false,
    setupFiles: ['scripts/property-seed.mjs'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'packages/*/src/**/*.test.ts',
            'apps/*/src/**/*.test.ts',
            'bench/src/**/*.test.ts',
            'scripts/*.test.mjs',
          ],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          ...real,
          name: 'real',
          include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            ...missing.map(({ folder }) => `${folder}/**`),
            ...DEFINE_HANDLERS,
            PACKED,
          ],
        },
      },
      {
        extends: true,
        test: { ...real, name: 'handlers', include: DEFINE_HANDLERS, isolate: true },
      },
      {
        extends: true,
        test: { ...real, name: 'packed', include: [PACKED] },
      },
      {
        extends: true,
        test: { ...real, name: 'screenshots', include: ['tests/screenshots/take-screenshots.ts'] },
      },
    ],
  },
});
