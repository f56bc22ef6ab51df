import { readFileSync } from 'node:fs';
import { ADMIN_KEY, eventually } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const page = { accept: 'text/html' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const signIn = (key: string, headers: Record<string, string> = {}, next = '/queues') =>
  api.call('POST', '/sign-in', {
    key: null,
    headers: { ...form, 'sec-fetch-site': 'same-origin', ...headers },
    body: new URLSearchParams({ key, next }).toString(),
  });

describe('Sign-in', () => {
  it('sign-in with an admin key sets an HttpOnly, SameSite=Strict cookie, with which the queue pages can be read', async () => {
    const answer = await signIn(ADMIN_KEY);
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/queues');
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    const headers = { cookie: cookie.split(';')[0] as string };
    const board = await api.call('GET', '/queues', { key: null, headers: { ...page, ...headers } });
    expect(board.status).toBe(200);
    expect(board.text).toContain('Carillon');
    // The API may answer before its connection to Redis is ready.
    await eventually(async () => (await api.call('GET', '/health/ready')).body.redis === 'up');
    const queues = await api.call('GET', '/queues/api/queues', { key: null, headers });
    const names = queues.body.queues.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['carillon-bells', 'carillon-ticks', 'schedule-requests']));
    expect(queues.body.queues.every(({ readOnlyMode }: { readOnlyMode: boolean }) => readOnlyMode)).toBe(
      true,
    );
  });

  it('a session cookie authorises requests from the same origin only', async () => {
    const cookie = ((await signIn(ADMIN_KEY)).headers.get('set-cookie') ?? '').split(';')[0] as string;
    const make = (headers: Record<string, string>) =>
      api.call('POST', '/v1/schedules', { key: null, headers: { cookie, ...headers }, body: scheduleBody() });
    expect((await make({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
    expect((await make({ origin: api.url })).status).toBe(201);
    expect((await make({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await make({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await make({})).status).toBe(403);
  });

  it('sign-in with an invalid key answers 401 and shows the sign-in page again', async () => {
    const answer = await signIn('ck_guess');
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('unknown, expired or revoked');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('a cross-site sign-in is refused', async () => {
    expect((await signIn(ADMIN_KEY, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'a sign-in does not redirect to %s',
    async (next) => {
      expect((await signIn(ADMIN_KEY, {}, next)).headers.get('location')).toBe('/queues');
      const shown = await api.call('GET', `/sign-in?next=${encodeURIComponent(next)}`, { key: null });
      expect(shown.text).not.toContain('evil.example');
    },
  );

  it('sign-out clears the session cookie', async () => {
    const answer = await api.call('POST', '/sign-out', { key: null, headers: { origin: api.url } });
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
  });
});

describe('Queue pages', () => {
  it('the pages of the queues below /queues require a session', async () => {
    const asked = await api.call('GET', '/queues', { key: null, headers: page });
    expect([asked.status, asked.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fqueues']);
    expect((await api.call('GET', '/queues/api/queues', { key: null })).status).toBe(401);
    expect((await api.call('GET', '/queues/static/js/main.js', { key: null })).status).toBe(401);
  });

  it('the pages of the queues below /queues are only for admins of the default project', async () => {
    for (const options of [{ scopes: ['write'] }, { project: 'other' }]) {
      const { headers } = await signIn(await api.keyFor(options));
      const cookie = (headers.get('set-cookie') ?? '').split(';')[0] as string;
      expect((await api.call('GET', '/queues/api/queues', { key: null, headers: { cookie } })).status).toBe(
        403,
      );
    }
  });
});

describe('API reference', () => {
  it('the API serves the committed OpenAPI document, and /docs shows it', async () => {
    const committed = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
    expect((await api.call('GET', '/openapi.json', { key: null })).body).toEqual(committed);
    const { text, headers } = await api.call('GET', '/docs/', { key: null });
    expect(headers.get('content-type')).toContain('text/html');
    expect(headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=/);
    const files = [...text.matchAll(/(?:src|href)="\.(\/[^"]+)"/g)].map(([, path]) => `/docs${path}`);
    expect(files.length).toBeGreaterThan(3);
    for (const path of files) expect((await api.call('GET', path, { key: null })).status).toBe(200);
    expect((await api.call('GET', '/docs/json', { key: null })).body).toEqual(committed);
  });

  it('every response has security headers', async () => {
    for (const path of ['/docs', '/problems', '/sign-in', '/v1/schedules', '/nowhere', '/health/live']) {
      const { headers } = await api.call('GET', path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });
});
