import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@carillon/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();

/** Something that stands between, and can be closed, or say nothing any more. */
class Door {
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #isSilent = false;
  port = 0;

  constructor(private readonly to: URL) {}

  async open(): Promise<void> {
    this.#server = createServer((near) => {
      const far = connect(Number(this.to.port), this.to.hostname);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => this.#sockets.delete(socket));
      }
      near.on('data', (chunk) => this.#isSilent || far.write(chunk));
      far.on('data', (chunk) => this.#isSilent || near.write(chunk));
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    });
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as { port: number }).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server?.close();
  }

  silence(isSilent: boolean): void {
    this.#isSilent = isSilent;
    if (!isSilent) for (const socket of this.#sockets) socket.destroy();
  }

  urlFor(): string {
    return Object.assign(new URL(this.to), { port: String(this.port) }).toString();
  }
}

const doors: Door[] = [];
afterAll(() => Promise.all(doors.map((door) => door.close())));

const doorTo = async (url: string) => {
  const door = new Door(new URL(url));
  doors.push(door);
  await door.open();
  return door;
};

describe('Health', () => {
  it('is well while both servers are there', async () => {
    expect((await api.call('GET', '/health/live', { key: null })).body).toEqual({ status: 'ok' });
    expect((await api.call('GET', '/health/ready', { key: null })).body).toEqual({
      status: 'ok',
      postgres: 'up',
      redis: 'up',
    });
  });

  it('without Redis is degraded, and schedules are taken all the same', async () => {
    const door = await doorTo(api.database.redisUrl);
    const url = await api.replica({ REDIS_URL: door.urlFor() });
    await eventually(async () => (await api.call('GET', `${url}/health/ready`)).body.status === 'ok');
    await door.close();
    await eventually(async () => (await api.call('GET', `${url}/health/ready`)).body.status === 'degraded');
    expect((await api.call('GET', `${url}/health/ready`)).status).toBe(200);
    const body = scheduleBody({ rule: { in: 'PT5S' } });
    // The door stays shut until this has been answered: nothing waited for Redis.
    expect((await api.call('POST', `${url}/v1/schedules`, { body })).status).toBe(201);
    expect((await api.call('GET', `${url}/v1/system`)).body).toMatchObject({
      status: 'degraded',
      redis: 'down',
    });
    await door.open();
    await eventually(async () => (await api.call('GET', `${url}/health/ready`)).body.status === 'ok');
  });

  it('without Postgres answers 503 meanwhile, and recovers by itself', async () => {
    const door = await doorTo(api.database.url);
    const url = await api.replica({ DATABASE_URL: door.urlFor() });
    const list = () => api.call('GET', `${url}/v1/schedules`);
    expect((await list()).status).toBe(200);
    await door.close();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const answer = await list();
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect((await api.call('GET', `${url}/health/ready`)).status).toBe(503);
    expect((await api.call('GET', `${url}/health/live`)).status).toBe(200);
    await door.open();
    await eventually(async () => (await list()).status === 200);
  });

  it('with a Postgres that has gone silent is down, and says so long before a statement gives up', async () => {
    const door = await doorTo(api.database.url);
    const url = await api.replica({ DATABASE_URL: door.urlFor() });
    await api.call('GET', `${url}/v1/schedules`);
    door.silence(true);
    const askedAt = performance.now();
    expect((await api.call('GET', `${url}/health/ready`)).status).toBe(503);
    // By a deadline of its own, and not by that of a statement, which is twenty seconds.
    expect(performance.now() - askedAt).toBeLessThan(10_000);
    door.silence(false);
    await eventually(async () => (await api.call('GET', `${url}/health/ready`)).status === 200);
  });
});

describe('Metrics', () => {
  it('sum what all replicas have counted, with histograms that add up', async () => {
    const url = await api.replica();
    const before = await api.call('GET', '/metrics', { key: null });
    const read = (text: string, name: string) =>
      Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? 0);
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    await api.call('POST', `${url}/v1/schedules/bulk`, { body: { items: [scheduleBody(), scheduleBody()] } });
    await api.call('DELETE', `${url}/v1/schedules/${id}`);
    await api.call('DELETE', `${url}/v1/schedules/${id}`);
    await api.database.pool.query(`insert into metrics values
      ('carillon_lateness_seconds_bucket', 'le="0.005"', 3), ('carillon_lateness_seconds_bucket', 'le="0.01"', 2),
      ('carillon_lateness_seconds_bucket', 'le="+Inf"', 1), ('carillon_lateness_seconds_sum', '', 1.5), ('carillon_lateness_seconds_count', '', 6)`);
    await api.call('GET', `${url}/metrics`);
    const { text, headers } = await api.call('GET', '/metrics', { key: null });
    expect(headers.get('content-type')).toContain('version=0.0.4');
    expect(read(text, 'jobs_queued_total') - read(before.text, 'jobs_queued_total')).toBe(3);
    expect(read(text, 'jobs_cancelled_total') - read(before.text, 'jobs_cancelled_total')).toBe(1);
    expect(text).toContain('carillon_lateness_seconds_bucket{le="0.005"} 3\n');
    expect(text).toContain('carillon_lateness_seconds_bucket{le="0.01"} 5\n');
    expect(text).toContain('carillon_lateness_seconds_bucket{le="+Inf"} 6\n');
    expect(text).toContain('carillon_workers_alive 0\n');
    expect(text).toMatch(/^carillon_backlog \d+$/m);
    const { lateness } = (await api.call('GET', '/v1/system')).body;
    expect(lateness).toEqual({ count: 6, p50Ms: 5, p99Ms: 10 });
  });
});
