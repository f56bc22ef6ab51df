import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT_COMMAND = new URL('../dist/cli/root-command.js', import.meta.url).href;

it('the command carillon loads neither Postgres nor BullMQ nor Fastify until a command needs them', async () => {
  // Loading the server takes 1.5 s of CPU time, eight times as long as the rest of a command. These libraries are CommonJS
  // modules, so the cache of `require` lists them.
  const program = `await import('${ROOT_COMMAND}');
    const { _cache } = (await import('node:module')).default;
    console.log(JSON.stringify(Object.keys(_cache)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(JSON.parse(stdout)).toEqual([]);
});
