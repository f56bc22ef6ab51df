import { pino } from 'pino';
import { buildApp } from '../app.js';
import type { ApiContext } from '../context.js';

/** The OpenAPI document, without a server: routes are registered, and nothing that they would use is touched. */
export async function describeApi(): Promise<unknown> {
  const untouched = new Proxy({}, { get: () => untouched, apply: () => untouched }) as ApiContext;
  const app = await buildApp(untouched, pino({ level: 'silent' }), { withQueues: false });
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}
