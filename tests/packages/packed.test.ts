import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const exec = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = (name: string) => join(root, 'node_modules', '.bin', name);
const tarballs = mkdtempSync(join(tmpdir(), 'carillon-tarballs-'));
const project = mkdtempSync(join(tmpdir(), 'carillon-consumer-'));
const NAMES = ['carillon', 'carillon-client', 'carillon-recurrence', 'carillon-testing'];
const tarballOf = (name: string) => join(tarballs, `${name}-0.1.0.tgz`);
const inProject = (command: string, args: string[]) => exec(command, args, { cwd: project });

/** Maximum time to install the packages. The dependencies come from npm's cache or from the registry. */
const INSTALL_WITHIN_MS = 600_000;

beforeAll(async () => {
  await exec(process.execPath, [join(root, 'scripts/pack.mjs'), tarballs], { cwd: root });
  cpSync(fileURLToPath(new URL('./consumer', import.meta.url)), project, { recursive: true });
  writeFileSync(join(project, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }');
  const packages = [...NAMES.map(tarballOf), 'zod', '@types/node@20'];
  await inProject('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages]);
}, INSTALL_WITHIN_MS);

afterAll(() => {
  for (const folder of [tarballs, project]) rmSync(folder, { recursive: true, force: true });
});

describe('The packages as they are published', () => {
  it.each(NAMES)(
    'publint and arethetypeswrong find no problem in the package %s',
    async (name) => {
      expect((await exec(bin('publint'), [tarballOf(name), '--strict'])).stdout).toContain('All good!');
      const { stdout } = await exec(bin('attw'), [tarballOf(name), '--format', 'ascii', '--no-color']);
      expect(stdout).toContain('No problems found');
    },
    60_000,
  );

  it.each(['carillon', '@carillon/client', '@carillon/recurrence', '@carillon/testing'])(
    'the published package %s has a README, a license and types, and refers to no workspace',
    (name) => {
      const folder = join(project, 'node_modules', name);
      for (const file of ['README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts'])
        expect(existsSync(join(folder, file)), file).toBe(true);
      const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
      expect(manifest).not.toMatch(/workspace:|catalog:|"private"/);
      const code = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
        /^(apps\/(api|worker)|packages|dist|cjs).*\.(js|d\.ts)$/.test(file),
      );
      for (const file of code)
        expect(readFileSync(join(folder, file), 'utf8'), file).not.toMatch(
          /from ['"]@carillon\/(?:api|db|embedded|queue|shared|worker)/,
        );
    },
  );

  it('a strict TypeScript project compiles against the installed packages, by import and by require', async () => {
    const { stdout } = await inProject(bin('tsc'), ['-p', project]);
    expect(stdout).toBe('');
  }, 120_000);

  it('an installed package runs typed handlers on embedded servers, with API, dashboard and guide, and ends cleanly', async () => {
    const { stdout } = await inProject(process.execPath, [join(project, 'built/main.mjs')]);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) as string)).toEqual({
      status: 'active',
      hasDashboard: true,
      hasGuide: true,
      next: ['2026-10-25T08:00:00.000Z', '2026-10-26T08:00:00.000Z'],
    });
  }, 120_000);

  it('an installed project tests a schedule over a DST change on the real engine', async () => {
    const { stdout } = await inProject(process.execPath, [join(project, 'built/dst.mjs')]);
    // On 25 October 2026 the clocks of Berlin go back, so nine o'clock comes an hour later in UTC.
    expect(JSON.parse(stdout)).toEqual([
      '2026-10-24T07:00:00.000Z',
      '2026-10-25T08:00:00.000Z',
      '2026-10-26T08:00:00.000Z',
    ]);
  }, 120_000);

  it('the installed packages can be loaded by require', async () => {
    const { stdout } = await inProject(process.execPath, [join(project, 'built/common.cjs')]);
    expect(JSON.parse(stdout)).toEqual({
      isOurError: true,
      handlers: ['common'],
      run: 'function',
      describeRule: 'function',
    });
  }, 60_000);

  it('the installed command carillon starts a server with custom handlers, creates a schedule on it and lists its runs', async () => {
    const command = join(project, 'node_modules', '.bin', 'carillon');
    const server = spawn(command, ['start', '--handlers', './handlers.mjs'], {
      cwd: project,
      env: { ...process.env, PORT: '0', WORKERS: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const lines: string[] = [];
      createInterface({ input: server.stdout }).on('line', (line) => lines.push(line));
      await eventually(() => lines.some((line) => line.startsWith('Carillon ready on')), {
        withinMs: 90_000,
      });
      const target = ['--target', 'handler:greet'];
      await inProject(command, ['schedules', 'create', '--id', 'hello', '--in', '1s', ...target]);
      const run = await eventually(async () => {
        const { stdout } = await inProject(command, ['runs', 'ls', '--schedule', 'hello', '--json']);
        return JSON.parse(stdout).items.find(({ status }: { status: string }) => status === 'succeeded');
      });
      expect(run.progress).toEqual({ greeted: true });
      expect((await inProject(command, ['--version'])).stdout).toBe('0.1.0\n');
      expect((await inProject(command, ['--help'])).stdout).toMatch(/start +Run everything/);
    } finally {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
  }, 180_000);
});
