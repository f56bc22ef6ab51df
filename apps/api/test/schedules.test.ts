import { eventually, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { NOOP, scheduleBody, useApi } from './use-api.js';

const api = useApi();
const engine = useEngine(api.database);
const create = (body: Record<string, unknown>) => api.call('POST', '/v1/schedules', { body });
const edit = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  api.call('PATCH', `/v1/schedules/${id}`, { body, headers });

describe('Creating a schedule', () => {
  it('POST /v1/schedules answers 201 with the schedule and all defaults filled in', async () => {
    const { status, headers, body } = await create({
      id: 'invoice-42',
      name: 'Invoice reminder',
      tags: ['billing', 'a', 'billing'],
      rule: { cron: '0 9 * * 1-5' },
      timezone: 'America/New_York',
      target: { type: 'handler', name: 'log' },
      payload: { b: 1, a: [null, 'ü'] },
    });
    expect(status).toBe(201);
    expect(headers.get('etag')).toBe('"1"');
    expect(headers.get('location')).toBe('/v1/schedules/invoice-42');
    expect(body).toMatchObject({
      id: 'invoice-42',
      tags: ['a', 'billing'],
      status: 'active',
      version: 1,
      misfire: { policy: 'once', grace: 'PT1M', limit: 100 },
      retry: { maxAttempts: 3, baseDelay: 'PT1M', maxDelay: 'PT1H', jitter: true },
      target: { type: 'handler', name: 'log' },
      payload: { b: 1, a: [null, 'ü'] },
      runsTotal: 0,
      lastRunAt: null,
    });
    const { warnings, ...schedule } = body;
    expect(warnings).toEqual([]);
    expect((await api.call('GET', '/v1/schedules/invoice-42')).body).toEqual(schedule);
  });

  it('a repeated create with the same id and body returns the existing schedule, whatever the order of the fields', async () => {
    const body = scheduleBody({ payload: { a: 1, b: 2 } });
    const first = await create(body);
    const { id, ...rest } = body;
    const again = await create({ ...rest, payload: { b: 2, a: 1 }, id });
    expect(again.status).toBe(200);
    expect(again.body.createdAt).toBe(first.body.createdAt);
  });

  it('a create with the id of an existing schedule and a different body answers 409', async () => {
    const body = scheduleBody();
    await create(body);
    const answer = await create({ ...body, name: 'another' });
    expect(answer.status).toBe(409);
    expect(answer.body.detail).toContain('PATCH');
  });

  it.each([
    ['rule.cron', { rule: { cron: '0 25 * * *' } }, 'field 2 (hour) is 25; expected 0-23'],
    ['rule', { rule: {} }, 'expected exactly one of'],
    ['rule', { rule: undefined }, 'is missing'],
    ['rule.cron', { rule: { cron: '0 0 30 2 *' } }, 'never fires'],
    ['timezone', { timezone: 'Mars/Olympus' }, 'not a known time zone'],
    ['foo', { foo: 1 }, 'is not a known field'],
    ['retry.maxAttempts', { retry: { maxAttempts: 0 } }, 'expected number to be >=1'],
    ['target.type', { target: { type: 'carrier-pigeon' } }, 'expected one of webhook, queue, handler, call'],
    ['timeout', { timeout: '15s' }, 'ISO 8601 duration'],
    ['id', { id: 'a b' }, 'letters, digits'],
    ['id', { id: 'rem_mine' }, 'does not begin with "rem_" or "evt_"'],
    ['id', { id: 'evt_mine' }, 'does not begin with "rem_" or "evt_"'],
    ['name', { name: 'a\0b' }, 'NUL'],
    ['payload.x', { payload: { x: '\ud800' } }, 'surrogate'],
    ['secret', { secret: 'short' }, 'the base64 of'],
  ])(
    'a create with an invalid %s is refused, and the error says what is expected',
    async (field, more, message) => {
      const { status, body } = await create(scheduleBody(more));
      expect(status).toBe(400);
      expect(body.errors.map((error: { field: string }) => error.field)).toContain(field);
      expect(body.detail).toContain(message);
    },
  );

  it.each([
    ['is empty', '', 400],
    ['is half of a JSON text', '{"rule":', 400],
    ['has the key __proto__', '{"rule":{"every":"PT1H"},"payload":{"__proto__":{"a":1}}}', 400],
    [
      'nests its payload 5,000 levels deep',
      `{"rule":{"every":"PT1H"},"payload":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      400,
    ],
    ['has more than 256 KiB', JSON.stringify(scheduleBody({ payload: 'x'.repeat(257 * 1_024) })), 413],
  ])('a create is refused if its body %s', async (_what, body, status) => {
    const answer = await api.call('POST', '/v1/schedules', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it('a create whose content type is not JSON is refused with 415', async () => {
    const answer = await api.call('POST', '/v1/schedules', {
      body: 'rule=x',
      headers: { 'content-type': 'text/plain' },
    });
    expect(answer.status).toBe(415);
  });

  it('a schedule without a target uses the default target of its project', async () => {
    const key = await api.keyFor({ project: 'with-target' });
    const target = { type: 'queue', queue: 'with-target.theirs' };
    await api.call('PATCH', '/v1/projects/with-target', { body: { defaultTarget: target } });
    // The settings of the project are cached with its key for up to a second.
    const { body } = await eventually(async () => {
      const created = await api.call('POST', '/v1/schedules', { key, body: { rule: { every: 'PT1H' } } });
      return created.status === 201 && created;
    });
    expect(body.target).toEqual(target);
  });

  it('a create beyond the schedule limit of the project answers 409', async () => {
    const key = await api.keyFor({ project: 'small' });
    await api.call('PATCH', '/v1/projects/small', { body: { limits: { schedules: 2 } } });
    const body = { rule: { every: 'PT1H' }, target: NOOP };
    const make = () => api.call('POST', '/v1/schedules', { key, body });
    const statuses = [(await make()).status, (await make()).status, (await make()).status];
    expect(statuses).toEqual([201, 201, 409]);
    const bulk = await api.call('POST', '/v1/schedules/bulk', { key, body: { items: [scheduleBody()] } });
    expect(bulk.body.items[0]).toMatchObject({ result: 'over_limit' });
  });

  it('a repeated create returns the existing schedule even if the project is at its schedule limit', async () => {
    const key = await api.keyFor({ project: 'full' });
    await api.call('PATCH', '/v1/projects/full', { body: { limits: { schedules: 2 } } });
    const body = { ...scheduleBody(), id: 'the-first' };
    const once = { rule: { every: 'PT1H' }, target: NOOP };
    const headers = { 'idempotency-key': 'the-second' };
    const make = () => [
      api.call('POST', '/v1/schedules', { key, body }),
      api.call('POST', '/v1/schedules', { key, body: once, headers }),
    ];
    const statuses = async () => (await Promise.all(make())).map(({ status }) => status);
    expect(await statuses()).toEqual([201, 201]);
    expect(await statuses()).toEqual([200, 201]);
    const bulk = await api.call('POST', '/v1/schedules/bulk', {
      key,
      body: { items: [body, { ...body, id: 'a-third' }] },
    });
    expect(bulk.body.items).toMatchObject([{ result: 'existing' }, { result: 'over_limit' }]);
  });

  it('concurrent creates never exceed the schedule limit of the project', async () => {
    const key = await api.keyFor({ project: 'crowded' });
    await api.call('PATCH', '/v1/projects/crowded', { body: { limits: { schedules: 3 } } });
    const ways = ['/v1/schedules', '/v1/schedules', '/v1/schedules/bulk', '/v1/reminders', '/v1/users'];
    const bodies: Record<string, unknown> = {
      '/v1/schedules': { rule: { every: 'PT1H' }, target: NOOP },
      '/v1/schedules/bulk': { items: [scheduleBody(), scheduleBody()] },
      '/v1/reminders': { message: 'm', recipient: 'r', at: '2099-01-01T00:00:00Z' },
      '/v1/users': { firstName: 'A', lastName: 'B', dateOfBirth: '1990-05-05', timezone: 'UTC' },
    };
    const answers = await Promise.all(
      [...ways, ...ways, ...ways].map(async (path) => {
        const { status } = await api.call('POST', path, { key, body: bodies[path] });
        return { path, status };
      }),
    );
    expect(answers.filter(({ status }) => ![200, 201, 409].includes(status))).toEqual([]);
    const { body } = await api.call('GET', '/v1/schedules', { key });
    expect(body.items).toHaveLength(3);
    // A user whose birthday schedule is refused is not stored.
    const users = await api.call('GET', '/v1/users', { key });
    const welcomed = answers.filter(({ path, status }) => path === '/v1/users' && status === 201);
    expect(users.body.items).toHaveLength(welcomed.length);
  });
});

describe('Editing a schedule', () => {
  it('a PATCH changes the given fields and keeps all others, also the other fields inside retry and misfire', async () => {
    const { id } = (
      await create(scheduleBody({ name: 'before', retry: { maxAttempts: 5 }, payload: { a: 1 } }))
    ).body;
    const { status, headers, body } = await edit(id, { retry: { baseDelay: 'PT5S' }, tags: ['x'] });
    expect(status).toBe(200);
    expect(headers.get('etag')).toBe('"2"');
    expect(body).toMatchObject({
      name: 'before',
      version: 2,
      tags: ['x'],
      retry: { maxAttempts: 5, baseDelay: 'PT5S' },
      payload: { a: 1 },
      inFlight: [],
    });
  });

  it('PATCH /v1/schedules/:id with a stale If-Match answers 412 and changes nothing', async () => {
    const { id } = (await create(scheduleBody())).body;
    expect((await edit(id, { name: 'one' }, { 'if-match': '"1"' })).status).toBe(200);
    const stale = await edit(id, { name: 'two' }, { 'if-match': '"1"' });
    expect(stale.status).toBe(412);
    expect(stale.body.detail).toContain('version 2');
    expect((await api.call('GET', `/v1/schedules/${id}`)).body.name).toBe('one');
    expect((await edit(id, { name: 'two' }, { 'if-match': 'nonsense' })).status).toBe(400);
    expect((await edit(id, { name: 'two' })).status).toBe(200);
  });

  it('eight concurrent edits with the same If-Match: exactly one is applied, and the others are answered 412', async () => {
    const { id } = (await create(scheduleBody())).body;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => edit(id, { name: `n${i}` }, { 'if-match': '"1"' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412]);
  });

  it('concurrent edits of different fields without If-Match are all applied', async () => {
    const { id } = (await create(scheduleBody())).body;
    const patches = [{ name: 'n' }, { tags: ['t'] }, { timeout: 'PT5S' }, { payload: { a: 1 } }];
    const answers = await Promise.all(patches.map((patch) => edit(id, patch)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { body } = await api.call('GET', `/v1/schedules/${id}`);
    expect(body).toMatchObject({ version: 5, ...Object.assign({}, ...patches) });
  });

  it('an edit that does not change the timing keeps the next occurrence', async () => {
    const { id, nextRunAt } = (await create(scheduleBody({ rule: { every: 'PT1H' } }))).body;
    expect((await edit(id, { name: 'renamed', timeout: 'PT5S' })).body.nextRunAt).toBe(nextRunAt);
    const { at } = { at: '2031-05-06T07:08:09.000Z' };
    await api.call('POST', `/v1/schedules/${id}/reschedule`, { body: { at } });
    expect((await edit(id, { name: 'again', jitter: 'PT10S' })).body.nextRunAt).toBe(at);
  });

  it('a new time zone does not move the next run of an interval, and a new cron rule uses the new time zone', async () => {
    const { id, nextRunAt } = (await create(scheduleBody({ rule: { every: 'PT1H' } }))).body;
    expect((await edit(id, { timezone: 'Asia/Tokyo' })).body.nextRunAt).toBe(nextRunAt);
    const { body } = await edit(id, { rule: { cron: '30 8 * * *' } });
    expect(body.nextRunAt).toMatch(/T23:30:00.000Z$/);
  });

  it('a new time zone moves a one-shot at a local time, but not a one-shot at an instant', async () => {
    const local = (
      await create(scheduleBody({ rule: { at: '2031-01-01T09:00:00' }, timezone: 'Europe/Berlin' }))
    ).body;
    expect((await edit(local.id, { timezone: 'Asia/Tokyo' })).body.nextRunAt).toBe(
      '2031-01-01T00:00:00.000Z',
    );
    const soon = (await create(scheduleBody({ rule: { in: 'PT1H' } }))).body;
    expect((await edit(soon.id, { timezone: 'Asia/Tokyo' })).body.nextRunAt).toBe(soon.nextRunAt);
  });

  it('a new rule with future occurrences reactivates a finished schedule', async () => {
    const { id } = (await create(scheduleBody({ rule: { at: '2031-01-01T00:00:00Z' } }))).body;
    await api.call('POST', `/v1/schedules/${id}/skip-next`);
    expect((await edit(id, { name: 'still finished' })).body).toMatchObject({
      status: 'finished',
      nextRunAt: null,
    });
    expect((await edit(id, { rule: { at: '2032-01-01T00:00:00Z' } })).body).toMatchObject({
      status: 'active',
      nextRunAt: '2032-01-01T00:00:00.000Z',
    });
  });

  it('a schedule that has used up maxRuns accepts a new rule and stays finished', async () => {
    const { id } = (await create(scheduleBody({ rule: { at: '2020-01-01T00:00:00Z' }, maxRuns: 1 }))).body;
    await engine.claim(Date.now());
    const { status, body } = await edit(id, { rule: { every: 'PT1H' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'finished', nextRunAt: null, runsTotal: 1 });
    expect((await edit(id, { maxRuns: 2 })).body).toMatchObject({ status: 'active', runsTotal: 1 });
  });

  it('a one-shot that has fired can be renamed, but an edit after which it would never fire again is refused', async () => {
    const { id } = (await create(scheduleBody({ rule: { at: '2020-01-01T00:00:00Z' } }))).body;
    await engine.claim(Date.now());
    const { status, body } = await edit(id, { timezone: 'Asia/Tokyo' });
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      {
        field: 'rule',
        code: 'invalid_value',
        message: 'this rule never fires again; use DELETE to end a schedule',
      },
    ]);
    expect((await edit(id, { name: 'renamed' })).body).toMatchObject({ status: 'finished', name: 'renamed' });
  });

  it('an edit keeps a paused schedule paused', async () => {
    const { id } = (await create(scheduleBody())).body;
    await api.call('POST', `/v1/schedules/${id}/pause`, { body: { note: 'why' } });
    const { body } = await edit(id, { rule: { every: 'PT5M' } });
    expect(body).toMatchObject({ status: 'paused', nextRunAt: null, pause: { note: 'why', by: 'admin' } });
  });

  it.each([
    ['rule.cron', { rule: { cron: 'x' } }],
    ['id', { id: 'other' }],
    ['version', { version: 3 }],
    ['rule', { endAt: '2001-01-01T00:00:00Z', startAt: null }],
  ])('PATCH /v1/schedules/:id refuses an invalid %s', async (_field, body) => {
    const { id } = (await create(scheduleBody())).body;
    expect((await edit(id, body)).status).toBe(400);
    expect((await api.call('GET', `/v1/schedules/${id}`)).body.version).toBe(1);
  });

  it('PATCH /v1/schedules/:id refuses to edit a cancelled schedule', async () => {
    const { id } = (await create(scheduleBody())).body;
    await api.call('DELETE', `/v1/schedules/${id}`);
    expect((await edit(id, { name: 'x' })).status).toBe(409);
  });
});

describe('Cancelling', () => {
  it('DELETE /v1/schedules/:id answers with the cancelled schedule, and a repeat gets the same response', async () => {
    const { id } = (await create(scheduleBody())).body;
    const first = await api.call('DELETE', `/v1/schedules/${id}`);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ id, status: 'cancelled', nextRunAt: null, inFlight: [] });
    expect((await api.call('DELETE', `/v1/schedules/${id}`)).body.status).toBe('cancelled');
  });

  it('DELETE /v1/schedules/:id of a one-shot whose run waits for a retry cancels the run', async () => {
    const { id } = (await create(scheduleBody({ rule: { at: '2020-01-01T00:00:00Z' } }))).body;
    const isOurs = ({ scheduleKey }: { scheduleKey: string }) => scheduleKey === id;
    const [run] = (await engine.claim(Date.now())).filter(isOurs);
    if (!run) throw new Error('the one-shot was not claimed');
    await engine.fail(run, Date.now());
    const runs = async () => (await api.call('GET', `/v1/runs?schedule=${id}`)).body.items;
    expect(await runs()).toMatchObject([{ status: 'retrying', nextRetryAt: expect.any(String) }]);
    const { status, body } = await api.call('DELETE', `/v1/schedules/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'cancelled', inFlight: [] });
    expect(await runs()).toMatchObject([
      { status: 'cancelled', nextRetryAt: null, reason: 'its schedule was cancelled by admin' },
    ]);
    expect((await engine.claim(Date.now() + 86_400_000)).filter(isOurs)).toEqual([]);
  });

  it('DELETE /v1/schedules/:id of a one-shot whose run is in flight lists the run as inFlight; the run may end, but is not retried', async () => {
    const { id } = (await create(scheduleBody({ rule: { at: '2020-01-01T00:00:00Z' } }))).body;
    const isOurs = ({ scheduleKey }: { scheduleKey: string }) => scheduleKey === id;
    const [run] = (await engine.claim(Date.now())).filter(isOurs);
    if (!run) throw new Error('the one-shot was not claimed');
    const { status, body } = await api.call('DELETE', `/v1/schedules/${id}`);
    expect(status).toBe(200);
    expect(body.inFlight).toEqual([expect.stringMatching(/^run_r/)]);
    expect(await engine.fail(run, Date.now())).toBe(1);
    expect((await engine.claim(Date.now() + 86_400_000)).filter(isOurs)).toEqual([]);
    expect((await api.call('GET', `/v1/runs/${body.inFlight[0]}`)).body.status).toBe('cancelled');
  });

  it('DELETE /v1/schedules/:id with a stale If-Match answers 412 and changes nothing', async () => {
    const { id } = (await create(scheduleBody())).body;
    const answer = await api.call('DELETE', `/v1/schedules/${id}`, { headers: { 'if-match': '"9"' } });
    expect(answer.status).toBe(412);
  });
});

describe('Actions', () => {
  it('pause, resume, trigger, reschedule, skip-next and backfill answer with the new state of the schedule', async () => {
    const { id } = (await create(scheduleBody())).body;
    const act = (action: string, body?: unknown) =>
      api.call('POST', `/v1/schedules/${id}/${action}`, { body });
    const until = '2031-01-01T00:00:00.000Z';
    expect((await act('pause', { note: 'n', until })).body).toMatchObject({
      status: 'paused',
      pause: { note: 'n', until },
    });
    expect((await act('resume')).body).toMatchObject({ status: 'active', pause: null, version: 3 });
    expect((await act('resume')).status).toBe(409);
    expect((await act('trigger', {})).body.runId).toMatch(/^run_t/);
    expect((await act('reschedule', { at: until })).body.nextRunAt).toBe(until);
    expect((await act('skip-next')).body.skipped).toMatch(/-01-01T09:00:00.000Z$/);
    const range = { from: '2020-01-01T00:00:00Z', to: '2022-12-31T00:00:00Z' };
    expect((await act('backfill', range)).body.backfilled).toBe(3);
    expect((await act('backfill', { from: range.to, to: range.from })).status).toBe(400);
    expect((await act('reschedule', {})).status).toBe(400);
    expect((await act('pause', { foo: 1 })).status).toBe(400);
  });
});
