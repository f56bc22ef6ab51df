import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FAULT_INPUTS } from './fault-inputs.mjs';
import { checkNodeVersion, endWithNpm, install, root, run } from './install.mjs';

// `pnpm faults --seeds 20` runs every fault scenario with 20 seeds, then random histories and bad input, and writes the
// figures to docs/reliability.md. `--only 3,4` runs scenarios 3 and 4 alone, `--only scenarios` all of them, and
// `--only input` the random histories and the bad input. `--with <file>` adds the results of an earlier run to those of
// this one, so that a scenario that was interrupted can be played again alone. If both have a result of the same
// scenario and seed, the newer one counts.
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    only: { type: 'string' },
    with: { type: 'string' },
    histories: { type: 'string', default: '5000' },
    requests: { type: 'string', default: '500' },
  },
});
const HOSTILE_REQUESTS = 10_000;
/** The upper bounds of the histogram of lateness, in milliseconds. */
const BOUNDS = [50, 250, 1_000, 5_000, 30_000];
const SCENARIOS = Array.from({ length: 34 }, (_, index) => index + 1);
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => Number(values.from) + index);
const resultsFile = join(mkdtempSync(join(tmpdir(), 'carillon-reliability-')), 'results.jsonl');
const page = join(root, 'docs', 'reliability.md');

checkNodeVersion();
endWithNpm();
await install();
const startedAt = Date.now();
const built = await run('turbo', ['run', 'build', '--output-logs=errors-only']);
if (built !== 0) process.exit(built);
const numbers = values.only === 'scenarios' ? undefined : values.only;
const inputCode = !values.only || values.only === 'input' ? await playInput() : 0;
if (values.only === 'input') process.exit(inputCode);
const code = await run(
  'vitest',
  ['run', '--project', 'real', 'tests/faults', '--exclude', '**/simulation*'],
  {
    more: {
      FAULT_SEEDS: seeds.join(),
      FAULT_RESULTS: resultsFile,
      ...(numbers && { FAULT_ONLY: numbers }),
    },
  },
);

// Each line is the result of one scenario with one seed, or the reason why a scenario can't run here.
const newLines = readResults(resultsFile);
const lines = [
  ...readResults(values.with).filter(
    ({ number, seed }) => !newLines.some((line) => line.number === number && line.seed === seed),
  ),
  ...newLines,
];
const played = lines.filter(({ leftOut }) => leftOut === undefined);
const notPlayed = lines.filter(({ leftOut }) => leftOut !== undefined);
const figures = describe(played, notPlayed);
console.log(figures);
console.log(`The results are in ${resultsFile}.`);
// The page is written only if each scenario has a result or a reason. So it stays unchanged if a test file crashes.
const isWhole = SCENARIOS.every((number) => lines.some((line) => line.number === number));
if ((!numbers || values.with) && isWhole) writeFigures('figures', figures);
process.exit(code || inputCode);

function readResults(file) {
  if (!file || !existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Runs the tests with random histories of edits and crashes, and those with invalid requests, rules and URLs. */
async function playInput() {
  const report = `${resultsFile}.input`;
  const times = {
    SIMULATION_RUNS: values.histories,
    FUZZ_RUNS: values.requests,
    HOSTILE_REQUESTS: String(HOSTILE_REQUESTS),
  };
  const code = await run(
    'vitest',
    [
      'run',
      ...FAULT_INPUTS.map(({ file }) => file),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { more: { ...times, PROPERTY_SEED: 'random' } },
  );
  const files = JSON.parse(readFileSync(report, 'utf8')).testResults;
  const rows = FAULT_INPUTS.map(({ input, file, name, times: variable }) => {
    const { assertionResults } = files.find((result) => result.name.endsWith(`/${file}`));
    const own = assertionResults.filter(({ title }) => name.test(title));
    const passed = own.filter(({ status }) => status === 'passed').length;
    const tried = own.length * Number(variable ? times[variable] : 1);
    return [input, tried.toLocaleString('en'), own.length - passed];
  });
  const table = [
    '| input | tried | tests that failed |',
    '| --- | --- | --- |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ];
  console.log(table.join('\n'));
  writeFigures('input', table.join('\n'));
  return code;
}

function describe(results, notPlayed) {
  const numbers = [...new Set(results.map(({ number }) => number))].sort((a, b) => a - b);
  const sum = (list, field) => list.reduce((total, result) => total + result[field], 0);
  const total = (field) => sum(results, field).toLocaleString('en');
  const rows = numbers.map((number) => {
    const own = results.filter((result) => result.number === number);
    const [{ fault, holds }] = own;
    const cells = [number, fault, holds, own.length];
    for (const field of ['faults', 'named', 'fired', 'lost', 'duplicated', 'redelivered']) {
      cells.push(sum(own, field).toLocaleString('en'));
    }
    const recoveries = own.map(({ recoveryMs }) => recoveryMs);
    for (const share of [0.5, 0.95, 1]) cells.push((percentile(recoveries, share) / 1_000).toFixed(1));
    cells.push(own.filter(({ violations }) => violations.length > 0).length);
    return `| ${cells.join(' | ')} |`;
  });
  const violations = results.flatMap(({ number, seed, violations }) =>
    violations.map(
      (violation) => `- ${number}, seed ${seed}: ${violation.split('\n').slice(0, 4).join(' ')}`,
    ),
  );
  return [
    `${new Date(startedAt).toISOString().slice(0, 10)}, seeds ${seeds[0]} to ${seeds.at(-1)}, ${cpus().length} cores, Node ${process.versions.node}, ` +
      `${Math.round((Date.now() - startedAt) / 60_000)} minutes: ${total('faults')} faults, ${total('named')} occurrences named, ` +
      `${total('fired')} runs, ${total('lost')} lost, ${total('duplicated')} claimed or accounted for twice, ${violations.length} violations of any promise.`,
    '',
    '| # | fault | holds, beyond the ten promises | seeds | faults injected | occurrences named | runs fired | lost | duplicated | redelivered | recovery p50 s | p95 s | worst s | seeds with violations |',
    `|${' --- |'.repeat(14)}`,
    ...rows,
    '',
    ...describeLateness(results),
    ...notPlayed.flatMap(({ number, leftOut }) => ['', `Scenario ${number} was left out: ${leftOut}.`]),
    ...(violations.length > 0 ? ['', 'Violations:', '', ...violations] : []),
  ].join('\n');
}

/**
 * Formats how late runs reached their target, with a histogram: once for the runs that were due during the fault, and
 * once for the runs that were due after it.
 */
function describeLateness(results) {
  const numbers = [...new Set(results.map(({ number }) => number))].sort((a, b) => a - b);
  const rows = numbers.flatMap((number) =>
    ['during', 'after'].flatMap((when) => {
      const own = results.filter((result) => result.number === number);
      const values = own.flatMap(({ lateness }) => lateness[when]);
      // Scenario 17 simulates its clock and scenario 16 sends nothing, so neither has a lateness to show.
      if (values.length === 0) return [];
      const figures = [0.5, 0.99, 1].map((share) => Math.round(percentile(values, share)));
      const counts = [...BOUNDS, Number.POSITIVE_INFINITY].map(
        (bound, index) =>
          values.filter((value) => value <= bound && value > (BOUNDS[index - 1] ?? -Infinity)).length,
      );
      const cells = [values.length, ...figures, ...counts].map((cell) => cell.toLocaleString('en'));
      return [`| ${[number, when, ...cells].join(' | ')} |`];
    }),
  );
  return [
    'Lateness at the receiver in milliseconds, for runs that were due during the fault and after it, of all seeds together. In scenario 30 it is the lateness of the calls of handlers. The last six columns are a histogram:',
    '',
    '| # | due | runs | p50 | p99 | worst | up to 50 ms | to 250 ms | to 1 s | to 5 s | to 30 s | later |',
    `|${' --- |'.repeat(12)}`,
    ...rows,
  ];
}

function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Replaces the figures between two marks in docs/reliability.md, and keeps the text around them. */
function writeFigures(name, figures) {
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(`<!-- ${name} -->`);
  const [, after] = rest.split(`<!-- /${name} -->`);
  writeFileSync(page, `${before}<!-- ${name} -->\n${figures}\n<!-- /${name} -->${after}`);
}
