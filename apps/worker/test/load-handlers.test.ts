import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const at = (path: string) => new URL(path, import.meta.url);
/** Loads a module as a worker does, in a process of its own, and prints the handlers that it has defined. */
const PROGRAM = `
  import { loadHandlers } from '${at('../dist/load-handlers.js').href}';
  const { handlers } = await loadHandlers(process.argv[1]);
  console.log(handlers.map(({ name }) => name).join());`;
const load = async (module: string) => {
  const args = ['--input-type=module', '-e', PROGRAM, module];
  // pnpm sets NODE_PATH to a folder in which Node would find our own tsx.
  const options = { cwd: folder, env: { ...process.env, NODE_PATH: '' } };
  return (await promisify(execFile)(process.execPath, args, options)).stdout.trim();
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carillon-load-'));
  const define = `import { defineHandler } from '${at('../dist/define.js').href}';`;
  for (const project of ['with-tsx', 'without-tsx']) {
    await mkdir(join(folder, project, 'node_modules'), { recursive: true });
    await writeFile(join(folder, project, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, project, 'name.ts'), `export const name: string = 'typed';`);
    await writeFile(
      join(folder, project, 'handlers.ts'),
      `${define}\nimport { name } from './name.ts';\ndefineHandler({ name, run: (): void => {} });`,
    );
  }
  const tsx = fileURLToPath(at('../../../packages/create-carillon/node_modules/tsx'));
  await symlink(tsx, join(folder, 'with-tsx/node_modules/tsx'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const canStripTypes = Boolean((process.features as { typescript?: unknown }).typescript);

describe('loadHandlers', () => {
  it('a TypeScript module of handlers, with the files that it imports, is loaded by the tsx of its project', async () => {
    expect(await load('./with-tsx/handlers.ts')).toBe('typed');
  });

  it('a TypeScript module of handlers without tsx is loaded if Node strips types, and otherwise refused with advice to install tsx', async () => {
    const loading = load('./without-tsx/handlers.ts');
    if (canStripTypes) expect(await loading).toBe('typed');
    else
      await expect(loading).rejects.toMatchObject({
        stderr: expect.stringMatching(
          /cannot load \S+handlers\.ts, because it is TypeScript: run "npm install --save-dev tsx"/,
        ),
      });
  });

  it('a missing module of handlers is refused with an error that names its path and the setting', async () => {
    await expect(load('./missing.mjs')).rejects.toMatchObject({
      stderr: expect.stringMatching(/there is no file \S+missing\.mjs: .*--handlers or CARILLON_HANDLERS/),
    });
  });
});
