import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it.each([
  ['the command carillon', 'cli/root-command.js'],
  ['a module of handlers that imports the package carillon', 'index.js'],
])('%s loads neither pg nor BullMQ nor Fastify before it needs them', async (_name, module) => {
  const url = new URL(`../dist/${module}`, import.meta.url).href;
  // Loading the server takes 1.5 s of CPU time, eight times as long as the rest of a command. These libraries are CommonJS
  // modules, so the cache of `require` lists them.
  const program = `await import('${url}');
    const { _cache } = (await import('node:module')).default;
    console.log(JSON.stringify(Object.keys(_cache)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(JSON.parse(stdout)).toEqual([]);
});
