import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { buildApp } from '../app.js';
import type { ApiContext } from '../context.js';
import { HeavyWork } from '../http/heavy-work.js';

const FILE = fileURLToPath(new URL('../../openapi.json', import.meta.url));

const text = `${JSON.stringify(await describeApi(), null, 2)}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(FILE, text);
} else if (readFileSync(FILE, 'utf8') !== text) {
  process.stderr.write(
    'openapi.json does not match the routes. Run `pnpm --filter @carillon/api openapi`.\n',
  );
  process.exitCode = 1;
}

/**
 * Builds the OpenAPI document without a server. The routes are registered with a stand-in for the context, because no
 * request is handled.
 */
async function describeApi(): Promise<unknown> {
  // Fastify reads the hooks of a route when the route is registered, so this part of the context must be real.
  const heavy = new HeavyWork();
  const unused = new Proxy(() => {}, {
    get: (_target, name) => (name === 'heavy' ? heavy : unused),
    apply: () => unused,
  }) as unknown as ApiContext;
  const app = await buildApp(unused, pino({ level: 'silent' }), { withQueues: false });
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}
