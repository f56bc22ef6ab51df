import { describe, expect, it } from 'vitest';
import { NOOP, scheduleBody, useApi } from './use-api.js';

const api = useApi();
const count = async (key: string) => {
  const { rows } = await api.database.pool.query(
    'select count(*) as count from carillon.schedules where key = $1',
    [key],
  );
  return rows[0].count as number;
};

describe('Idempotency-Key', () => {
  it('concurrent requests with one Idempotency-Key create one schedule and get one response', async () => {
    const headers = { 'idempotency-key': 'at-once' };
    // The body has no id, so executing the request twice would create two schedules.
    const body = { name: 'once', rule: { every: 'PT1H' }, target: NOOP };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => api.call('POST', '/v1/schedules', { headers, body })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(11);
    expect(answers.every(({ headers }) => headers.get('etag') === '"1"')).toBe(true);
    expect((await api.call('GET', '/v1/schedules?q=once')).body.items).toHaveLength(1);
  });

  it('an Idempotency-Key that one API replica has seen is honoured by every other replica', async () => {
    const other = await api.replica();
    const headers = { 'idempotency-key': 'replicas' };
    const body = { rule: { every: 'PT1H' }, target: NOOP };
    const first = await api.call('POST', '/v1/schedules', { headers, body });
    const second = await api.call('POST', `${other}/v1/schedules`, { headers, body });
    expect(second.text).toBe(first.text);
  });

  it('a request that reuses the Idempotency-Key of a different request is answered 422', async () => {
    const headers = { 'idempotency-key': 'another' };
    await api.call('POST', '/v1/schedules', { headers, body: scheduleBody({ id: 'x1' }) });
    const answer = await api.call('POST', '/v1/schedules', { headers, body: scheduleBody({ id: 'x2' }) });
    expect(answer.status).toBe(422);
    expect(await count('x2')).toBe(0);
  });

  it('a request that fails before the commit stores neither the schedule nor its Idempotency-Key', async () => {
    // Storing the response fails, which has the same effect as a crash before the commit.
    await api.database.pool.query(`
      create function refuse_answer() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger broken before update on carillon.idempotency_keys for each row when (new.key = 'crash') execute function refuse_answer()`);
    const request = { headers: { 'idempotency-key': 'crash' }, body: scheduleBody({ id: 'crashed' }) };
    expect((await api.call('POST', '/v1/schedules', request)).status).toBe(500);
    expect(await count('crashed')).toBe(0);
    await api.database.pool.query('drop trigger broken on carillon.idempotency_keys');
    expect((await api.call('POST', '/v1/schedules', request)).status).toBe(201);
    expect(await count('crashed')).toBe(1);
  });

  it('an Idempotency-Key can be used again after a request that was refused', async () => {
    const headers = { 'idempotency-key': 'refused' };
    const body = scheduleBody({ id: 'late' });
    expect((await api.call('POST', '/v1/schedules/late/trigger', { headers })).status).toBe(404);
    await api.call('POST', '/v1/schedules', { body });
    expect((await api.call('POST', '/v1/schedules/late/trigger', { headers })).status).toBe(200);
  });

  it('repeated requests to start a run at once (POST /v1/schedules/:id/trigger) with one Idempotency-Key start one run', async () => {
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    const headers = { 'idempotency-key': 'trigger' };
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => api.call('POST', `/v1/schedules/${id}/trigger`, { headers })),
    );
    expect(new Set(answers.map(({ body }) => body.runId)).size).toBe(1);
    expect((await api.call('GET', `/v1/runs?schedule=${id}`)).body.items).toHaveLength(1);
  });

  it('concurrent PATCH requests with one Idempotency-Key edit the schedule once', async () => {
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    const headers = { 'idempotency-key': 'patch' };
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => api.call('PATCH', `/v1/schedules/${id}`, { headers, body: { name: 'edited' } })),
    );
    expect(answers.map(({ status, body }) => [status, body.version])).toEqual(
      [1, 2, 3, 4].map(() => [200, 2]),
    );
    expect((await api.call('GET', `/v1/schedules/${id}`)).body).toMatchObject({ name: 'edited', version: 2 });
  });

  it('an Idempotency-Key can be used for a different request a day after its first use', async () => {
    const headers = { 'idempotency-key': 'old' };
    await api.call('POST', '/v1/schedules', { headers, body: scheduleBody() });
    await api.database.pool.query(
      `update carillon.idempotency_keys set created_at = now() - interval '25 hours' where key = 'old'`,
    );
    expect((await api.call('POST', '/v1/schedules', { headers, body: scheduleBody() })).status).toBe(201);
  });

  it.each(['', 'x'.repeat(256), 'a b'])('the invalid Idempotency-Key %j is refused', async (key) => {
    const answer = await api.call('POST', '/v1/schedules', {
      headers: { 'idempotency-key': key },
      body: scheduleBody(),
    });
    expect(answer.status).toBe(400);
  });
});
