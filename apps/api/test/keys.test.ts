import { eventually } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const isTaken = async (key: string, url = '') =>
  (await api.call('GET', `${url}/v1/schedules`, { key })).status === 200;

describe('Keys', () => {
  it('an API key is shown once and stored only as a hash', async () => {
    const { status, body } = await api.call('POST', '/v1/keys', {
      body: { name: 'ci', scopes: ['read', 'read'] },
    });
    expect(status).toBe(201);
    expect(body.key).toMatch(/^ck_[A-Za-z0-9_-]{43}$/);
    expect(body).toMatchObject({
      name: 'ci',
      scopes: ['read'],
      project: 'default',
      revokedAt: null,
      lastUsedAt: null,
    });
    const { text } = await api.call('GET', '/v1/keys');
    expect(text).toContain(body.prefix);
    expect(text).not.toContain(body.key);
    const { rows } = await api.database.pool.query('select k::text as row from carillon.api_keys k');
    expect(JSON.stringify(rows)).not.toContain(body.key.slice(12));
  });

  it('a revoked API key is refused by every replica within a second', async () => {
    const other = await api.replica();
    const { body } = await api.call('POST', '/v1/keys', { body: { name: 'gone', scopes: ['read'] } });
    expect(await isTaken(body.key)).toBe(true);
    expect(await isTaken(body.key, other)).toBe(true);
    const revoked = await api.call('DELETE', `/v1/keys/${body.id}`);
    expect(revoked.body.revokedAt).not.toBeNull();
    api.passKeyTime(1_000);
    expect(await isTaken(body.key)).toBe(false);
    expect(await isTaken(body.key, other)).toBe(false);
    expect((await api.call('DELETE', `/v1/keys/${body.id}`)).body.revokedAt).toBe(revoked.body.revokedAt);
  });

  it('an expired API key is refused', async () => {
    const expiresAt = new Date(Date.now() + 1_200).toISOString();
    const { body } = await api.call('POST', '/v1/keys', {
      body: { name: 'short', scopes: ['read'], expiresAt },
    });
    expect(await isTaken(body.key)).toBe(true);
    await eventually(async () => !(await isTaken(body.key)), { withinMs: 4_000 });
    const past = { name: 'x', scopes: ['read'], expiresAt: '2001-01-01T00:00:00Z' };
    expect((await api.call('POST', '/v1/keys', { body: past })).status).toBe(400);
  });

  it.each([
    ['name', { scopes: ['read'] }],
    ['scopes', { name: 'x', scopes: [] }],
    ['scopes.0', { name: 'x', scopes: ['root'] }],
    ['project', { name: 'x', scopes: ['read'], project: 'Not A Project' }],
  ])('POST /v1/keys refuses an invalid %s', async (field, body) => {
    const answer = await api.call('POST', '/v1/keys', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
  });

  it('POST /v1/keys answers 404 if the body names a project that does not exist', async () => {
    const body = { name: 'x', scopes: ['read'], project: 'nowhere' };
    expect((await api.call('POST', '/v1/keys', { body })).status).toBe(404);
  });
});

describe('Projects', () => {
  it('/v1/projects creates, lists and edits projects', async () => {
    const { status, body } = await api.call('POST', '/v1/projects', {
      body: { id: 'acme', limits: { schedules: 5 } },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: 'acme',
      name: 'acme',
      defaultTarget: null,
      limits: {
        schedules: 5,
        requestsPerMinute: null,
        deliveriesPerSecond: null,
        concurrentDeliveries: null,
      },
    });
    expect((await api.call('POST', '/v1/projects', { body: { id: 'acme' } })).status).toBe(409);
    expect((await api.call('POST', '/v1/projects', { body: { id: 'A B' } })).status).toBe(400);
    const { body: edited } = await api.call('PATCH', '/v1/projects/acme', { body: { name: 'Acme' } });
    expect(edited).toMatchObject({ name: 'Acme', limits: { schedules: 5 } });
    expect((await api.call('PATCH', '/v1/projects/nope', { body: { name: 'x' } })).status).toBe(404);
    const { body: list } = await api.call('GET', '/v1/projects?limit=1');
    expect(list.items[0].id).toBe('acme');
    const { body: next } = await api.call('GET', `/v1/projects?limit=1&cursor=${list.nextCursor}`);
    expect(next.items[0].id).toBe('default');
  });
});

describe('The retention of a project', () => {
  it('the retention of a project takes a duration of at least a day for each of runs, schedules and audit, and refuses any other value or field', async () => {
    const retention = { runs: 'P90D', schedules: 'P4W' };
    const { body } = await api.call('POST', '/v1/projects', { body: { id: 'keeps', retention } });
    expect(body.retention).toEqual({ ...retention, audit: null });
    const edit = (given: unknown) => api.call('PATCH', '/v1/projects/keeps', { body: { retention: given } });
    expect((await edit({ audit: 'P400D' })).body.retention).toEqual({
      runs: null,
      schedules: null,
      audit: 'P400D',
    });
    for (const wrong of [{ runs: 'PT23H' }, { runs: 30 }, { runs: 'P1M' }, { attempts: 'P1D' }, null])
      expect((await edit(wrong)).status, JSON.stringify(wrong)).toBe(400);
    const { body: named } = await api.call('PATCH', '/v1/projects/keeps', { body: { name: 'Keeps' } });
    expect(named.retention.audit).toBe('P400D');
  });
});

describe("A project's secret", () => {
  it('a webhook secret of a project is stored encrypted, and its rotation keeps the previous secret', async () => {
    await api.call('POST', '/v1/projects', { body: { id: 'signed' } });
    const first = await api.call('POST', '/v1/projects/signed/secret');
    const second = await api.call('POST', '/v1/projects/signed/secret');
    expect(first.body.secret).toMatch(/^whsec_/);
    expect(second.body.secret).not.toBe(first.body.secret);
    const { rows } = await api.database.pool.query(
      `select s.expires_at is null as current, s::text as row from carillon.webhook_secrets s
       join carillon.projects p on p.id = s.project_id where p.key = 'signed' order by s.id`,
    );
    // The secret has been replaced twice, and only the current and the previous one are kept. They are stored
    // encrypted, so the rows do not contain their text.
    expect(rows.map((row) => row.current)).toEqual([false, true]);
    expect(JSON.stringify(rows)).not.toContain(second.body.secret.slice(6));
    expect((await api.call('POST', '/v1/projects/nope/secret')).status).toBe(404);
  });
});

describe('Rate limits', () => {
  it('responses carry RateLimit headers, and requests beyond the limit of a project are answered 429 with Retry-After', async () => {
    const key = await api.keyFor({ project: 'limited' });
    await api.call('PATCH', '/v1/projects/limited', { body: { limits: { requestsPerMinute: 3 } } });
    const ask = () => api.call('GET', '/v1/schedules', { key });
    const answers = [await ask(), await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const [first, , , last] = answers;
    expect(first?.headers.get('ratelimit-limit')).toBe('3');
    expect(first?.headers.get('ratelimit-remaining')).toBe('2');
    expect(first?.headers.get('ratelimit-policy')).toBe('3;w=60');
    expect(last?.headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(last?.headers.get('content-type')).toContain('application/problem+json');
    expect((await api.call('GET', '/v1/schedules')).status).toBe(200);
  });
});

describe('Audit log', () => {
  it('the audit log names the actor and the action, can be filtered by action and time, and is paged', async () => {
    const since = new Date(Date.now() - 1_000).toISOString();
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    await api.call('POST', `/v1/schedules/${id}/pause`, { body: { note: 'why' } });
    await api.call('POST', `/v1/schedules/${id}/resume`);
    const { body } = await api.call('GET', `/v1/audit?subject=${id}&from=${since}`);
    expect(body.items.map((entry: { action: string }) => entry.action)).toEqual([
      'schedule.resumed',
      'schedule.paused',
      'schedule.created',
    ]);
    expect(body.items[1]).toMatchObject({ actor: 'admin', subject: id, detail: { note: 'why' } });
    const paused = await api.call('GET', `/v1/audit?action=schedule.paused&limit=1`);
    expect(paused.body.items[0].subject).toBe(id);
    const page = await api.call('GET', `/v1/audit?subject=${id}&limit=2`);
    const rest = await api.call('GET', `/v1/audit?subject=${id}&limit=2&cursor=${page.body.nextCursor}`);
    expect(rest.body.items).toHaveLength(1);
    expect((await api.call('GET', `/v1/audit?to=2001-01-01T00:00:00Z`)).body.items).toEqual([]);
  });
});
