// Runs exactly the checks that CI runs, the cheapest first.
import { run } from './install.mjs';

/** The benchmark races that run here, one of each kind. `pnpm bench --quick` runs all races, in four minutes. */
const RACES = ['herd', 'claims', 'webhooks', 'api', 'pages', 'operations', 'forecast'];

/**
 * Stages of checks. The steps of a stage do not need each other’s results and run side by side, because most of them
 * keep only one core busy.
 */
const STAGES = [
  [
    ['Format and lint', 'biome', ['check', '--error-on-warnings', '.']],
    ['Plain English', 'node', ['scripts/check-prose.mjs']],
    ['Types', 'tsc', ['-p', 'tsconfig.all.json']],
  ],
  [['Build', 'turbo', ['run', 'build', '--output-logs=errors-only']]],
  [
    ['Types of the dashboard', 'tsc', ['--noEmit', '-p', 'apps/dashboard']],
    // The template is checked as a project of a user, against the built types.
    ['Types of the template', 'tsc', ['-p', 'packages/create-carillon/template']],
    ['Types of the guide', 'tsc', ['--noEmit', '-p', 'apps/guide']],
    ['Unused code', 'knip', []],
    ['Migration drift', 'pnpm', ['--silent', '--filter', '@carillon/db', 'check-drift']],
    ['OpenAPI drift', 'pnpm', ['--silent', '--filter', '@carillon/api', 'openapi', '--check']],
  ],
  [['Tests', 'vitest', ['run', '--project', 'unit', '--project', 'real', '--project', 'handlers']]],
  [['Benchmarks, small', 'node', ['bench/dist/main.js', ...RACES, '--quick', '--only', 'graphile-worker']]],
];

for (const steps of STAGES) {
  // The output of steps that run side by side is shown only if they fail, so that it does not get mixed.
  const statuses = await Promise.all(steps.map((step) => runStep(step, { quiet: steps.length > 1 })));
  const failed = statuses.find((status) => status !== 0);
  if (failed !== undefined) process.exit(failed ?? 1);
}

async function runStep([name, command, args], { quiet }) {
  const startedAt = performance.now();
  console.log(`▸ ${name}`);
  const status = await run(command, args, { quiet });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  if (status === 0) console.log(`✓ ${name} (${seconds} s)`);
  else console.error(`✗ ${name} failed`);
  return status;
}
