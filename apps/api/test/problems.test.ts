import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { PROBLEM_CODES, PROBLEMS } from '@carillon/shared';
import { ADMIN_KEY, eventually, TcpProxy } from '@carillon/testkit';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { renderProblemMarkdown } from '../src/pages/problems.js';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const proxies: TcpProxy[] = [];
afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())));

describe('Problems', () => {
  it('docs/problems.md is up to date with the problems that the API defines', () => {
    const file = new URL('../../../docs/problems.md', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(renderProblemMarkdown());
  });

  it.each(PROBLEM_CODES)(
    '/problems/%s is an HTML page without script that explains this problem',
    async (code) => {
      const page = await api.call('GET', `/problems/${code}`, { key: null });
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(page.text).toContain(PROBLEMS[code].title);
      expect(page.text).not.toContain('<script');
      const list = await api.call('GET', '/problems', { key: null });
      expect(list.text).toContain(`href="problems/${code}"`);
    },
  );

  it.each([
    ['invalid_request', 'POST', '/v1/schedules', { body: {} }],
    ['invalid_json', 'POST', '/v1/schedules', { body: '{' }],
    ['invalid_json', 'POST', '/v1/schedules', { body: '{"__proto__":{}}' }],
    [
      'invalid_header',
      'POST',
      '/v1/schedules',
      { body: scheduleBody(), headers: { 'idempotency-key': 'a b' } },
    ],
    ['missing_key', 'GET', '/v1/schedules', { key: null }],
    ['invalid_key', 'GET', '/v1/schedules', { key: 'ck_unknown' }],
    ['route_not_found', 'GET', '/v1/nothing', {}],
    ['not_found', 'GET', '/v1/schedules/nothing', {}],
    ['invalid_state', 'DELETE', '/v1/templates/hourly', {}],
    ['body_too_large', 'POST', '/v1/schedules', { body: JSON.stringify('x'.repeat(300_000)) }],
    ['unsupported_media_type', 'POST', '/v1/schedules', { body: 'x', headers: { 'content-type': 'text/x' } }],
  ] as const)(
    'the type of the problem %s, as answered to %s %s, is the path of the page that explains the problem',
    async (code, method, path, options) => {
      const { status, body } = await api.call(method, path, options);
      expect(body).toMatchObject({ code, type: `/problems/${code}`, title: PROBLEMS[code].title });
      expect([status, body.status]).toEqual([PROBLEMS[code].status, PROBLEMS[code].status]);
      expect((await api.call('GET', body.type, { key: null })).status).toBe(200);
    },
  );

  it('each field error has a code: missing, unknown_field or invalid_value', async () => {
    const body = { rule: { cron: '0 25 * * *' }, target: { type: 'handler', name: 'noop' } };
    const codes = async (more: object) =>
      (await api.call('POST', '/v1/schedules', { body: { ...body, ...more } })).body.errors.map(
        ({ code }: { code: string }) => code,
      );
    expect(await codes({})).toEqual(['invalid_value']);
    expect(await codes({ colour: 'red' })).toEqual(['unknown_field']);
    expect(await codes({ target: { type: 'handler' } })).toEqual(['missing']);
  });

  it('if Postgres is unreachable when a request is authenticated, the API answers database_unavailable', async () => {
    const proxy = await TcpProxy.before(api.database.url);
    proxies.push(proxy);
    const url = await api.replica({ DATABASE_URL: proxy.url(api.database.url) });
    proxy.refuse();
    const { body, status } = await api.call('POST', `${url}/v1/schedules`, { body: scheduleBody() });
    expect([status, body.code]).toEqual([503, 'database_unavailable']);
  });

  it('if the connection to Postgres breaks during a change, the API answers outcome_unknown', async () => {
    const proxy = await TcpProxy.before(api.database.url);
    proxies.push(proxy);
    const url = await api.replica({ DATABASE_URL: proxy.url(api.database.url) });
    const { pool } = api.database;
    const blocker = await pool.connect();
    await blocker.query('begin');
    await blocker.query('lock table schedules in exclusive mode');
    const answer = api.call('POST', `${url}/v1/schedules`, { body: scheduleBody() });
    const isBlocked = () =>
      pool.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
    await eventually(async () => ((await isBlocked()).rowCount ?? 0) > 0);
    proxy.refuse();
    const { body, status } = await answer;
    await blocker.query('rollback');
    blocker.release();
    expect([status, body.code]).toEqual([503, 'outcome_unknown']);
  });

  it('if the connection to Postgres breaks when a ping or a sign-in commits, the API answers outcome_unknown, although the write was made', async () => {
    const proxy = await TcpProxy.before(api.database.url);
    proxies.push(proxy);
    const url = await api.replica({ DATABASE_URL: proxy.url(api.database.url) });
    const target = { type: 'heartbeat' };
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody({ target }) })).body;
    const heartbeat = async () => (await api.call('GET', `/v1/schedules/${id}/heartbeat`)).body;
    const count = async (table: string) =>
      Number((await api.database.pool.query(`select count(*) from carillon.${table}`)).rows[0].count);
    const pingPath = new URL((await heartbeat()).url).pathname;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const [table, method, path, options] of [
      ['pings', 'GET', pingPath, {}],
      ['pings', 'POST', `${pingPath}/fail`, {}],
      ['sessions', 'POST', '/v1/session', { body: { key: ADMIN_KEY } }],
      ['sessions', 'POST', '/sign-in', { body: `key=${ADMIN_KEY}`, headers: form }],
    ] as const) {
      const before = await count(table);
      // Postgres executes the statement, and the API never gets the answer.
      proxy.ambush({ bytes: Buffer.from(`insert into carillon.${table}`), isDelivered: true, times: 1 });
      const { body, status } = await api.call(method, `${url}${path}`, { key: null, ...options });
      expect([path, status, body.code]).toEqual([path, 503, 'outcome_unknown']);
      await eventually(async () => (await count(table)) === before + 1);
    }
  });

  it.each([
    ['a preview of a rule', '/v1/rules/preview', { rule: { cron: '0 9 * * *' }, calendars: ['days'] }],
    ['a simulation', '/v1/simulate', {}],
    ['a plan', '/v1/schedules/plan', { items: [scheduleBody({ calendars: ['days'] })] }],
    ['a dry run of a bulk action', '/v1/schedules/actions', { action: 'pause', filter: {}, dryRun: true }],
    ['a dry run of a replay', '/v1/runs/replay', { dryRun: true }],
  ])(
    'if the connection to Postgres breaks during %s, the API answers database_unavailable, because the request writes nothing',
    async (_what, path, body) => {
      const proxy = await TcpProxy.before(api.database.url);
      proxies.push(proxy);
      const url = await api.replica({ DATABASE_URL: proxy.url(api.database.url) });
      expect((await api.call('PUT', '/v1/calendars/days', { body: { dates: ['2030-01-01'] } })).status).toBe(
        200,
      );
      // The key is in the cache of the replica then, so that the query which fails is one of the route.
      expect((await api.call('GET', `${url}/v1/me`)).status).toBe(200);
      const ended = await api.call('POST', `${url}${path}`, { body });
      expect([path, ended.status, ended.text]).toEqual([path, 200, expect.any(String)]);
      proxy.refuse();
      const { body: problem, status } = await api.call('POST', `${url}${path}`, { body });
      expect([status, problem.code]).toEqual([503, 'database_unavailable']);
    },
  );

  it('a request whose query does not end is answered with database_unavailable within 15 s', async () => {
    const blocker = await api.database.pool.connect();
    onTestFinished(() => blocker.release(true));
    await blocker.query('begin; lock table carillon.templates in access exclusive mode');
    const leaseExpired = setTimeout(15_000, 'the lease has expired', { ref: false });
    const answer = api.call('GET', '/v1/templates').then(({ body }) => body.code);
    expect(await Promise.race([answer, leaseExpired])).toBe('database_unavailable');
  });
});
