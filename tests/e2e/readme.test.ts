import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ADMIN_KEY, eventually, useDatabase, useProcesses } from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const database = useDatabase();
const processes = useProcesses(database);
let url = '';
let folder = '';

/**
 * Makes a folder as `npm start` would leave it: with the file that holds the admin key, and with the packages of
 * Carillon installed.
 */
beforeAll(async () => {
  const [api] = await Promise.all([processes.api(), processes.worker()]);
  ({ url } = api);
  folder = await mkdtemp(join(tmpdir(), 'carillon-readme-'));
  await mkdir(join(folder, '.carillon'));
  await writeFile(join(folder, '.carillon', 'admin.key'), `${ADMIN_KEY}\n`);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'readme', private: true, type: 'module' }),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Returns the code blocks of one language in the README section "A first schedule", with the URL of the API of this
 * test.
 */
async function blocks(language: string): Promise<string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [, walk = ''] = /\n## A first schedule\n([\s\S]*?)\n## /.exec(readme) ?? [];
  return fenced(walk, language);
}

function fenced(text: string, language: string): string[] {
  const fences = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter((match) => match[1] === language);
  return fences.map((match) => (match[2] as string).replaceAll('http://127.0.0.1:3000', url));
}

const run = async (program: string, args: string[]) => {
  const { CARILLON_HOME: _, CARILLON_KEY: __, ...rest } = process.env;
  const env = { ...rest, KEY: ADMIN_KEY, CARILLON_URL: url, npm_config_update_notifier: 'false' };
  const { stdout } = await promisify(execFile)(program, args, { cwd: folder, env });
  return stdout;
};
const shell = (script: string) => run('sh', ['-euc', script]);
const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** A module that the examples import: it has the typed handler that they name. */
const HANDLERS = `
const schema = { version: 1 as const, vendor: 'readme', validate: (value: unknown) => ({ value: value as { to: string } }) };
export const sendDigest = { name: 'send-digest', schema: { '~standard': schema } };
`;

describe('README', () => {
  it.runIf(hasCurl)('the first schedule of the README works when it is created by curl', async () => {
    const scripts = (await blocks('sh')).filter((script) => script.includes('curl'));
    const [hello = '', standup = ''] = scripts;
    expect(await shell(hello)).toContain('"id":"hello"');
    // The same request again changes nothing. Two seconds after the first one, its answer shows that the schedule has
    // run.
    await eventually(async () => (await shell(hello)).includes('"status":"succeeded"'), { everyMs: 300 });
    expect(JSON.parse(await shell(standup))).toMatchObject({ id: 'standup', status: 'active' });
  });

  it('the first schedule of the README works when it is created in TypeScript', {
    timeout: 60_000,
  }, async () => {
    const [program = ''] = await blocks('ts');
    await writeFile(join(folder, 'walk.js'), program);
    expect(await run(process.execPath, ['walk.js'])).toMatch(/^succeeded \d+ ms late\n$/);
  });

  it('the examples in README.md and in the README of the client compile as TypeScript', {
    timeout: 60_000,
  }, async () => {
    const reference = fenced(await readFile(join(root, 'packages/client/README.md'), 'utf8'), 'ts');
    const programs = [...(await blocks('ts')), ...reference].map((text, i) => ({
      text,
      name: `walk-${i}.ts`,
    }));
    await writeFile(join(folder, 'handlers.ts'), HANDLERS);
    await Promise.all(programs.map(({ text, name }) => writeFile(join(folder, name), text)));
    const strict = '--noEmit --strict --target es2023 --module nodenext --skipLibCheck --types node';
    await run('node_modules/.bin/tsc', [...strict.split(' '), ...programs.map(({ name }) => name)]);
  });

  it('the first schedule of the README works when it is created by the carillon command', {
    timeout: 60_000,
  }, async () => {
    const scripts = (await blocks('sh')).filter((script) => script.includes('npx carillon'));
    expect(scripts).toHaveLength(1);
    const said = await shell(scripts[0] as string);
    expect(said).toMatch(/^hello-cli is active, due /);
    expect(said).toContain('at 09:00 on weekdays');
    const why = () =>
      run(process.execPath, ['node_modules/@carillon/client/bin/carillon.mjs', 'why', 'hello-cli']);
    await eventually(async () => (await why()).includes('succeeded'), { everyMs: 300 });
  });
});
