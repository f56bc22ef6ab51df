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
const CREATE = 'create-carillon';
const tarballOf = (name: string) => join(tarballs, `${name}-0.1.0.tgz`);
/** Maximum time for a process to start or to print a line. */
const SOON = { withinMs: 90_000 };

/** The first code block of this language in a README, as a reader would copy it. */
function programOf(readme: string, language: 'js' | 'ts'): string {
  const text = readFileSync(join(root, readme), 'utf8');
  const [, program] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(text) ?? [];
  if (program === undefined) throw new Error(`${readme} has no block of ${language}`);
  return program;
}
const inProject = (command: string, args: string[]) => exec(command, args, { cwd: project });

/**
 * Maximum time to install the packages with their dependencies, which come from the cache of npm or from the registry.
 */
const INSTALL_WITHIN_MS = 600_000;

beforeAll(async () => {
  await exec(process.execPath, [join(root, 'scripts/pack.mjs'), tarballs], { cwd: root });
  cpSync(fileURLToPath(new URL('./consumer', import.meta.url)), project, { recursive: true });
  writeFileSync(join(project, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }');
  writeFileSync(join(project, 'readme.mts'), programOf('README.md', 'js'));
  // The program of the README listens on port 3000, which may be taken here, so it gets a free port.
  const scheduler = programOf('packages/carillon/README.md', 'js').replace('api: true', 'api: { port: 0 }');
  writeFileSync(join(project, 'scheduler.mts'), scheduler);
  const packages = [...NAMES.map(tarballOf), 'zod', '@types/node@20'];
  await inProject('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages]);
}, INSTALL_WITHIN_MS);

afterAll(() => {
  for (const folder of [tarballs, project]) rmSync(folder, { recursive: true, force: true });
});

/**
 * Runs a server on a free port until `use` has ended. `use` gets the lines that the server prints. Returns the exit
 * code of the server.
 */
async function useServer(
  command: string,
  args: string[],
  cwd: string,
  use: (lines: string[]) => Promise<void>,
  readyLine = 'Carillon ready on',
): Promise<number | null> {
  const env = { ...process.env, PORT: '0', WORKERS: '1' };
  const server = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  for (const input of [server.stdout, server.stderr])
    createInterface({ input }).on('line', (line) => lines.push(line));
  const ended = new Promise<number | null>((resolve) => server.once('exit', resolve));
  try {
    await eventually(() => lines.some((line) => line.startsWith(readyLine)), SOON);
    await use(lines);
  } catch (error) {
    throw new Error(`the server printed:\n${lines.join('\n')}`, { cause: error });
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
  return ended;
}

describe('The packages as they are published', () => {
  it.each([...NAMES, CREATE])(
    'the package linter publint finds no problem in the package %s',
    async (name) => {
      // publint suggests to leave tests out of a package. But the template in create-carillon has a test on purpose, so
      // its suggestions are ignored.
      const level = name === CREATE ? 'warning' : 'suggestion';
      const { stdout } = await exec(bin('publint'), [tarballOf(name), '--strict', '--level', level]);
      expect(stdout).toContain('All good!');
    },
    60_000,
  );

  it.each(NAMES)(
    'the type checker arethetypeswrong finds no problem in the types of the package %s',
    async (name) => {
      const { stdout } = await exec(bin('attw'), [tarballOf(name), '--format', 'ascii', '--no-color']);
      expect(stdout).toContain('No problems found');
    },
    60_000,
  );

  it.each(['carillon', '@carillon/client', '@carillon/recurrence', '@carillon/testing'])(
    'the package %s as it is published has a README, a license and types, and no dependency on a workspace of this repository',
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

  it('a stack trace through an installed package names the TypeScript source, which its source map contains', async () => {
    const program = `import { defineHandler } from 'carillon'; defineHandler({ name: 'bad', concurrency: 0, run() {} });`;
    const args = ['--enable-source-maps', '--input-type=module', '-e', program];
    await expect(inProject(process.execPath, args)).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /the handler bad has concurrency: 0[\s\S]*apps\/worker\/src\/define\.ts:\d+/,
      ),
    });
    const map = join(project, 'node_modules/carillon/apps/worker/dist/define.js.map');
    expect(JSON.parse(readFileSync(map, 'utf8')).sourcesContent[0]).toContain(
      'export function defineHandler',
    );
  });

  it('a program that uses the installed packages runs typed handlers on embedded servers, with API, dashboard and guide, and ends cleanly', async () => {
    const { stdout } = await inProject(process.execPath, [join(project, 'built/main.mjs')]);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) as string)).toEqual({
      status: 'active',
      hasDashboard: true,
      hasGuide: true,
      next: ['2026-10-25T08:00:00.000Z', '2026-10-26T08:00:00.000Z'],
    });
  }, 120_000);

  it('the program in the README of the package carillon runs a schedule that it creates, and stops on SIGTERM', async () => {
    const args = [join(project, 'built/scheduler.mjs')];
    const use = async (lines: string[]) => {
      await eventually(() => lines.some((line) => /^digest of .* to grace@example\.com$/.test(line)));
    };
    expect(await useServer(process.execPath, args, project, use, 'The dashboard is at http:')).toBe(0);
  }, 120_000);

  it('a project that installs the packages can test a schedule over a DST change on the real engine', async () => {
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
    const exitCode = await useServer(
      command,
      ['start', '--handlers', './handlers.mjs'],
      project,
      async () => {
        const target = ['--target', 'handler:greet'];
        await inProject(command, ['schedules', 'create', '--id', 'hello', '--in', '1s', ...target]);
        const run = await eventually(async () => {
          const { stdout } = await inProject(command, ['runs', 'ls', '--schedule', 'hello', '--json']);
          return JSON.parse(stdout).items.find(({ status }: { status: string }) => status === 'succeeded');
        });
        expect(run.progress).toEqual({ greeted: true });
        expect((await inProject(command, ['--version'])).stdout).toBe('0.1.0\n');
        expect((await inProject(command, ['--help'])).stdout).toMatch(/start +Run everything/);
      },
    );
    expect(exitCode).toBe(0);
  }, 180_000);
});

describe('A project that npm create carillon makes', () => {
  const parent = mkdtempSync(join(tmpdir(), 'carillon-created-'));
  const created = join(parent, 'my-reminders');
  const inCreated = (command: string, args: string[]) => exec(command, args, { cwd: created });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  it(
    'a project made by npm create carillon installs, and its own tests, types and build pass',
    async () => {
      // `npm create carillon` runs the same command, but with the package from the registry.
      const command = ['exec', '--yes', `--package=${tarballOf(CREATE)}`, '--', CREATE, 'my-reminders'];
      const { stdout: steps } = await exec('npm', command, { cwd: parent });
      expect(steps).toContain('cd my-reminders');
      const packages = ['carillon', 'carillon-testing'].map(tarballOf);
      await inCreated('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages]);
      // The examples of two READMEs become files of the project, so that its tests and its type check cover them.
      writeFileSync(join(created, 'test/readme.test.ts'), programOf('packages/testing/README.md', 'ts'));
      const client = programOf('packages/create-carillon/template/README.md', 'ts');
      writeFileSync(join(created, 'src/readme.ts'), client);
      expect((await inCreated('npm', ['test'])).stdout).toMatch(/Tests .*4 passed/);
      await inCreated('npm', ['run', 'typecheck']);
      await inCreated('npm', ['run', 'build']);
      expect(readFileSync(join(created, 'dist/schedules.js'), 'utf8')).toContain(`from './handlers.js'`);
    },
    INSTALL_WITHIN_MS,
  );

  it('npm run dev of the created project runs its TypeScript handlers, shows what they print, and reloads them when they change', async () => {
    const command = join(created, 'node_modules', '.bin', 'carillon');
    await useServer('npm', ['run', 'dev'], created, async (lines) => {
      await inCreated(command, ['schedules', 'trigger', 'morning-digest']);
      await eventually(() => lines.some((line) => line.includes('goes to ada@example.com')));
      const { stdout } = await inCreated(command, ['runs', 'ls', '--schedule', 'morning-digest', '--json']);
      expect(JSON.parse(stdout).items).toMatchObject([{ origin: 'trigger' }]);
      const handlers = join(created, 'src/handlers.ts');
      writeFileSync(handlers, readFileSync(handlers, 'utf8').replace('goes to', 'now goes to'));
      await eventually(() => lines.includes('worker-1 starts again with changed handlers'), SOON);
      await inCreated(command, ['schedules', 'trigger', 'morning-digest']);
      await eventually(() => lines.some((line) => line.includes('now goes to ada@example.com')), SOON);
    });
    // The signal has ended npm and its shell, but the server still runs. It notices that they are gone and stops,
    // Postgres last.
    await eventually(() => !existsSync(join(created, '.carillon/postgres/postmaster.pid')));
  }, 180_000);
});
