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

describe('Signing in', () => {
  it('trades an admin key for a cookie that scripts and other sites have no use for', async () => {
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
    // Redis is connected to while the API already answers.
    await eventually(async () => (await api.call('GET', '/health/ready')).body.redis === 'up');
    const queues = await api.call('GET', '/queues/api/queues', { key: null, headers });
    const names = queues.body.queues.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['carillon-bells', 'carillon-ticks', 'schedule-requests']));
    expect(queues.body.queues.every(({ readOnlyMode }: { readOnlyMode: boolean }) => readOnlyMode)).toBe(
      true,
    );
  });

  it('lets the page that signed in use the API, and no other', async () => {
    const cookie = ((await signIn(ADMIN_KEY)).headers.get('set-cookie') ?? '').split(';')[0] as string;
    const make = (headers: Record<string, string>) =>
      api.call('POST', '/v1/schedules', { key: null, headers: { cookie, ...headers }, body: scheduleBody() });
    expect((await make({ 'sec-fetch-site': 'same-origin' })).status).toBe(201);
    expect((await make({ origin: api.url })).status).toBe(201);
    expect((await make({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await make({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await make({})).status).toBe(403);
  });

  it('refuses a key that is none, and shows the page again', async () => {
    const answer = await signIn('ck_guess');
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('unknown, expired or revoked');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('refuses another site that signs a person in', async () => {
    expect((await signIn(ADMIN_KEY, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it.each(['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'leads nobody to %s',
    async (next) => {
      expect((await signIn(ADMIN_KEY, {}, next)).headers.get('location')).toBe('/queues');
      const shown = await api.call('GET', `/sign-in?next=${encodeURIComponent(next)}`, { key: null });
      expect(shown.text).not.toContain('evil.example');
    },
  );

  it('signs out', async () => {
    const answer = await api.call('POST', '/sign-out', { key: null, headers: { origin: api.url } });
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
  });
});

describe('The queues', () => {
  it('are never open', async () => {
    const asked = await api.call('GET', '/queues', { key: null, headers: page });
    expect([asked.status, asked.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fqueues']);
    expect((await api.call('GET', '/queues/api/queues', { key: null })).status).toBe(401);
    expect((await api.call('GET', '/queues/static/js/main.js', { key: null })).status).toBe(401);
  });

  it('are for admins of the default project', async () => {
    for (const options of [{ scopes: ['write'] }, { project: 'other' }]) {
      const cookie = `carillon_key=${await api.keyFor(options)}`;
      expect((await api.call('GET', '/queues/api/queues', { key: null, headers: { cookie } })).status).toBe(
        403,
      );
    }
  });
});

describe('The reference', () => {
  it('is what is committed, for programs and for people', async () => {
    const committed = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
    expect((await api.call('GET', '/openapi.json', { key: null })).body).toEqual(committed);
    const { text, headers } = await api.call('GET', '/docs', { key: null });
    expect(headers.get('content-type')).toContain('text/html');
    for (const methods of Object.values(committed.paths)) {
      for (const { operationId } of Object.values(methods as Record<string, { operationId: string }>)) {
        expect(text).toContain(`id="${operationId}"`);
      }
    }
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it('every answer carries headers that keep browsers from harm', async () => {
    for (const path of ['/docs', '/sign-in', '/v1/schedules', '/nowhere', '/health/live']) {
      const { headers } = await api.call('GET', path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });
});
