import { forgetOld } from '@carillon/db';
import { ADMIN_KEY, eventually } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const FAILURES = 5;
const api = useApi({ TRUST_PROXY: '127.0.0.1', AUTH_FAILURES_PER_MINUTE: String(FAILURES) });
const https = { 'x-forwarded-proto': 'https' };

let clients = 0;
/** A new client address, so that the failures of one test do not count against another. */
const newClient = () => ({ 'x-forwarded-for': `203.0.113.${++clients}` });

const start = (key: string, headers: Record<string, string> = {}, url = '') =>
  api.call('POST', `${url}/v1/session`, { key: null, headers, body: { key } });

async function signIn(key = ADMIN_KEY): Promise<{ cookie: string }> {
  const { headers } = await start(key);
  return { cookie: (headers.get('set-cookie') ?? '').split(';')[0] as string };
}

const me = (headers: Record<string, string>, url = '') =>
  api.call('GET', `${url}/v1/me`, { key: null, headers: { ...newClient(), ...headers } });

describe('GET /v1/me', () => {
  it('GET /v1/me answers an API key with its project, name and scopes', async () => {
    const key = await api.keyFor({ project: 'mine', scopes: ['read'] });
    const { body } = await api.call('GET', '/v1/me', { key });
    expect(body).toMatchObject({
      project: 'mine',
      keyName: 'mine-test',
      scopes: ['read'],
      isOperator: false,
    });
    expect(body.sessionExpiresAt).toBeNull();
    expect((await api.call('GET', '/v1/me')).body.isOperator).toBe(true);
  });

  it('GET /v1/me with a session answers the same as with the key of the session, and adds when the session ends', async () => {
    const { body } = await me(await signIn());
    expect(body).toMatchObject({ project: 'default', keyName: 'admin', scopes: ['read', 'write', 'admin'] });
    expect(Date.parse(body.sessionExpiresAt)).toBeGreaterThan(Date.parse('2026-01-01'));
  });
});

describe('POST /v1/session', () => {
  it('sign-in sets a cookie that holds a random token and never the API key', async () => {
    const answer = await start(ADMIN_KEY);
    expect(answer.status).toBe(204);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^carillon_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(ADMIN_KEY);
    expect((await start(ADMIN_KEY)).headers.get('set-cookie')).not.toBe(cookie);
    const { rows } = await api.database.pool.query('select hash from carillon.sessions');
    const token = /=([\w-]{43})/.exec(cookie)?.[1] as string;
    for (const { hash } of rows) expect(String(hash)).not.toContain(token);
  });

  it('sign-in over https sets a Secure cookie with the prefix __Host-, and then no other session cookie is accepted', async () => {
    const secure = (await start(ADMIN_KEY, https)).headers.get('set-cookie') ?? '';
    expect(secure).toMatch(/^__Host-carillon_session=.*; Secure(;|$)/);
    const cookie = secure.split(';')[0] as string;
    expect((await me({ cookie, ...https })).status).toBe(200);
    const plain = cookie.replace('__Host-', '');
    expect((await me({ cookie: plain, ...https })).status).toBe(401);
  });

  it('sign-in with an unknown key sets no cookie, and failed sign-ins are limited per client address', async () => {
    const client = newClient();
    for (let n = 0; n < FAILURES; n++) {
      const answer = await start(`guess-${n}`, client);
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null]);
    }
    const refused = await start('guess-again', client);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('sign-in is refused if another site made the browser send it', async () => {
    expect((await start(ADMIN_KEY, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await start(ADMIN_KEY, { origin: 'https://evil.example' })).status).toBe(403);
  });

  it('an API key has at most 100 sessions: one more sign-in ends the oldest session', async () => {
    const key = await api.keyFor({ project: 'crowded', scopes: ['read'] });
    const oldest = await signIn(key);
    for (let n = 0; n < 100; n++) await signIn(key);
    const { rows } = await api.database.pool.query(
      `select count(*) as count from carillon.sessions where key_id =
         (select id from carillon.api_keys where name = 'crowded-test')`,
    );
    expect(Number(rows[0].count)).toBe(100);
    await eventually(async () => (await me(oldest)).status === 401);
  });
});

describe('A request with a session cookie', () => {
  it('a change by session cookie is accepted only if it comes from a page of the API’s own origin', async () => {
    const session = await signIn();
    const make = (headers: Record<string, string>) =>
      api.call('POST', '/v1/schedules', {
        key: null,
        headers: { ...session, ...headers },
        body: scheduleBody(),
      });
    expect((await make({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
    expect((await make({ origin: api.url })).status).toBe(201);
    for (const foreign of [{ 'sec-fetch-site': 'same-site' }, { origin: 'https://evil.example' }, {}])
      expect((await make(foreign)).status).toBe(403);
  });

  it('behind a trusted proxy, the origin of a change by session cookie is compared with the host that the proxy gives', async () => {
    const { cookie } = await signIn();
    const headers = { cookie, origin: 'http://carillon.example', 'x-forwarded-host': 'carillon.example' };
    const answer = await api.call('DELETE', '/v1/session', { key: null, headers });
    expect(answer.status).toBe(204);
  });

  it('a session has the scopes of its key, and no more', async () => {
    const { cookie } = await signIn(await api.keyFor({ scopes: ['read'] }));
    const headers = { cookie, origin: api.url };
    expect((await api.call('GET', '/v1/schedules', { key: null, headers })).status).toBe(200);
    const made = await api.call('POST', '/v1/schedules', { key: null, headers, body: scheduleBody() });
    expect(made.status).toBe(403);
  });

  it('an API key in the session cookie is refused, and so is a session token in place of an API key', async () => {
    const key = await api.keyFor({ scopes: ['read'] });
    expect((await me({ cookie: `carillon_session=${key}` })).status).toBe(401);
    const { cookie } = await signIn(key);
    const token = cookie.split('=')[1] as string;
    const asked = await api.call('GET', '/v1/me', { key: token, headers: newClient() });
    expect(asked.status).toBe(401);
  });
});

describe('The end of a session', () => {
  const end = (path: string, cookie: string) =>
    api.call('DELETE', path, { key: null, headers: { cookie, origin: api.url } });

  it('DELETE /v1/session ends the session of its caller at once, clears the cookie, and leaves other sessions open', async () => {
    const [mine, other] = [await signIn(), await signIn()];
    expect((await me(mine)).status).toBe(200);
    const answer = await end('/v1/session', mine.cookie);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
    expect(await me(mine)).toMatchObject({ status: 401, body: { code: 'session_ended' } });
    expect((await me(other)).status).toBe(200);
  });

  it('DELETE /v1/sessions ends all sessions of the caller’s key on every replica, and no session of another key', async () => {
    const key = await api.keyFor({ scopes: ['read'] });
    const [first, second, other] = [await signIn(key), await signIn(key), await signIn()];
    const replica = await api.replica();
    expect((await me(second, replica)).status).toBe(200);
    const { body } = await end('/v1/sessions', first.cookie);
    expect(body).toEqual({ ended: 2 });
    expect((await me(first)).status).toBe(401);
    await eventually(async () => (await me(second, replica)).status === 401);
    expect((await me(other)).status).toBe(200);
  });

  it('revoking an API key ends its sessions', async () => {
    const made = await api.call('POST', '/v1/keys', { body: { name: 'short-lived', scopes: ['read'] } });
    const session = await signIn(made.body.key);
    expect((await me(session)).status).toBe(200);
    await api.call('DELETE', `/v1/keys/${made.body.id}`);
    await eventually(async () => (await me(session)).status === 401);
  });

  it('an expired session is refused, and retention deletes it', async () => {
    const session = await signIn(await api.keyFor({ project: 'expired', scopes: ['read'] }));
    const { pool } = api.database;
    const ofProject = `project_id = (select id from carillon.projects where key = 'expired')`;
    await pool.query(`update carillon.sessions set expires_at = clock_timestamp() where ${ofProject}`);
    await eventually(async () => (await me(session)).status === 401);
    await forgetOld(pool, { now: null, only: ['sessions'] });
    const { rowCount } = await pool.query(`select from carillon.sessions where ${ofProject}`);
    expect(rowCount).toBe(0);
  });

  it('the event stream of a session is closed when the session ends', async () => {
    const { cookie } = await signIn();
    const stream = await fetch(`${api.url}/v1/events`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    await end('/v1/session', cookie);
    await stream.text();
  });
});
