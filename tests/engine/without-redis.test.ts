import {
  ADMIN_KEY,
  eventually,
  type TestApi,
  type TestProcess,
  useDatabase,
  useProcesses,
  useReceiver,
} from '@carillon/testkit';
import { beforeAll, expect, it } from 'vitest';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();
let api: TestApi;
let workers: TestProcess[];

beforeAll(async () => {
  // The sweep interval is so long that the sweep alone would be too late for every test below.
  const env = { REDIS_URL: 'none', SWEEP_INTERVAL_MS: '20000', ARM_HORIZON_MS: '60000', LEASE_MS: '15000' };
  [api, ...workers] = await Promise.all([
    processes.api({ env }),
    processes.worker({ env }),
    processes.worker({ env }),
  ]);
}, 120_000);

async function call(
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${api.url}${path}`, { headers, ...request });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const oneShot = (path: string, inMs: number) => ({
  rule: { at: new Date(Date.now() + inMs).toISOString() },
  target: { type: 'webhook', url: receiver.url(path) },
});

it('without Redis, two workers deliver each of 60 runs once, half of them within a second of their time and all long before a sweep', async () => {
  const paths = Array.from({ length: 60 }, (_, index) => `status/200/timers/${index}`);
  const items = paths.map((path, index) => oneShot(path, 1_500 + index * 30));
  expect((await call('/v1/schedules/bulk', { items })).status).toBe(200);
  const runs = async () => {
    const { rows } = await database.pool.query(
      `select count(*)::int as succeeded, max(attempt) as attempts, max(lateness_ms) as max,
              percentile_cont(0.5) within group (order by lateness_ms) as p50
       from carillon.runs where status = 'succeeded'`,
    );
    return rows[0];
  };
  await eventually(async () => (await runs()).succeeded === paths.length);
  expect(paths.map((path) => receiver.to(path).length)).toEqual(paths.map(() => 1));
  const { attempts, p50, max } = await runs();
  expect(attempts).toBe(1);
  expect(p50).toBeLessThan(1_000);
  // Sweeps are 20 seconds apart, so a run that waited for a sweep is later than this, except by chance.
  expect(max).toBeLessThan(10_000);
});

it('without Redis, a retry of a failed delivery is sent when it is due', async () => {
  const path = 'flaky/1/retry';
  await call('/v1/schedules', { ...oneShot(path, 200), retry: { baseDelay: 'PT0.5S' } });
  await eventually(() => receiver.to(path).length === 2, { withinMs: 10_000 });
});

it('without Redis, a triggered run is delivered within 10 seconds, although sweeps are 20 seconds apart', async () => {
  const path = 'status/200/trigger';
  const { body } = await call('/v1/schedules', oneShot(path, 3_600_000));
  await call(`/v1/schedules/${body.id}/trigger`, {});
  await eventually(() => receiver.to(path).length === 1, { withinMs: 10_000 });
});

it('without Redis, a schedule whose target is a queue is refused with the reason', async () => {
  const target = { type: 'queue', queue: 'schedule-due' };
  const { status, body } = await call('/v1/schedules', { ...oneShot('x', 1_000), target });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('needs Redis, and this installation runs without it');
});

it('without Redis, /health/ready says ok, /v1/system says that Redis is off, and the API has no page of queues', async () => {
  await eventually(async () => (await call('/health/ready')).body.status === 'ok');
  const { body } = await call('/v1/system');
  expect(body).toMatchObject({ redis: 'off', bells: { armed: null } });
  const page = await call('/queues');
  expect([page.status, JSON.stringify(page.body)]).toEqual([404, expect.stringContaining('REDIS_URL=none')]);
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  expect(metrics).not.toContain('carillon_redis_up');
});

it('without Redis, workers stop cleanly', async () => {
  for (const worker of workers) {
    await worker.end();
    expect(worker.lines.at(-1)?.msg).toBe('Worker stopped');
  }
});
