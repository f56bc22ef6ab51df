import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkNodeVersion, endWithNpm, install, root, run } from './install.mjs';

// `pnpm attack` runs the tests in which one project tries to harm another, at full size, and writes what the other
// project noticed to docs/security.md. `npm test` runs the same tests at a small size.
const resultsFile = join(mkdtempSync(join(tmpdir(), 'carillon-attack-')), 'results.jsonl');
const page = join(root, 'docs', 'security.md');

checkNodeVersion();
endWithNpm();
await install();
const built = await run('turbo', ['run', 'build', '--output-logs=errors-only']);
if (built !== 0) process.exit(built);
const code = await run('vitest', ['run', '--project', 'real', 'tests/attack'], {
  more: { ATTACK_SCALE: 'large', ATTACK_RESULTS: resultsFile },
});
const results = existsSync(resultsFile)
  ? readFileSync(resultsFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
const table = [
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, Node ${process.versions.node}, one API and one worker with 4,000 places:`,
  '',
  '| attack | runs of the other project that succeeded | late p50 ms | late p99 ms | its API p99 ms | its requests refused | most places of the attacker |',
  `|${' --- |'.repeat(7)}`,
  ...results.map((each) =>
    [
      '',
      each.name,
      `${each.succeeded} of ${each.runs}`,
      each.lateP50,
      each.lateP99,
      each.apiP99,
      each.apiRefused,
      each.mostPlacesOfAttacker,
      '',
    ]
      .join(' | ')
      .trim(),
  ),
].join('\n');
console.log(table);
// If one of the tests fails, the page stays unchanged.
if (code === 0) {
  const [before, rest] = readFileSync(page, 'utf8').split('<!-- attacks -->');
  const [, after] = rest.split('<!-- /attacks -->');
  writeFileSync(page, `${before}<!-- attacks -->\n${table}\n<!-- /attacks -->${after}`);
}
process.exit(code);
