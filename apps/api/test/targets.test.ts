import { SecretBox } from '@carillon/db';
import { QUEUES } from '@carillon/queue';
import type { ScheduleInput } from '@carillon/shared';
import { eventually, insertSchedules, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const engine = useEngine(api.database);
const box = new SecretBox(Buffer.alloc(32, 7).toString('base64'));

const queue = (name: string) => ({ type: 'queue', queue: name });
const handler = (name: string) => ({ type: 'handler', name });
const CALL = { type: 'call', number: '+441632960000' };
const OTHER = { type: 'handler', name: 'noop' };

const create = (target: unknown, key?: string) =>
  api.call('POST', '/v1/schedules', { body: scheduleBody({ target }), ...(key ? { key } : {}) });

describe('Targets that a project may use', () => {
  it.each([QUEUES.bells, QUEUES.ticks, QUEUES.requests, QUEUES.rejected])(
    'Carillon’s own queue %s is refused as a target for every key and in every request',
    async (name) => {
      const { body: made } = await create(OTHER);
      const person = { firstName: 'A', lastName: 'B', dateOfBirth: '1990-01-01', timezone: 'UTC' };
      const answers = [
        await create(queue(name)),
        await api.call('PATCH', `/v1/schedules/${made.id}`, { body: { target: queue(name) } }),
        await api.call('PATCH', '/v1/projects/default', { body: { defaultTarget: queue(name) } }),
        await api.call('POST', '/v1/users', { body: { ...person, target: queue(name) } }),
      ];
      for (const { status, text } of answers) {
        expect(status).toBe(400);
        expect(text).toContain('is one of Carillon’s own queues');
      }
    },
  );

  it('a project other than default may target only its own queues and built-in handlers, unless its limits allow more', async () => {
    const key = await api.keyFor({ project: 'tenant' });
    const refused = [queue('schedule-due'), queue('default.x'), handler('import'), CALL];
    for (const target of refused) {
      const { status, body } = await create(target, key);
      expect([status, body.errors[0].field]).toEqual([400, expect.stringMatching(/^target\./)]);
      expect(body.detail).toContain('project tenant may');
    }
    expect((await create(queue('tenant.due'), key)).status).toBe(201);
    const { body: made } = await create(handler('log'), key);
    const edit = (target: unknown) =>
      api.call('PATCH', `/v1/schedules/${made.id}`, { key, body: { target } });
    expect((await edit(handler('import'))).status).toBe(400);
    const limits = { queues: ['schedule-due'], handlers: ['import'], calls: true };
    const { body: project } = await api.call('PATCH', '/v1/projects/tenant', { body: { limits } });
    expect(project.limits).toMatchObject(limits);
    // The limits of the project are cached with its key for up to a second.
    await eventually(async () => (await create(queue('schedule-due'), key)).status === 201);
    for (const target of [handler('import'), CALL]) expect((await create(target, key)).status).toBe(201);
    expect((await edit(handler('import'))).status).toBe(200);
    expect((await create(handler('export'), key)).status).toBe(400);
  });

  it('a target that the limits of a project do not allow is refused in an item of a bulk create, and in a new reminder, task or user', async () => {
    const key = await api.keyFor({ project: 'tenant2' });
    const items = [scheduleBody({ target: CALL }), scheduleBody({ target: queue('tenant2.x') })];
    const bulk = await api.call('POST', '/v1/schedules/bulk', { key, body: { items } });
    expect(bulk.body.items.map(({ result }: { result: string }) => result)).toEqual(['invalid', 'created']);
    const target = handler('import');
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const person = { firstName: 'A', lastName: 'B', dateOfBirth: '1990-01-01', timezone: 'UTC' };
    const answers = [
      await api.call('POST', '/v1/reminders', {
        key,
        body: { message: 'x', recipient: 'y', at: soon, target },
      }),
      await api.call('POST', '/v1/tasks', { key, body: { title: 'x', dueAt: soon, target } }),
      await api.call('POST', '/v1/users', { key, body: { ...person, target } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  });

  it('the default target of a project is refused if the limits in the same request do not allow it', async () => {
    const make = (id: string, limits: object) =>
      api.call('POST', '/v1/projects', { body: { id, defaultTarget: handler('import'), limits } });
    expect((await make('denied', {})).body.errors[0].field).toBe('defaultTarget.name');
    expect((await api.call('GET', '/v1/projects?limit=1000')).text).not.toContain('"denied"');
    expect((await make('granted', { handlers: ['import'] })).status).toBe(201);
    const patch = (body: object) => api.call('PATCH', '/v1/projects/granted', { body });
    expect((await patch({ limits: {} })).status).toBe(400);
    expect((await patch({ limits: {}, defaultTarget: null })).status).toBe(200);
  });
});

const TOKEN = 'Bearer very-secret-token-4711';
const webhook = (more: object = {}) => ({
  type: 'webhook',
  url: 'https://example.com/hook',
  headers: { Authorization: TOKEN, 'X-Tenant': 'acme' },
  ...more,
});
const REDACTED = { Authorization: '•••', 'X-Tenant': '•••' };

/** The text of every row of a table. */
const dump = async (table: string) => {
  const { rows } = await api.database.pool.query(`select t::text as row from carillon.${table} t`);
  return rows.map(({ row }) => row).join('\n');
};

const storedHeader = async (id: string) => {
  const { rows } = await api.database.pool.query(
    'select plan, project_id as "projectId" from carillon.schedules where key = $1',
    [id],
  );
  const { target } = JSON.parse(rows[0].plan);
  return box.openText(target.headers.Authorization, rows[0].projectId);
};

describe('Headers of a target', () => {
  it('header values of targets are encrypted at rest and redacted in every response', async () => {
    const { body: made } = await create(webhook());
    expect(made.target.headers).toEqual(REDACTED);
    const key = await api.keyFor({ scopes: ['read'] });
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const target = webhook();
    await api.call('POST', '/v1/reminders', { body: { message: 'x', recipient: 'y', at: soon, target } });
    await api.call('POST', '/v1/tasks', { body: { title: 'x', dueAt: soon, target } });
    const person = { firstName: 'A', lastName: 'B', dateOfBirth: '1990-01-01', timezone: 'UTC' };
    await api.call('POST', '/v1/users', { body: { ...person, target } });
    await api.call('POST', '/v1/projects', { body: { id: 'headed', defaultTarget: target } });
    await api.call('POST', '/v1/schedules', {
      body: scheduleBody({ target }),
      headers: { 'idempotency-key': 'once' },
    });
    await api.call('PATCH', `/v1/schedules/${made.id}`, { body: { name: 'renamed' } });
    for (const path of ['schedules', `schedules/${made.id}`, 'reminders', 'tasks', 'users', 'audit']) {
      const { status, text } = await api.call('GET', `/v1/${path}`, { key });
      expect(status).toBe(200);
      expect(text).not.toContain('4711');
    }
    expect((await api.call('GET', '/v1/projects')).text).not.toContain('4711');
    const tables = [
      'schedules',
      'schedule_versions',
      'tasks',
      'users',
      'projects',
      'audit_log',
      'idempotency_keys',
    ];
    for (const table of tables) {
      const text = await dump(table);
      expect(text.length).toBeGreaterThan(0);
      expect(text).not.toContain('4711');
    }
    expect(await storedHeader(made.id)).toBe(TOKEN);
  });

  it('a PATCH that sends a redacted header back keeps the stored value, and any other value replaces it', async () => {
    const { body: made } = await create(webhook());
    const patch = (body: object) => api.call('PATCH', `/v1/schedules/${made.id}`, { body });
    const moved = { ...made.target, url: 'https://example.com/elsewhere' };
    const { body: edited } = await patch({ target: moved });
    expect(edited.target).toEqual({ ...moved, headers: REDACTED });
    expect(await storedHeader(made.id)).toBe(TOKEN);
    await patch({ target: { ...moved, headers: { authorization: '•••', 'X-New': '1' } } });
    const { body: read } = await api.call('GET', `/v1/schedules/${made.id}`);
    expect(read.target.headers).toEqual({ authorization: '•••', 'X-New': '•••' });
    await patch({ target: { ...moved, headers: { Authorization: 'Bearer other' } } });
    expect(await storedHeader(made.id)).toBe('Bearer other');
    // Renaming the schedule leaves the target alone.
    await patch({ name: 'renamed', rule: { cron: '0 8 1 1 *' } });
    expect(await storedHeader(made.id)).toBe('Bearer other');
  });

  it('a redacted header is refused if no value is stored for it, or if the URL changes to another origin', async () => {
    expect((await create(webhook({ headers: REDACTED }))).body.errors[0]).toMatchObject({
      field: 'target.headers.Authorization',
      message: 'is redacted; send the value itself',
    });
    const { body: made } = await create(webhook());
    const stolen = { ...made.target, url: 'https://evil.example/' };
    const { status, body } = await api.call('PATCH', `/v1/schedules/${made.id}`, {
      body: { target: stolen },
    });
    expect(status).toBe(400);
    expect(body.detail).toContain('another origin');
  });

  it('an edit of a user, a task or a default target that sends redacted headers back keeps the stored values', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const { body: task } = await api.call('POST', '/v1/tasks', {
      body: { title: 'x', dueAt: soon, target: webhook() },
    });
    const edited = await api.call('PUT', `/v1/tasks/${task.id}`, {
      body: { title: 'y', target: task.target },
    });
    expect(edited.body).toMatchObject({ title: 'y', target: { headers: REDACTED } });
    const person = { firstName: 'A', lastName: 'B', dateOfBirth: '1990-01-01', timezone: 'UTC' };
    const { body: user } = await api.call('POST', '/v1/users', { body: { ...person, target: webhook() } });
    expect((await api.call('PUT', `/v1/users/${user.id}`, { body: { target: user.target } })).status).toBe(
      200,
    );
    const { body: project } = await api.call('POST', '/v1/projects', {
      body: { id: 'kept', defaultTarget: webhook() },
    });
    const patched = await api.call('PATCH', '/v1/projects/kept', {
      body: { defaultTarget: project.defaultTarget },
    });
    expect(patched.body.defaultTarget.headers).toEqual(REDACTED);
    const { rows } = await api.database.pool.query(
      `select p.id, p.default_target as target from carillon.projects p where key = 'kept'
       union all select t.project_id, t.target from carillon.tasks t where t.key = '${task.id}'
       union all select u.project_id, u.target from carillon.users u where u.key = '${user.id}'`,
    );
    expect(rows.map(({ id, target }) => box.openText(target.headers.Authorization, id))).toEqual([
      TOKEN,
      TOKEN,
      TOKEN,
    ]);
  });

  it('a schedule without a target uses the project’s default target with its encrypted headers', async () => {
    await api.call('POST', '/v1/projects', { body: { id: 'inherits', defaultTarget: webhook() } });
    const key = await api.keyFor({ project: 'inherits' });
    const body = { id: 'inherited', rule: { cron: '0 9 1 1 *' } };
    const { body: made } = await api.call('POST', '/v1/schedules', { key, body });
    expect(made.target.headers).toEqual(REDACTED);
    expect(await storedHeader('inherited')).toBe(TOKEN);
  });

  it('a repeated create with the same target headers returns the schedule, and one with other headers is answered 409', async () => {
    const body = scheduleBody({ target: webhook() });
    const statuses = [];
    for (const target of [webhook(), webhook(), webhook({ headers: { Authorization: 'x' } })])
      statuses.push((await api.call('POST', '/v1/schedules', { body: { ...body, target } })).status);
    expect(statuses).toEqual([201, 200, 409]);
  });

  it('a time-out beyond the maximum is refused for webhooks and calls, and accepted for handlers', async () => {
    const webhook = { type: 'webhook', url: 'https://example.com/' };
    const create = (target: object, timeout: string) =>
      api.call('POST', '/v1/schedules', { body: scheduleBody({ target, timeout }) });
    for (const target of [webhook, CALL]) {
      const { status, body } = await create(target, 'PT24H');
      expect([status, body.errors[0].field]).toEqual([400, 'timeout']);
      expect((await create(target, 'PT15M')).status).toBe(201);
    }
    const { status, body: made } = await create(OTHER, 'PT24H');
    expect(status).toBe(201);
    const edited = await api.call('PATCH', `/v1/schedules/${made.id}`, { body: { target: webhook } });
    expect(edited.status).toBe(400);
  });
});

describe('The result of an attempt', () => {
  it('GET /v1/runs/:id shows the stored text of an attempt as its result if the target is a handler, and as its response for any other target', async () => {
    const nowAt = Date.now();
    const rule = { at: new Date(nowAt).toISOString() };
    const targets = { handled: OTHER, pinged: { type: 'heartbeat' } };
    const inputs = Object.entries(targets).map(([id, target]) => ({ id, rule, target }) as ScheduleInput);
    await insertSchedules(api.database, inputs, { nowAt: nowAt - 1_000 });
    const answer = { httpStatus: null, response: '{"value":3}', externalId: null };
    const ended = (await engine.claim(nowAt)).map((run) => ({
      run,
      outcome: { kind: 'succeeded' as const, answer },
    }));
    await engine.closeAll(ended, nowAt);
    const attemptOf = async (id: string) => {
      const [run] = (await api.call('GET', `/v1/runs?schedule=${id}`)).body.items;
      return (await api.call('GET', `/v1/runs/${run.id}`)).body.attempts[0];
    };
    expect(await attemptOf('handled')).toMatchObject({ response: null, result: 3 });
    expect(await attemptOf('pinged')).toMatchObject({ response: '{"value":3}', result: null });
  });
});
