import { request } from 'node:http';
import { readConfig, startApi } from '@carillon/api';
import { ADMIN_KEY, eventually } from '@carillon/testkit';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { listen } from './listen.js';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi({ EVENT_STREAMS_PER_PROJECT: '3', EVENT_STREAMS_PER_KEY: '2' });

const newKey = (project: string) => api.keyFor({ project, scopes: ['read'] });

/** True if this key may open one more stream. The stream is closed again. */
async function canListen(key: string): Promise<boolean> {
  const listener = await listen(api.url, { key });
  listener.close();
  return listener.response.status === 200;
}

/** Opens a stream without reading from it. */
function openUnread(key: string, headers: Record<string, string> = {}) {
  const opened = request(`${api.url}/v1/events`, { headers: { authorization: `Bearer ${key}`, ...headers } });
  opened.on('error', () => {});
  const answered = new Promise<void>((resolve) => {
    opened.on('response', (response) => {
      response.on('error', () => {}).pause();
      resolve();
    });
  });
  opened.end();
  return { answered, close: () => opened.destroy() };
}

describe('Event streams', () => {
  it('event streams beyond the limits of the key or the project are answered 429 with Retry-After', async () => {
    const [first, second] = [await newKey('crowded'), await newKey('crowded')];
    const open = [await listen(api.url, { key: first }), await listen(api.url, { key: first })];
    const beyondKey = await api.call('GET', '/v1/events', { key: first });
    expect([beyondKey.status, beyondKey.headers.get('retry-after')]).toEqual([429, '5']);
    open.push(await listen(api.url, { key: second }));
    expect((await api.call('GET', '/v1/events', { key: second })).body.detail).toContain('in this project');
    // The limits of another project are not affected.
    expect(await canListen(await newKey('roomy'))).toBe(true);
    for (const listener of open) listener.close();
    await eventually(() => canListen(first));
  });

  it('a client that does not read its event stream is disconnected, and no longer counts against the limit of streams', async () => {
    const key = await newKey('unread');
    await Promise.all([1, 2].map(() => openUnread(key).answered));
    expect(await canListen(key)).toBe(false);
    const { rows } = await api.database.pool.query(`select id from carillon.projects where key = 'unread'`);
    const flood = () =>
      api.database.pool.query(
        `insert into carillon.audit_log (project_id, actor, action, detail)
         select $1, 'test', 'schedule.edited', to_json(repeat('x', 500000)) from generate_series(1, 8)`,
        [rows[0].id],
      );
    await eventually(
      async () => {
        await flood();
        return canListen(key);
      },
      { everyMs: 300 },
    );
  });

  it('a client that disconnects while its event stream still waits for past events no longer counts against the limit of streams', async () => {
    const key = await newKey('gone');
    const client = await api.database.pool.connect();
    await client.query('begin; lock table carillon.audit_log in access exclusive mode');
    try {
      const streams = [1, 2].map(() => openUnread(key, { 'last-event-id': '0-0' }));
      await eventually(
        async () => {
          const { rows } = await client.query(
            `select from pg_locks where relation = 'carillon.audit_log'::regclass and not granted`,
          );
          return rows.length > 0;
        },
        { what: 'a stream that waits for the locked table' },
      );
      for (const stream of streams) stream.close();
      // This request is sent after both connections have ended, so the API notices their ends before it answers.
      await api.call('GET', '/health/live', { key: null });
    } finally {
      await client.query('rollback');
      client.release();
    }
    await eventually(() => canListen(key), { withinMs: 3_000 });
  });

  it('an event stream that resumes from the start of a long history gets at most 5,000 runs, and other requests are answered meanwhile', async () => {
    const { body } = await api.call('POST', '/v1/schedules', { body: scheduleBody() });
    await api.database.pool.query(
      `insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, status, due_at, recorded_at,
                                  happened_at, attempt, finished_at, reason)
       select s.id, clock_timestamp() - n * interval '1 second', 'rule', date_trunc('month', now() at time zone 'utc'), s.project_id,
              1, 'succeeded', now(), now(), now() - n * interval '1 second', 1, now(), repeat('because ', 200)
       from carillon.schedules s, generate_series(1, 8000) n where s.key = $1`,
      [body.id],
    );
    const listeners = Promise.all([1, 2].map(() => listen(api.url, { since: '0-0' })));
    // Each page of the history is read in its own turn of the event loop, so other requests are answered in between.
    let answeredMeanwhile = 0;
    let hasEnded = false;
    const probe = async () => {
      while (!hasEnded) {
        await api.call('GET', '/health/live', { key: null });
        answeredMeanwhile++;
      }
    };
    const probing = probe();
    const opened = await listeners;
    for (const { seen } of opened)
      await eventually(() => seen.some(({ type }) => type === 'overflow'), { withinMs: 15_000 });
    hasEnded = true;
    await probing;
    for (const { seen, close } of opened) {
      expect(seen.filter(({ type }) => type.startsWith('run.')).length).toBeLessThanOrEqual(5_000);
      close();
    }
    expect(answeredMeanwhile).toBeGreaterThan(10);
  });

  it('the API stops without waiting for clients that do not read their event streams', async () => {
    const key = await newKey('stopping');
    // The third stream is refused. `afterAll` then stops the API while the other two are open.
    await Promise.all([1, 2, 3].map(() => openUnread(key).answered));
  });

  it('HEAD /v1/events opens no stream', async () => {
    expect((await api.call('HEAD', '/v1/events', { key: ADMIN_KEY })).status).toBe(404);
  });
});

describe('A replica that stops', () => {
  it('an API replica that stops ends its event streams, and tells their clients after which delay to reconnect', async () => {
    const config = readConfig({
      DATABASE_URL: api.database.url,
      REDIS_URL: api.database.redisUrl,
      REDIS_PREFIX: api.database.prefix,
      PORT: '0',
      CARILLON_ADMIN_KEY: ADMIN_KEY,
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      STOP_DELAY_MS: '3000',
    });
    if ('problems' in config) throw new Error(config.problems.join());
    const replica = await startApi(config, pino({ level: 'silent' }));
    const response = await fetch(`${replica.url}/v1/events`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    });
    const stopped = replica.stop();
    const ready = await fetch(`${replica.url}/health/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { reasons: [{ code: 'stopping' }] }]);
    // Requests are still answered: the load balancer may not have noticed yet.
    expect((await fetch(`${replica.url}/health/live`)).status).toBe(200);
    const text = await response.text();
    await stopped;
    const delays = [...text.matchAll(/^retry: (\d+)$/gm)].map(([, ms]) => Number(ms));
    expect(delays).toHaveLength(2);
    expect(delays[1]).toBeGreaterThanOrEqual(500);
    expect(delays[1]).toBeLessThanOrEqual(5_000);
  });
});
