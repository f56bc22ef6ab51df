// Runs exactly the checks that CI runs, the cheapest first.
import { run } from './install.mjs';

/** One race of each kind. `pnpm bench --quick` runs all races, in four minutes. */
const RACES = ['herd', 'claims', 'webhooks', 'api', 'pages', 'operations', 'forecast'];

const STEPS = [
  ['Format and lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['Plain English', 'node', ['scripts/check-prose.mjs']],
  ['Types', 'tsc', ['-p', 'tsconfig.all.json']],
  ['Build', 'turbo', ['run', 'build', '--output-logs=errors-only']],
  ['Types of the dashboard', 'tsc', ['--noEmit', '-p', 'apps/dashboard']],
  ['Unused code', 'knip', []],
  ['Migration drift', 'pnpm', ['--silent', '--filter', '@carillon/db', 'check-drift']],
  ['OpenAPI drift', 'pnpm', ['--silent', '--filter', '@carillon/api', 'openapi', '--check']],
  ['Tests', 'vitest', ['run', '--project', 'unit', '--project', 'real', '--project', 'handlers']],
  ['Benchmarks, small', 'node', ['bench/dist/main.js', ...RACES, '--quick', '--only', 'graphile-worker']],
];

for (const [name, command, args] of STEPS) {
  const startedAt = performance.now();
  console.log(`\n▸ ${name}`);
  const status = await run(command, args);
  if (status !== 0) {
    console.error(`✗ ${name} failed`);
    process.exit(status ?? 1);
  }
  console.log(`✓ ${name} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)`);
}
