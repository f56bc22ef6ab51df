// Exactly what CI runs: every check, in the order in which a failure is cheapest to find.
import { run } from './install.mjs';

const STEPS = [
  ['Format and lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['Build and types', 'turbo', ['run', 'build', 'typecheck', '--output-logs=errors-only']],
  ['Unused code', 'knip', []],
  ['Migration drift', 'pnpm', ['--silent', '--filter', '@carillon/db', 'check-drift']],
  ['OpenAPI drift', 'pnpm', ['--silent', '--filter', '@carillon/api', 'openapi', '--check']],
  ['Tests', 'vitest', ['run']],
  ['Benchmarks, small', 'node', ['bench/dist/main.js', '--quick']],
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
