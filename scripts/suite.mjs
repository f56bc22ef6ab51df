import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkNodeVersion, endWithNpm, install, root, run } from './install.mjs';

// `pnpm suite --postgres 15` runs the tests of the engine and the fault scenarios on Debian's PostgreSQL 15, and
// `pnpm suite --pgbouncer` runs them through PgBouncer in transaction mode. `--only tests/engine` runs a part, and
// `--write` puts the figures into docs/reliability.md. Debian's packages are installed if they are absent.
const { values } = parseArgs({
  options: {
    postgres: { type: 'string' },
    pgbouncer: { type: 'boolean', default: false },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
if (!values.postgres && !values.pgbouncer) {
  console.error('suite: expected --postgres <major version> or --pgbouncer');
  process.exit(2);
}
checkNodeVersion();
endWithNpm();
await install();

const folder = values.postgres && `/usr/lib/postgresql/${values.postgres}`;
if (folder) ensurePackage(`postgresql-${values.postgres}`, join(folder, 'bin/postgres'));
if (values.pgbouncer) ensurePackage('pgbouncer', '/usr/sbin/pgbouncer');

const built = await run('turbo', ['run', 'build', '--output-logs=errors-only']);
if (built !== 0) process.exit(built);
const startedAt = Date.now();
const parts = values.only ? [values.only] : ['tests/engine', 'tests/faults'];
const report = join(mkdtempSync(join(tmpdir(), 'carillon-suite-')), 'report.json');
const code = await run(
  'vitest',
  [
    'run',
    '--project',
    'real',
    ...parts,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ],
  {
    more: {
      ...(folder && { CARILLON_TEST_POSTGRES: folder }),
      ...(values.pgbouncer && { CARILLON_TEST_PGBOUNCER: '1' }),
    },
  },
);
const line = describe(JSON.parse(readFileSync(report, 'utf8')));
console.log(line);
if (values.write)
  writeFigures(values.pgbouncer ? 'suite-pgbouncer' : `suite-postgres-${values.postgres}`, line);
process.exit(code);

function ensurePackage(name, program) {
  if (existsSync(program)) return;
  if (process.getuid?.() !== 0) {
    console.error(
      `suite: ${program} is missing. Install Debian's package ${name}, or run this command as root`,
    );
    process.exit(1);
  }
  // In this run level the package does not start its service.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', name], { env, stdio: 'inherit' });
}

/**
 * A table with a line per part: how many tests passed, failed and were left out. The names of the failed tests follow.
 */
function describe({ testResults }) {
  const minutes = Math.round((Date.now() - startedAt) / 60_000);
  const day = new Date(startedAt).toISOString().slice(0, 10);
  const failures = [];
  const rows = parts.map((part) => {
    const tests = testResults
      .filter(({ name }) => name.includes(`/${part}`))
      .flatMap(({ assertionResults }) => assertionResults);
    const named = (status) => tests.filter((test) => test.status === status).map(({ title }) => title);
    const [passed, failed] = [named('passed'), named('failed')];
    const others = tests.length - passed.length - failed.length;
    failures.push(...failed);
    return `| \`${part}\` | ${passed.length} | ${failed.length} | ${others} |`;
  });
  return [
    `${day}, ${serverName()}, ${minutes} minutes:`,
    '',
    '| tests | passed | failed | left out |',
    '| --- | --- | --- | --- |',
    ...rows,
    ...failures.flatMap((title) => ['', `Failed: ${title}`]),
  ].join('\n');
}

function serverName() {
  const version = (program) =>
    execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0].trim();
  if (values.pgbouncer) return version('/usr/sbin/pgbouncer');
  return version(join(folder, 'bin/postgres')).replace(/^postgres \(PostgreSQL\)/, 'PostgreSQL');
}

/** Replaces the figures between their two marks and keeps the text around them. */
function writeFigures(name, figures) {
  const page = join(root, 'docs', 'reliability.md');
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(`<!-- ${name} -->`);
  const [, after] = rest.split(`<!-- /${name} -->`);
  writeFileSync(page, `${before}<!-- ${name} -->\n${figures}\n<!-- /${name} -->${after}`);
}
