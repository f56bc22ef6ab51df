import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, freePort, useDatabase } from '@carillon/testkit';
import fastify from 'fastify';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  Carillon,
  defineHandler,
  defineSchedule,
  type RunningCarillon,
  type RunOptions,
  run,
} from '../src/index.js';

const database = useDatabase();
const second = useDatabase();

const seen: string[] = [];
const note = defineHandler({
  name: 'lib-note',
  schema: z.object({ text: z.string() }),
  run: ({ payload }) => void seen.push(payload.text),
});
const tick = defineHandler({ name: 'lib-tick', run: () => void seen.push('tick') });

const optionsOf = ({ url, redisUrl, prefix }: typeof database): RunOptions => ({
  connectionString: url,
  redisUrl,
  logger: pino({ level: 'silent' }),
  settings: { REDIS_PREFIX: prefix, SWEEP_INTERVAL_MS: '300', LEASE_MS: '2000', STOP_DEADLINE_MS: '300' },
});

const connectionsTo = async ({ pool }: typeof database) => {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and application_name in ('carillon-worker', 'carillon-api')`,
  );
  return rows[0]?.n;
};

/** Serves the API at `/inner/scheduler`. */
async function servePlugin({ plugin }: RunningCarillon): Promise<string> {
  const server = fastify();
  await server.register(plugin, { prefix: '/inner' });
  onTestFinished(() => server.close());
  return server.listen({ host: '127.0.0.1', port: 0 });
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serveHandle = ({ handle }: RunningCarillon) => serve(handle);

/** Serves the API at `/outer`, and passes requests on as Express does. */
const serveAsExpress = ({ handle }: RunningCarillon) =>
  serve((request, response) => {
    const originalUrl = request.url ?? '';
    handle(Object.assign(request, { originalUrl, url: originalUrl.slice('/outer'.length) }), response);
  });

describe('Library mode', () => {
  let carillon: RunningCarillon;

  beforeAll(async () => {
    const schedules = [defineSchedule({ name: 'lib-every-second', every: 'PT1S', handler: tick })];
    carillon = await run({ ...optionsOf(database), handlers: [note], schedules, mountPath: '/scheduler' });
  });
  afterAll(() => carillon?.stop());

  it('run() executes handlers in its process, for a schedule declared at the start and for one that its client creates', async () => {
    await carillon.client.schedules.create({
      id: 'lib-hello',
      rule: { in: 'PT0.1S' },
      handler: note,
      payload: { text: 'hello' },
    });
    await eventually(() => seen.includes('hello') && seen.includes('tick'));
    const ended = await eventually(async () => {
      for await (const each of carillon.client.runs.list({ schedule: 'lib-hello' })) return each;
      return null;
    });
    expect(ended.scheduleId).toBe('lib-hello');
    expect(await carillon.client.me()).toMatchObject({ project: 'default', scopes: ['admin'] });
    expect(carillon).toMatchObject({ url: null, adminKey: null });
  });

  it('the API of run() refuses a payload that does not match the schema of its handler, and names the field', async () => {
    const creating = carillon.client.schedules.create({
      rule: { in: 'PT1H' },
      target: { type: 'handler', name: 'lib-note' },
      payload: { text: 5 },
    });
    await expect(creating).rejects.toMatchObject({
      status: 400,
      fieldErrors: [{ field: 'payload', message: expect.stringContaining('the handler lib-note: text: ') }],
    });
  });

  it('the client of run(), which calls the API inside the process, receives the event stream without a network connection', async () => {
    const signal = AbortSignal.timeout(20_000);
    for await (const event of carillon.client.events({ signal })) {
      expect(event.type).toBeTypeOf('string');
      return;
    }
    throw new Error('the stream ended without an event');
  });

  it('carillon.plugin mounts the API and the dashboard at a path of a user’s Fastify server, whose own routes keep working', async () => {
    const server = fastify();
    server.get('/', () => 'mine');
    await server.register(carillon.plugin);
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.close());
    expect(await (await fetch(url)).text()).toBe('mine');
    const page = await (await fetch(`${url}/scheduler/`)).text();
    expect(page).toContain('<base href="/scheduler/" data-api="/scheduler"');
    const { key } = await carillon.client.keys.create({ name: 'outside', scopes: ['write'] });
    const outside = new Carillon({ url: `${url}/scheduler`, key });
    const created = await outside.schedules.create({
      id: 'lib-mounted',
      rule: { in: 'PT0.1S' },
      handler: note,
      payload: { text: 'mounted' },
    });
    expect(created.id).toBe('lib-mounted');
    await eventually(() => seen.includes('mounted'));
    expect((await fetch(`${url}/scheduler/v1/me`)).status).toBe(401);
  });

  it.each([
    ['carillon.plugin, in a plugin with a prefix', '/inner/scheduler', servePlugin],
    ['carillon.handle', '/scheduler', serveHandle],
    [
      'carillon.handle, behind a server that removes the mount path itself, as Express does',
      '/outer',
      serveAsExpress,
    ],
  ])(
    'an API mounted by %s answers with addresses that include the mount path %s',
    async (_way, mountPath, serve) => {
      const url = await serve(carillon);
      const path = `${mountPath}/v1/schedules/nothing?at=1`;
      const { key } = await carillon.client.keys.create({ name: 'mounted', scopes: ['write'] });
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const type = `${mountPath}/problems/not_found`;
      expect(await (await fetch(url + path, { headers })).json()).toMatchObject({ type, instance: path });
      const page = await fetch(url + type);
      expect(page.headers.get('content-type')).toContain('text/html');
      const [link] = /(?<=<a href=")[^"]*/.exec(await page.text()) ?? [];
      expect(new URL(link ?? '', page.url).pathname).toBe(`${mountPath}/problems`);
      const body = JSON.stringify({ rule: { in: 'PT1H' }, target: { type: 'handler', name: 'noop' } });
      const created = await fetch(`${url}${mountPath}/v1/schedules`, { method: 'POST', headers, body });
      const { id } = (await created.json()) as { id: string };
      expect(created.headers.get('location')).toBe(`${mountPath}/v1/schedules/${id}`);
    },
  );

  it('the sign-in page of a mounted API is found by a redirect, and its form posts to the mounted API', async () => {
    const url = await serveHandle(carillon);
    const page = await fetch(`${url}/scheduler/queues`, { headers: { accept: 'text/html' } });
    expect(new URL(page.url).pathname).toBe('/scheduler/sign-in');
    const [action] = /(?<=action=")[^"]*/.exec(await page.text()) ?? [];
    expect(new URL(action ?? '', page.url).pathname).toBe('/scheduler/sign-in');
  });

  it('a request for the mount path itself is answered with addresses that include the mount path', async () => {
    const url = await serveHandle(carillon);
    const answer = await fetch(`${url}/scheduler?a=1`, { method: 'POST' });
    expect(await answer.json()).toMatchObject({
      type: '/scheduler/problems/route_not_found',
      instance: '/scheduler?a=1',
    });
  });

  it('carillon.handle answers API requests inside a user’s own HTTP server', async () => {
    const url = `${await serveHandle(carillon)}/scheduler`;
    expect(await new Carillon({ url }).health()).toMatchObject({ status: expect.any(String) });
  });

  it('two Carillon instances in one process run side by side, each with its own handlers', async () => {
    const ran: string[] = [];
    const own = defineHandler({ name: 'lib-note', run: () => void ran.push('other') });
    await using other = await run({ ...optionsOf(second), handlers: [own], api: { port: 0 } });
    await other.client.schedules.create({ rule: { in: 'PT0.1S' }, handler: own });
    await eventually(() => ran.length === 1);
    expect(other.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${other.url}/health/live`)).status).toBe(200);
  });

  it('run() uses a pg.Pool that the user passes, reports its connections in /metrics, and leaves the pool open and unchanged', async () => {
    // The connection is given in parts, because a pool hides a password that is passed as a separate option.
    const { hostname: host, port, username: user, password, pathname } = new URL(second.url);
    const database = pathname.slice(1);
    const pool = new pg.Pool({ host, port: Number(port), user, password, database, max: 10 });
    onTestFinished(() => pool.end());
    const { connectionString: _, ...options } = optionsOf(second);
    const ran: string[] = [];
    const handler = defineHandler({ name: 'lib-pooled', run: () => void ran.push('pooled') });
    const settings = { ...options.settings, WORKER_PORT: String(await freePort()) };
    const pooled = await run({ ...options, settings, pool, handlers: [handler], api: { port: 0 } });
    await pooled.client.schedules.create({ rule: { in: 'PT0.1S' }, handler });
    await eventually(() => ran.length === 1);
    expect(await connectionsTo(second)).toBe(0);
    for (const url of [pooled.url, `http://127.0.0.1:${settings.WORKER_PORT}`]) {
      const metrics = await fetch(`${url}/metrics`);
      expect([metrics.status, await metrics.text()]).toEqual([
        200,
        expect.stringMatching(/^carillon_pool_connections\{.*state="idle".*\} \d+$/m),
      ]);
    }
    await pooled.stop();
    const { rows } = await pool.query(`select 1::bigint as n, '2026-01-01Z'::timestamptz as at`);
    expect(rows).toEqual([{ n: '1', at: new Date('2026-01-01Z') }]);
  });

  it('aborting the signal of run() lets the runs in flight end and then closes all connections', async () => {
    const stopping = new AbortController();
    let hasEnded = false;
    const slow = defineHandler({
      name: 'lib-slow',
      async run() {
        seen.push('slow');
        await new Promise((resolve) => setTimeout(resolve, 100));
        hasEnded = true;
      },
    });
    const stoppable = await run({ ...optionsOf(second), handlers: [slow], signal: stopping.signal });
    await stoppable.client.schedules.create({ rule: { in: 'PT0.1S' }, handler: slow });
    await eventually(() => seen.includes('slow'));
    stopping.abort();
    await stoppable.stop();
    expect(hasEnded).toBe(true);
    await eventually(async () => (await connectionsTo(second)) === 0);
  });

  it('the end of an `await using` block stops what run() started, even if the block throws', async () => {
    const use = async () => {
      await using scoped = await run({ ...optionsOf(second), handlers: [tick] });
      expect((await scoped.client.me()).project).toBe('default');
      expect(await connectionsTo(second)).toBeGreaterThan(0);
      throw new Error('thrown in the block');
    };
    await expect(use()).rejects.toThrow('thrown in the block');
    await eventually(async () => (await connectionsTo(second)) === 0);
  });

  it('a run() that fails closes every connection that it had opened, and its error says why it failed', async () => {
    const schedules = [defineSchedule({ name: 'lib-bad', cron: '61 * * * *', handler: tick })];
    await expect(run({ ...optionsOf(second), schedules })).rejects.toThrow(
      /lib-bad declared in code: rule\.cron/,
    );
    await expect(run({ ...optionsOf(second), settings: { LEASE_MS: 'x' } })).rejects.toThrow(/LEASE_MS/);
    await expect(run({ ...optionsOf(second), signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
    await eventually(async () => (await connectionsTo(second)) === 0);
  });
});
