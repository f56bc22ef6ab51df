import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CreateError, createProject, packageNameOf } from '../src/create-project.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'));
let parent = '';
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'carillon-create-'));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

describe('createProject', () => {
  it('npm create carillon makes a project with the files of the template, a .gitignore, and the name of its folder', async () => {
    const { folder, name } = await createProject(join(parent, 'My Reminders'));
    expect(name).toBe('my-reminders');
    expect(await readJson(join(folder, 'package.json'))).toMatchObject({
      name: 'my-reminders',
      private: true,
    });
    const files = await readdir(folder);
    expect(files.sort()).toEqual([
      '.dockerignore',
      '.gitignore',
      'Dockerfile',
      'README.md',
      'compose.yaml',
      'package.json',
      'src',
      'test',
      'tsconfig.build.json',
      'tsconfig.json',
    ]);
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toContain('.carillon/');
  });

  it('npm create carillon refuses a folder that has files, names them, and changes nothing', async () => {
    const folder = join(parent, 'used');
    await mkdir(folder);
    await writeFile(join(folder, 'notes.txt'), 'mine');
    await expect(createProject(folder)).rejects.toThrow(CreateError);
    await expect(createProject(folder)).rejects.toThrow(
      /is not empty \(notes\.txt\); name a folder that is new/,
    );
    expect(await readdir(folder)).toEqual(['notes.txt']);
    await expect(createProject(join(folder, 'notes.txt'))).rejects.toThrow(
      'notes.txt is a file; name a folder',
    );
  });

  it('npm create carillon accepts the clone of an empty repository as an empty folder', async () => {
    const folder = join(parent, 'cloned');
    await mkdir(join(folder, '.git'), { recursive: true });
    expect((await createProject(folder)).name).toBe('cloned');
  });

  it.each([
    ['Invoice Reminders', 'invoice-reminders'],
    ['.hidden', 'hidden'],
    ['Ärger & Co.', 'rger-co.'],
    ['日本', 'carillon-app'],
  ])('npm create carillon turns the folder name %s into the package name %s', (folder, name) => {
    expect(packageNameOf(folder)).toBe(name);
  });
});

describe('The template', () => {
  it('the project template requires its dependencies in the versions that Carillon itself is tested with', async () => {
    const { catalog } = parse(await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8'));
    const { version } = await readJson(join(root, 'packages/carillon/package.json'));
    const { dependencies, devDependencies } = await readJson(
      fileURLToPath(new URL('../template/package.json', import.meta.url)),
    );
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies }))
      expect(range, name).toBe(`^${catalog[name] ?? version}`);
  });
});

describe('The command create-carillon', () => {
  const command = fileURLToPath(new URL('../bin/create-carillon.mjs', import.meta.url));
  const create = (...args: string[]) =>
    promisify(execFile)(process.execPath, [command, ...args], { cwd: parent });

  it('create-carillon without an argument makes the folder carillon-app and prints the next steps', async () => {
    const { stdout } = await create();
    expect(stdout).toMatch(/cd carillon-app\n {2}npm install\n {2}npm test .*\n {2}npm run dev /);
    await expect(create()).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^create-carillon: the folder carillon-app is not empty \(.+ and 7 more\)/,
      ),
    });
  });

  it('create-carillon --help prints its usage, and an unknown option or a second folder is refused', async () => {
    expect((await create('--help')).stdout).toContain('Usage: npm create carillon [folder]');
    await expect(create('a', 'b')).rejects.toMatchObject({
      stderr: expect.stringContaining('unexpected argument "b"; expected one folder'),
    });
    await expect(create('--yes')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
  });
});
