import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { addMetrics } from '@carillon/db';
import { HEALTH_REASON_CODES } from '@carillon/shared';
import { eventually, registerTestWorker, startOwnServers } from '@carillon/testkit';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();

/**
 * Registers a worker that exists only in the database. Its last sign of life lies an hour ahead, so it counts as alive
 * during all tests.
 */
beforeAll(async () => {
  await registerTestWorker(api.database);
  await api.database.pool.query(
    `update carillon.workers set heartbeat_at = now() + interval '1 hour', alive_until = now() + interval '1 hour 15 minutes'`,
  );
});

/** A TCP proxy that can refuse connections or drop all bytes. */
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

/** Deletes the counts per minute, from which the health is judged, so that no test sees those of the test before it. */
afterEach(() => api.database.pool.query('delete from carillon.metric_minutes'));

const doors: Door[] = [];
afterAll(() => Promise.all(doors.map((door) => door.close())));

const doorTo = async (url: string) => {
  const door = new Door(new URL(url));
  doors.push(door);
  await door.open();
  return door;
};

describe('Health', () => {
  it('/health/ready answers ok while Postgres and Redis are reachable', async () => {
    expect((await api.call('GET', '/health/live', { key: null })).body).toEqual({ status: 'ok' });
    expect((await api.call('GET', '/health/ready', { key: null })).body).toEqual({
      status: 'ok',
      reasons: [],
      postgres: 'up',
      redis: 'up',
    });
  });

  it('/health/ready and /v1/system report degraded while a run is overdue, its handler is missing, a worker’s clock differs from the clock of Postgres, or no worker is alive', async () => {
    const { pool } = api.database;
    const read = async (path: string) => {
      const { status, reasons } = (await api.call('GET', path)).body;
      return [status, ...reasons.map(({ code }: { code: string }) => code)].join();
    };
    /** Waits until both routes answer with these codes, because an answer may be a second old. */
    const hasCodes = (codes: string) =>
      eventually(async () => {
        const expected = codes === '' ? 'ok' : `degraded,${codes}`;
        return (await read('/health/ready')) === expected && (await read('/v1/system')) === expected;
      });
    const { id } = scheduleBody();
    await api.call('POST', '/v1/schedules', { body: { ...scheduleBody(), id } });
    const due = (age: string, handler: string, isHeld = false) =>
      pool.query(
        `update carillon.agenda set due_at = now() - $1::interval, handler = $2, is_held = $3
         where schedule_id = (select id from carillon.schedules where key = $4)`,
        [age, handler, isHeld, id],
      );
    await due('9 minutes', 'noop');
    await hasCodes('');
    await due('11 minutes', 'noop');
    await hasCodes('overdue');
    await due('11 minutes', 'noop', true);
    await hasCodes('');
    await due('11 minutes', 'unheard-of');
    await hasCodes('handler_missing');
    await pool.query('update carillon.workers set clock_offset_ms = -1500');
    await api.call('DELETE', `/v1/schedules/${id}`);
    await hasCodes('clock_offset');
    expect((await api.call('GET', '/v1/workers')).body.items[0]).toMatchObject({ clockOffsetMs: -1500 });
    await pool.query(`update carillon.workers set clock_offset_ms = 0, alive_until = now()`);
    await hasCodes('no_workers');
    await pool.query(`update carillon.workers set alive_until = heartbeat_at + interval '15 minutes'`);
    await hasCodes('');
  });

  it('the health status is degraded by open circuits, many failed runs, sweep repairs that do not decrease, a missing partition or audit differences', async () => {
    const { pool } = api.database;
    const codes = async () =>
      (await api.call('GET', '/v1/system')).body.reasons.map(({ code }: { code: string }) => code).join();
    const hasCodes = (expected: string) =>
      eventually(async () => (await codes()) === expected, { what: expected });
    await pool.query(
      `update carillon.workers set open_circuits = '{"1 http://a.example","1 http://b.example"}'`,
    );
    await hasCodes('circuits_open');
    expect((await api.call('GET', '/v1/system')).body.circuits).toEqual({ open: 2 });
    await pool.query(`update carillon.workers set open_circuits = '{}'`);
    await hasCodes('');

    const failed = {
      name: 'carillon_runs_failed_total',
      labels: 'target="webhook",reason="http_5xx"',
      value: 12,
    };
    await addMetrics(pool, [failed]);
    await hasCodes('dead_letters_rising');
    await addMetrics(pool, [
      { name: 'carillon_attempts_total', labels: 'outcome="succeeded"', value: 1_000 },
    ]);
    await hasCodes('');
    await eventually(
      async () => (await api.call('GET', '/v1/system')).body.windows.hour.failed.count === 12,
      { what: 'twelve failed runs in the window of an hour' },
    );

    // The counter `carillon_drift_total` counts what sweeps had to repair. The health is judged by the last three whole
    // minutes, and a new minute may begin during the test. So there are four minutes, each with more repairs than the
    // minute before.
    const nowAt = Date.now();
    for (const [ago, value] of [
      [3, 1],
      [2, 2],
      [1, 3],
      [0, 4],
    ] as const)
      await addMetrics(
        pool,
        [{ name: 'carillon_drift_total', labels: 'kind="overdue"', value }],
        nowAt - ago * 60_000,
      );
    await addMetrics(pool, [{ name: 'carillon_drift_total', labels: 'kind="missingBells"', value: 60 }]);
    await hasCodes('drift_not_falling');
    // 60 missing bells in an hour are one per minute. /v1/system caches its figures of the last hour, so the test waits
    // for new ones.
    const drift = await eventually(async () => {
      const { hour } = (await api.call('GET', '/v1/system')).body.windows;
      return hour.drift.overdue.count > 0 && hour.drift;
    });
    expect(drift.overdue.count).toBe(10);
    expect(drift.missingBells).toEqual({ count: 60, perMinute: expect.closeTo(1, 0) });
    await pool.query(`delete from carillon.metric_minutes where name = 'carillon_drift_total'`);
    await hasCodes('');

    const { rows } = await pool.query<{ name: string }>(
      `select 'carillon.runs_' || to_char((now() at time zone 'UTC') + interval '1 month', 'YYYY_MM') as name`,
    );
    await pool.query(`alter table ${rows[0]?.name} rename to runs_elsewhere`);
    await hasCodes('partitions_missing');
    await pool.query(`alter table carillon.runs_elsewhere rename to ${rows[0]?.name.split('.')[1]}`);
    await hasCodes('');

    const differed = (ago: string) =>
      pool.query(
        'update carillon.installation set audit_differences = 3, audit_differed_at = now() - $1::interval',
        [ago],
      );
    await differed('23 hours');
    await hasCodes('audit_differences');
    await differed('25 hours');
    await hasCodes('');
  });

  it('the health status gives the reason tzdata_differs if the API has other time zone data than the live workers, which all have the same', async () => {
    const { pool } = api.database;
    const readReasons = async () => (await api.call('GET', '/health/ready', { key: null })).body.reasons;
    await pool.query(`update carillon.workers set tzdata = '2001a'`);
    const [reason] = await eventually(async () => {
      const reasons = await readReasons();
      return reasons.length > 0 && reasons;
    });
    expect(reason.code).toBe('tzdata_differs');
    expect(reason.message).toContain(`(2001a, ${process.versions.tz})`);
    await pool.query('update carillon.workers set tzdata = $1', [process.versions.tz]);
    await eventually(async () => (await readReasons()).length === 0);
  });

  it('docs/explaining.md explains every reason for which the health status can be degraded or down', async () => {
    const page = await readFile(new URL('../../../docs/explaining.md', import.meta.url), 'utf8');
    expect(HEALTH_REASON_CODES.filter((code) => !page.includes(`| \`${code}\` |`))).toEqual([]);
  });

  it('the health status is degraded while the Redis server is a read-only replica, and the API still accepts schedules', async () => {
    const servers = await startOwnServers({ databaseUrl: api.database.url });
    const redis = new Redis(servers.redisUrl);
    const url = await api.replica({ REDIS_URL: servers.redisUrl });
    const ready = async () => (await api.call('GET', `${url}/health/ready`)).body;
    await eventually(async () => (await ready()).redis === 'up');
    await redis.replicaof('127.0.0.1', 1);
    await eventually(async () => (await ready()).redis === 'read_only');
    expect(await ready()).toMatchObject({ status: 'degraded', reasons: [{ code: 'redis_read_only' }] });
    expect((await api.call('GET', `${url}/v1/system`)).body).toMatchObject({
      status: 'degraded',
      redis: 'read_only',
      reasons: [{ code: 'redis_read_only' }],
    });
    expect((await api.call('POST', `${url}/v1/schedules`, { body: scheduleBody() })).status).toBe(201);
    await redis.replicaof('NO', 'ONE');
    await eventually(async () => (await ready()).status === 'ok');
    redis.disconnect();
    await servers.stop();
  });

  it('/health/ready is degraded while Redis is unreachable, and the API still accepts schedules', async () => {
    const door = await doorTo(api.database.redisUrl);
    const url = await api.replica({ REDIS_URL: door.urlFor() });
    await eventually(async () => (await api.call('GET', `${url}/health/ready`)).body.status === 'ok');
    await door.close();
    await eventually(async () => (await api.call('GET', `${url}/health/ready`)).body.status === 'degraded');
    expect((await api.call('GET', `${url}/health/ready`)).status).toBe(200);
    const body = scheduleBody({ rule: { in: 'PT5S' } });
    // Redis stays unreachable until the response has arrived, so the create did not wait for it.
    expect((await api.call('POST', `${url}/v1/schedules`, { body })).status).toBe(201);
    expect((await api.call('GET', `${url}/v1/system`)).body).toMatchObject({
      status: 'degraded',
      redis: 'down',
    });
    await door.open();
    await eventually(async () => (await api.call('GET', `${url}/health/ready`)).body.status === 'ok');
  });

  it('the API answers 503 while Postgres is unreachable, and recovers when it is back', async () => {
    const door = await doorTo(api.database.url);
    const url = await api.replica({ DATABASE_URL: door.urlFor() });
    const list = () => api.call('GET', `${url}/v1/schedules`);
    expect((await list()).status).toBe(200);
    await door.close();
    const answer = await eventually(async () => {
      const latest = await list();
      return latest.status === 503 && latest;
    });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect((await api.call('GET', `${url}/health/ready`)).status).toBe(503);
    expect((await api.call('GET', `${url}/health/live`)).status).toBe(200);
    await door.open();
    await eventually(async () => (await list()).status === 200);
  });

  it('if Postgres stops answering, /health/ready answers down before a statement would time out after 10 s', async () => {
    const door = await doorTo(api.database.url);
    const url = await api.replica({ DATABASE_URL: door.urlFor() });
    await api.call('GET', `${url}/v1/schedules`);
    door.silence(true);
    const askedAt = performance.now();
    expect((await api.call('GET', `${url}/health/ready`)).status).toBe(503);
    // The readiness check has its own deadline, shorter than the 10 s time-out of a statement.
    expect(performance.now() - askedAt).toBeLessThan(9_000);
    door.silence(false);
    await eventually(async () => (await api.call('GET', `${url}/health/ready`)).status === 200);
  });
});

describe('Metrics', () => {
  it('/metrics sums the counters of all replicas, and its histograms are cumulative', async () => {
    const url = await api.replica();
    const before = await api.call('GET', '/metrics', { key: null });
    const read = (text: string, name: string) =>
      Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? 0);
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    await api.call('POST', `${url}/v1/schedules/bulk`, { body: { items: [scheduleBody(), scheduleBody()] } });
    await api.call('DELETE', `${url}/v1/schedules/${id}`);
    await api.call('DELETE', `${url}/v1/schedules/${id}`);
    await api.database.pool.query(`insert into carillon.metrics values
      ('carillon_lateness_seconds_bucket', 'le="0.005"', 3), ('carillon_lateness_seconds_bucket', 'le="0.01"', 2),
      ('carillon_lateness_seconds_bucket', 'le="+Inf"', 1), ('carillon_lateness_seconds_sum', '', 1.5), ('carillon_lateness_seconds_count', '', 6)`);
    await api.call('GET', `${url}/metrics`);
    const added = (text: string, name: string) => read(text, name) - read(before.text, name);
    // Metrics are cached for a second.
    const { text, headers } = await eventually(async () => {
      const latest = await api.call('GET', '/metrics', { key: null });
      return added(latest.text, 'jobs_queued_total') === 3 && latest;
    });
    expect(headers.get('content-type')).toContain('version=0.0.4');
    expect(added(text, 'jobs_cancelled_total')).toBe(1);
    expect(text).toContain('carillon_lateness_seconds_bucket{le="0.005"} 3\n');
    expect(text).toContain('carillon_lateness_seconds_bucket{le="0.01"} 5\n');
    expect(text).toContain('carillon_lateness_seconds_bucket{le="+Inf"} 6\n');
    expect(text).toContain('carillon_workers_alive 1\n');
    expect(text).toMatch(/^carillon_backlog \d+$/m);
  });
});
