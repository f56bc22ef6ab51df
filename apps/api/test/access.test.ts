import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const api = useApi();

const operations = Object.entries(document.paths as Record<string, Record<string, { responses: object }>>)
  // A calendar program has no key: the token in the URL of its feed is enough.
  .filter(([path]) => path.startsWith('/v1') && path !== '/v1/calendar.ics')
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => [method.toUpperCase(), path] as const));

/** Valid parameters and bodies, so that only the key decides whether a request is accepted. */
const BODIES: Record<string, unknown> = {
  'POST /v1/schedules': scheduleBody(),
  'PATCH /v1/schedules/{id}': { name: 'theirs' },
  'POST /v1/schedules/{id}/reschedule': { at: '2030-01-01T00:00:00Z' },
  'POST /v1/schedules/{id}/backfill': { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  'POST /v1/schedules/bulk': { items: [scheduleBody()] },
  'POST /v1/schedules/actions': { action: 'pause' },
  'POST /v1/rules/preview': { rule: { every: 'PT1H' } },
  'POST /v1/session': { key: 'ck_guess' },
  'POST /v1/alert-channels': { id: 'theirs', type: 'email', to: ['a@example.com'] },
  'PATCH /v1/alert-channels/{id}': { enabled: false },
  'POST /v1/maintenance-windows': { endAt: '2099-01-01T00:00:00Z' },
  'POST /v1/keys': { name: 'x', scopes: ['read'] },
  'POST /v1/projects': { id: 'theirs' },
  'PATCH /v1/projects/{id}': { name: 'x' },
};

const MINE = 'mine';
let runId = '';
let readKey = '';
let writeKey = '';
let otherKey = '';

beforeAll(async () => {
  await api.call('POST', '/v1/schedules', { body: scheduleBody({ id: MINE }) });
  const { body } = await api.call('POST', `/v1/schedules/${MINE}/trigger`);
  runId = body.runId;
  readKey = await api.keyFor({ scopes: ['read'] });
  writeKey = await api.keyFor({ scopes: ['write'] });
  otherKey = await api.keyFor({ project: 'other' });
});

const request = (method: string, path: string, key: string | null) => {
  const id = path.startsWith('/v1/runs')
    ? runId
    : path.startsWith('/v1/keys')
      ? '1'
      : path.startsWith('/v1/projects')
        ? 'default'
        : path.startsWith('/v1/schedules/actions')
          ? randomUUID()
          : MINE;
  const body = BODIES[`${method} ${path}`];
  const query = path === '/v1/forecast/minute' ? `?at=${new Date(Date.now() + 60_000).toISOString()}` : '';
  return api.call(method, path.replace('{id}', id) + query, { key, ...(body === undefined ? {} : { body }) });
};

/** Every key may read alert channels, whose secrets are not shown. Changing them needs the scope admin. */
const needsAdmin = (method: string, path: string) =>
  /^\/v1\/(keys|projects)/.test(path) || (method !== 'GET' && path.startsWith('/v1/alert-channels'));
/** True if a request needs only the scope read. Ending a session does too, because a session belongs to its key. */
const isReading = (method: string, path: string) =>
  method === 'GET' || ['/v1/rules/preview', '/v1/simulate'].includes(path) || path.startsWith('/v1/session');

describe('Authentication', () => {
  it.each(operations)('%s %s answers 401 without an API key', async (method, path) => {
    const answer = await request(method, path, null);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it.each(operations)('%s %s answers 401 to an unknown API key', async (method, path) => {
    expect((await request(method, path, 'ck_guess')).status).toBe(401);
  });

  it.each(operations.filter(([method, path]) => !isReading(method, path) && !needsAdmin(method, path)))(
    '%s %s answers 403 to a key without the scope write',
    async (method, path) => {
      const answer = await request(method, path, readKey);
      expect(answer.status).toBe(403);
      expect(answer.body.detail).toContain('write');
    },
  );

  it.each(operations.filter(([method, path]) => needsAdmin(method, path)))(
    '%s %s answers 403 to a key without the scope admin',
    async (method, path) => {
      expect((await request(method, path, writeKey)).status).toBe(403);
    },
  );

  it('a cross-site request with a session cookie is refused with 403', async () => {
    const { headers: answered } = await api.call('POST', '/v1/session', {
      key: null,
      body: { key: otherKey },
    });
    const cookie = answered.get('set-cookie')?.split(';')[0] as string;
    const headers = { cookie, 'sec-fetch-site': 'cross-site' };
    const answer = await api.call('POST', '/v1/schedules', { key: null, headers, body: scheduleBody() });
    expect(answer.status).toBe(403);
  });
});

describe('Isolation of projects', () => {
  const finding = operations.filter(
    // A PUT is left out, because it would create a schedule in the caller's own project.
    ([method, path]) => /schedules\/{id}|runs\/{id}|keys\/{id}/.test(path) && method !== 'PUT',
  );
  it.each(finding)('%s %s answers 404 to a key of another project', async (method, path) => {
    const answer = await request(method, path, otherKey);
    expect(answer.status).toBe(404);
  });

  it('lists, forecasts, counts and bulk actions cover only the project of the key', async () => {
    for (const path of ['/v1/schedules', '/v1/runs', '/v1/schedules?q=mine', '/v1/schedules?status=active']) {
      expect((await api.call('GET', path, { key: otherKey })).body.items).toEqual([]);
    }
    expect((await api.call('GET', '/v1/forecast?hours=168', { key: otherKey })).body.total).toBe(0);
    const actions = ['pause', 'resume', 'cancel', 'trigger', 'skip-next'];
    for (const action of actions) {
      const { body } = await api.call('POST', '/v1/schedules/actions', { key: otherKey, body: { action } });
      expect(body).toMatchObject({ matched: 0, changed: 0 });
    }
    expect((await api.call('POST', '/v1/runs/replay', { key: otherKey })).body.replayed).toBe(0);
    const { body: audit } = await api.call('GET', '/v1/audit', { key: otherKey });
    expect(audit.items.map((entry: { action: string }) => entry.action)).toEqual([
      'key.created',
      'project.created',
    ]);
    expect((await api.call('GET', `/v1/schedules/${MINE}`)).body).toMatchObject({
      status: 'active',
      version: 1,
      name: null,
    });
  });

  it('two projects may use the same schedule id', async () => {
    const { status } = await api.call('POST', '/v1/schedules', {
      key: otherKey,
      body: scheduleBody({ id: MINE, name: 'theirs' }),
    });
    expect(status).toBe(201);
    expect((await api.call('GET', `/v1/schedules/${MINE}`)).body.name).toBeNull();
    expect((await api.call('GET', `/v1/schedules/${MINE}`, { key: otherKey })).body.name).toBe('theirs');
  });

  it('two projects may use the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'shared' };
    const mine = await api.call('POST', '/v1/schedules', { headers, body: scheduleBody() });
    const theirs = await api.call('POST', '/v1/schedules', { headers, key: otherKey, body: scheduleBody() });
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it('an admin of a project other than default sees only that project and cannot create projects', async () => {
    const { body } = await api.call('GET', '/v1/projects', { key: otherKey });
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['other']);
    const made = await api.call('POST', '/v1/projects', { key: otherKey, body: { id: 'more' } });
    expect(made.status).toBe(403);
    const elsewhere = { name: 'x', scopes: ['read'], project: 'default' };
    expect((await api.call('POST', '/v1/keys', { key: otherKey, body: elsewhere })).status).toBe(403);
  });
});
