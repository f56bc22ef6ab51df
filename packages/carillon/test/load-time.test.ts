import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();

it.each([
  ['the command carillon', 'cli/root-command.js'],
  ['a module of handlers that imports the package carillon', 'index.js'],
])('%s loads neither pg nor BullMQ nor Fastify before it needs them', async (_name, module) => {
  const url = new URL(`../dist/${module}`, import.meta.url).href;
  // Loading the server takes 1.5 s of CPU time, eight times as long as the rest of a command. The libraries of the
  // server are CommonJS modules, so the cache of `require` lists those that were loaded.
  const program = `await import('${url}');
    const { _cache } = (await import('node:module')).default;
    console.log(JSON.stringify(Object.keys(_cache)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(JSON.parse(stdout)).toEqual([]);
});

it('an API and a worker load the SDK of OpenTelemetry only if OTEL_EXPORTER_OTLP_ENDPOINT is set', async () => {
  const url = new URL('../dist/index.js', import.meta.url).href;
  const options = { connectionString: database.url, redisUrl: database.redisUrl };
  const program = `const { run } = await import('${url}');
    const { _cache } = (await import('node:module')).default;
    const loadedBy = async (more) => {
      const settings = { REDIS_PREFIX: '${database.prefix}', ...more };
      const carillon = await run({ ...${JSON.stringify(options)}, settings });
      await carillon.stop();
      return Object.keys(_cache);
    };
    const without = await loadedBy({});
    console.log(JSON.stringify([without, await loadedBy({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })]));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  // The program prints its result in the last line. The lines before that one are warnings of the log.
  const [without, traced] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as [string[], string[]];
  const ofSdk = (files: string[]) => files.filter((file) => file.includes('/@opentelemetry/sdk-trace-base/'));
  expect(ofSdk(without)).toEqual([]);
  expect(ofSdk(traced)).not.toEqual([]);
});
