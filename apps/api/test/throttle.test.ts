import { eventually } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const FAILURES = 5;
const api = useApi({ AUTH_FAILURES_PER_MINUTE: String(FAILURES), TRUST_PROXY: '127.0.0.1' });

let address = 0;
/** A client address, sent as a trusted proxy would send it. */
const newClient = () => ({ 'x-forwarded-for': `198.51.100.${++address}` });
const ask = (key: string | null, headers: Record<string, string>) =>
  api.call('GET', '/v1/schedules?limit=1', { key, headers });

describe('Throttle before authentication', () => {
  it.each([
    ['wrong keys', 'ck_wrong'],
    ['no key', null],
  ])('a client address that sends %s too often is answered 429 with Retry-After', async (_what, key) => {
    const headers = newClient();
    for (let n = 0; n < FAILURES; n++) expect((await ask(key && `${key}${n}`, headers)).status).toBe(401);
    const refused = await ask(key, headers);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(key, newClient())).status).toBe(401);
  });

  it('a valid API key that was used recently is still accepted from a throttled client address', async () => {
    const headers = newClient();
    const key = await api.keyFor({ scopes: ['read'] });
    expect((await ask(key, headers)).status).toBe(200);
    for (let n = 0; n < FAILURES; n++) await ask(`nope-${n}`, headers);
    expect((await ask('nope', headers)).status).toBe(429);
    // The cached lookup of the key expires.
    api.passKeyTime(1_000);
    expect((await ask(key, headers)).status).toBe(200);
  });

  it('a valid API key that is new to the replica is accepted from a throttled client address, and a revoked key is not', async () => {
    const headers = newClient();
    for (let n = 0; n < FAILURES; n++) await ask(`nobody-${n}`, headers);
    expect((await ask('nobody', headers)).status).toBe(429);
    const key = await api.keyFor({ scopes: ['read'] });
    const status = async () => (await ask(key, headers)).status;
    await eventually(async () => (await status()) === 200, { what: 'the new key' });
    const revoked = await api.call('POST', '/v1/keys', { body: { name: 'revoked', scopes: ['read'] } });
    await api.call('DELETE', `/v1/keys/${revoked.body.id}`);
    expect((await ask(revoked.body.key, headers)).status).toBe(429);
  });

  it('sign-in with wrong keys is throttled by client address', async () => {
    const headers = {
      ...newClient(),
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
    };
    const signIn = () => api.call('POST', '/sign-in', { key: null, headers, body: 'key=wrong' });
    for (let n = 0; n < FAILURES; n++) expect((await signIn()).status).toBe(401);
    expect((await signIn()).status).toBe(429);
  });

  it('an unknown API key that is sent again is refused from the cache, without a query', async () => {
    const headers = newClient();
    expect((await ask('repeated', headers)).status).toBe(401);
    const client = await api.database.pool.connect();
    await client.query('begin; lock table carillon.api_keys in access exclusive mode');
    const answer = await Promise.race([
      ask('repeated', headers),
      new Promise<null>((resolve) => setTimeout(resolve, 1_500, null)),
    ]);
    await client.query('rollback');
    client.release();
    expect(answer?.status).toBe(401);
  });
});

const UNKNOWN_FEED = '/v1/calendar.ics?token=unknown';

async function feedPath(): Promise<string> {
  return (await api.call('POST', '/v1/feeds', { body: { name: 'shared' } })).body.url;
}

async function pingPath(): Promise<string> {
  const body = scheduleBody({ target: { type: 'heartbeat' } });
  await api.call('POST', '/v1/schedules', { body });
  const { url } = (await api.call('GET', `/v1/schedules/${body.id}/heartbeat`)).body;
  return new URL(url).pathname;
}

describe('Limits per minute', () => {
  it('all API keys of a project share its request limit', async () => {
    const keys = [await api.keyFor({ project: 'greedy' }), await api.keyFor({ project: 'greedy' })];
    await api.call('PATCH', '/v1/projects/greedy', { body: { limits: { requestsPerMinute: 4 } } });
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) statuses.push((await ask(keys[n % 2] as string, {})).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
  });

  it('requests to one replica count against the limit of the project on another replica', async () => {
    const key = await api.keyFor({ project: 'spread' });
    await api.call('PATCH', '/v1/projects/spread', { body: { limits: { requestsPerMinute: 100 } } });
    const other = await api.replica();
    for (let n = 0; n < 60; n++) await ask(key, {});
    let asked = 0;
    await eventually(
      async () => {
        asked++;
        const response = await fetch(`${other}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
        return Number(response.headers.get('ratelimit-remaining')) < 50;
      },
      { what: 'the count of the first replica' },
    );
    // If the replicas did not share their counts, the other replica would still have more than half of the limit.
    expect(asked).toBeLessThan(45);
  });

  it.each([
    ['pings of a heartbeat', 60, pingPath],
    ['reads of an iCal feed', 30, feedPath],
    ['reads with an unknown feed token', 30, async () => UNKNOWN_FEED],
  ])(
    '%s to one replica count against the same limit on another replica',
    async (_what, perMinute, findPath) => {
      const path = await findPath();
      const headers = newClient();
      const other = await api.replica();
      const read = (url: string) => api.call('GET', url, { key: null, headers });
      for (let n = 0; n < perMinute; n++) expect((await read(path)).status).not.toBe(429);
      let asked = 0;
      await eventually(
        async () => {
          asked++;
          return (await read(other + path)).status === 429;
        },
        { what: 'the count of the first replica' },
      );
      // If the replicas did not share their counts, the other replica would accept as many as the first.
      expect(asked).toBeLessThan(perMinute / 2);
    },
  );
});
