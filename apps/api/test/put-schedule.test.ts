import { insertSchedules, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const engine = useEngine(api.database);
const create = (body: Record<string, unknown>) => api.call('POST', '/v1/schedules', { body });
const put = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  api.call('PUT', `/v1/schedules/${id}`, { body, headers });
const read = (id: string) => api.call('GET', `/v1/schedules/${id}`);
const remove = (id: string, query = '') => api.call('DELETE', `/v1/schedules/${id}${query}`);
const definition = (more: Record<string, unknown> = {}) => {
  const { id, ...rest } = scheduleBody(more);
  return { id, body: rest };
};

describe('PUT /v1/schedules/:id', () => {
  it('a PUT of a new schedule answers 201; a second PUT answers 200 and resets omitted fields to their defaults', async () => {
    const { id, body } = definition({ name: 'First', timeout: 'PT30S', tags: ['a'] });
    const created = await put(id, body);
    expect(created.status).toBe(201);
    expect(created.headers.get('etag')).toBe('"1"');
    expect(created.headers.get('location')).toBe(`/v1/schedules/${id}`);
    expect(created.body).toMatchObject({ id, name: 'First', version: 1, inFlight: [], warnings: [] });
    const replaced = await put(id, { rule: { every: 'PT2H' }, target: body.target });
    expect(replaced.status).toBe(200);
    expect(replaced.body).toMatchObject({ name: null, timeout: 'PT15S', tags: [], version: 2 });
    const { inFlight, warnings, ...schedule } = replaced.body;
    expect((await read(id)).body).toEqual(schedule);
    const versions = await api.call('GET', `/v1/schedules/${id}/versions`);
    expect(versions.body.items).toHaveLength(2);
  });

  it('a PUT of the same definition keeps the version and the next run of a schedule', async () => {
    const { id, body } = definition({ rule: { every: 'PT1H' }, payload: { a: 1 } });
    const created = await put(id, body);
    const again = await put(id, { ...body, id });
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ version: 1, nextRunAt: created.body.nextRunAt });
    expect((await put(id, { ...body, payload: { a: 2 } })).body.version).toBe(2);
  });

  it('a PUT with If-Match replaces only the given version, and a PUT with If-None-Match: * never replaces a schedule', async () => {
    const { id, body } = definition();
    expect((await put(id, body, { 'if-match': '"1"' })).status).toBe(412);
    expect((await put(id, body, { 'if-none-match': '*' })).status).toBe(201);
    const refused = await put(id, { ...body, name: 'x' }, { 'if-none-match': '*' });
    expect(refused.status).toBe(412);
    expect(refused.body.code).toBe('stale_version');
    expect((await put(id, { ...body, name: 'x' }, { 'if-match': '"2"' })).status).toBe(412);
    expect((await put(id, { ...body, name: 'x' }, { 'if-match': '"1"' })).body.version).toBe(2);
    expect((await put(id, { ...body, name: 'y' }, { 'if-match': '*' })).body.version).toBe(3);
    expect((await put(id, body, { 'if-none-match': '"3"' })).body.code).toBe('invalid_header');
  });

  it('a PUT is refused if the id in its body differs from the path, or if the id has a reserved prefix', async () => {
    const { id, body } = definition();
    const other = await put(id, { ...body, id: 'other' });
    expect(other.status).toBe(400);
    expect(other.body.errors[0]).toMatchObject({ field: 'id', message: expect.stringContaining(id) });
    expect((await put('rem_mine', body)).status).toBe(400);
  });

  it('a PUT of a paused schedule leaves it paused, and keeps its secret if the body has none', async () => {
    const { id, body } = definition({ secret: `whsec_${btoa('x'.repeat(32))}` });
    await put(id, body);
    await api.call('POST', `/v1/schedules/${id}/pause`, { body: { note: 'held' } });
    const { secret: _, ...rest } = body;
    const replaced = await put(id, { ...rest, name: 'renamed' });
    expect(replaced.body).toMatchObject({ status: 'paused', pause: { note: 'held' } });
    const secrets = () =>
      api.database.pool.query(
        `select from carillon.webhook_secrets w join carillon.schedules s on s.id = w.schedule_id where s.key = $1`,
        [id],
      );
    expect((await secrets()).rowCount).toBe(1);
  });

  it('four concurrent PUTs with one new id make one schedule, and all four are applied, one after the other', async () => {
    const { id, body } = definition();
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, i) => put(id, { ...body, name: `writer ${i}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    expect((await read(id)).body.version).toBe(4);
  });

  it('a repeated PUT with the same Idempotency-Key replaces the definition once', async () => {
    const { id, body } = definition();
    await put(id, body);
    const headers = { 'idempotency-key': `put-${id}` };
    const first = await put(id, { ...body, name: 'once' }, headers);
    const again = await put(id, { ...body, name: 'once' }, headers);
    expect([first.body.version, again.body.version]).toEqual([2, 2]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('a POST with the body of the last PUT answers 200 as a repeat; a POST with an earlier body answers 409', async () => {
    const { id, body } = definition();
    await put(id, body);
    await put(id, { ...body, name: 'second' });
    expect((await create({ ...body, id, name: 'second' })).status).toBe(200);
    expect((await create({ ...body, id })).status).toBe(409);
  });
});

describe('The id of a cancelled schedule', () => {
  it('a create with the id of a cancelled schedule answers 409 and says what to do, even if the body is the same', async () => {
    const body = scheduleBody();
    await create(body);
    await remove(body.id);
    for (const again of [body, { ...body, name: 'another' }]) {
      const answer = await create(again);
      expect(answer.status).toBe(409);
      expect(answer.body.code).toBe('schedule_cancelled');
      expect(answer.body.detail).toContain(`PUT /v1/schedules/${body.id}`);
      expect(answer.body.detail).toContain('purge=true');
    }
    const bulk = await api.call('POST', '/v1/schedules/bulk', { body: { items: [body] } });
    expect(bulk.body).toMatchObject({ existing: 0, refused: 1 });
    expect(bulk.body.items[0]).toMatchObject({ result: 'conflict', errors: [{ field: 'id' }] });
  });

  it('a PUT with the id of a cancelled schedule starts it again, and keeps its history', async () => {
    const nowAt = Date.now();
    const [scheduleId] = await insertSchedules(
      api.database,
      [{ id: 'revived', rule: { every: 'PT1M' }, maxRuns: 1, target: { type: 'handler', name: 'noop' } }],
      { nowAt: nowAt - 120_000 },
    );
    const [run] = await engine.claim(nowAt);
    if (run) await engine.succeed(run, nowAt);
    await put('revived', { rule: { every: 'PT1H' }, target: { type: 'handler', name: 'noop' } });
    await remove('revived');
    const revived = await put('revived', {
      rule: { every: 'PT1H' },
      maxRuns: 1,
      target: { type: 'handler', name: 'noop' },
    });
    expect(revived.status).toBe(200);
    expect(revived.body).toMatchObject({ status: 'active', runsTotal: 0, version: 4 });
    expect(Date.parse(revived.body.nextRunAt)).toBeGreaterThan(nowAt);
    expect((await engine.runsOf(scheduleId ?? 0)).length).toBeGreaterThan(0);
    const audit = await api.call('GET', '/v1/audit?action=schedule.replaced');
    expect(audit.body.items[0]).toMatchObject({ subject: 'revived', detail: { isRevived: true } });
  });

  it('a PUT does not restart a cancelled schedule if the project is at its schedule limit', async () => {
    const key = await api.keyFor({ project: 'tiny' });
    await api.call('PATCH', '/v1/projects/tiny', { body: { limits: { schedules: 1 } } });
    const { id, body } = definition();
    const putHere = () => api.call('PUT', `/v1/schedules/${id}`, { key, body });
    expect((await putHere()).status).toBe(201);
    await api.call('DELETE', `/v1/schedules/${id}`, { key });
    const other = definition();
    expect((await api.call('PUT', `/v1/schedules/${other.id}`, { key, body: other.body })).status).toBe(201);
    expect((await putHere()).body.code).toBe('schedule_limit_reached');
  });
});

describe('DELETE /v1/schedules/:id?purge=true', () => {
  it('DELETE with purge=true removes a schedule and everything that is stored about it, and its id can be used again', async () => {
    const body = scheduleBody({
      secret: `whsec_${btoa('x'.repeat(32))}`,
      slo: { startWithin: 'PT1M' },
    });
    await create(body);
    const { id } = (
      await api.database.pool.query('select id from carillon.schedules where key = $1', [body.id])
    ).rows[0];
    for (const statement of [
      `insert into carillon.pings (project_id, schedule_id, kind, at) values (1, $1, 'success', now())`,
      `insert into carillon.ping_tokens (schedule_id, project_id, generation) values ($1, 1, 2)`,
      `insert into carillon.gaps (schedule_id, project_id, from_at, to_at, count, reason_code, reason, version)
       values ($1, 1, now(), now(), 1, 'misfire', 'missed', 1)`,
      `insert into carillon.deferrals (schedule_id, occurrence_at, origin, attempt, reason_code, project_id, reason, from_at, until_at)
       values ($1, now(), 'rule', 1, 'circuit_open', 1, 'open', now(), now())`,
    ])
      await api.database.pool.query(statement, [id]);
    await api.call('PATCH', `/v1/schedules/${body.id}`, { body: { name: 'v2' } });
    const { runId } = (await api.call('POST', `/v1/schedules/${body.id}/trigger`)).body;
    const purged = await remove(body.id, '?purge=true');
    expect(purged.status).toBe(200);
    expect(purged.body).toMatchObject({ id: body.id, status: 'cancelled', nextRunAt: null, purged: true });
    expect((await read(body.id)).status).toBe(404);
    expect((await api.call('GET', `/v1/runs/${runId}`)).status).toBe(404);
    expect((await remove(body.id, '?purge=true')).status).toBe(404);
    const { rows: tables } = await api.database.pool.query<{ name: string }>(
      `select c.table_name as name from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = 'carillon' and c.column_name = 'schedule_id' and t.table_type = 'BASE TABLE'`,
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const kept = await api.database.pool.query(`select from carillon.${name} where schedule_id = $1`, [id]);
      expect({ name, rows: kept.rowCount }).toEqual({ name, rows: 0 });
    }
    expect((await create(body)).status).toBe(201);
    const audit = await api.call('GET', '/v1/audit?action=schedule.purged');
    expect(audit.body.items[0]).toMatchObject({ subject: body.id });
  });

  it('DELETE with purge=true is refused while a run of the schedule is in flight, and succeeds after the run has ended', async () => {
    const nowAt = Date.now();
    await insertSchedules(
      api.database,
      [
        {
          id: 'busy',
          rule: { at: new Date(nowAt - 1_000).toISOString() },
          target: { type: 'handler', name: 'noop' },
        },
      ],
      { nowAt: nowAt - 5_000 },
    );
    const runs = await engine.claim(nowAt);
    const run = runs.find(({ scheduleKey }) => scheduleKey === 'busy');
    const refused = await remove('busy', '?purge=true');
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain('in flight');
    expect((await read('busy')).status).toBe(200);
    for (const each of runs) await engine.succeed(each, nowAt);
    expect(run).toBeDefined();
    expect((await remove('busy', '?purge=true')).body).toMatchObject({ purged: true });
  });

  it('DELETE with purge=true honours If-Match, and any value of purge other than true or false is refused', async () => {
    const body = scheduleBody();
    await create(body);
    const stale = await api.call('DELETE', `/v1/schedules/${body.id}?purge=true`, {
      headers: { 'if-match': '"7"' },
    });
    expect(stale.status).toBe(412);
    expect((await remove(body.id, '?purge=maybe')).status).toBe(400);
    expect((await read(body.id)).body.status).toBe('active');
  });
});

describe('A schedule without a target', () => {
  it('a create without a target is refused if the project has no default target, and the error names the field', async () => {
    const answers = await Promise.all([
      create({ rule: { every: 'PT1H' } }),
      put('untargeted', { rule: { every: 'PT1H' } }),
      create({ template: 'hourly' }),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBe(400);
      expect(body.errors[0]).toMatchObject({ field: 'target', code: 'missing' });
      expect(body.errors[0].message).toContain('default target');
    }
    const bulk = await api.call('POST', '/v1/schedules/bulk', {
      body: { items: [{ rule: { every: 'PT1H' } }] },
    });
    expect(bulk.body.items[0]).toMatchObject({ result: 'invalid', errors: [{ field: 'target' }] });
  });
});
