import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const count = async (key: string) => {
  const { rows } = await api.database.pool.query(
    'select count(*) as count from every_schedule where key = $1',
    [key],
  );
  return rows[0].count as number;
};

describe('Idempotency-Key', () => {
  it('repeats at once are one schedule and one answer', async () => {
    const headers = { 'idempotency-key': 'at-once' };
    // Without an id: were it done twice, there would be two.
    const body = { name: 'once', rule: { every: 'PT1H' } };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => api.call('POST', '/v1/schedules', { headers, body })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(11);
    expect(answers.every(({ headers }) => headers.get('etag') === '"1"')).toBe(true);
    expect((await api.call('GET', '/v1/schedules?q=once')).body.items).toHaveLength(1);
  });

  it('holds on every replica', async () => {
    const other = await api.replica();
    const headers = { 'idempotency-key': 'replicas' };
    const body = { rule: { every: 'PT1H' } };
    const first = await api.call('POST', '/v1/schedules', { headers, body });
    const second = await api.call('POST', `${other}/v1/schedules`, { headers, body });
    expect(second.text).toBe(first.text);
  });

  it('with another request is refused', async () => {
    const headers = { 'idempotency-key': 'another' };
    await api.call('POST', '/v1/schedules', { headers, body: scheduleBody({ id: 'x1' }) });
    const answer = await api.call('POST', '/v1/schedules', { headers, body: scheduleBody({ id: 'x2' }) });
    expect(answer.status).toBe(422);
    expect(await count('x2')).toBe(0);
  });

  it('whatever breaks before the end leaves neither the schedule nor the key', async () => {
    // The answer can't be kept: as good as a crash between doing and answering.
    await api.database.pool.query(`
      create function refuse_answer() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger broken before update on idempotency_keys for each row when (new.key = 'crash') execute function refuse_answer()`);
    const request = { headers: { 'idempotency-key': 'crash' }, body: scheduleBody({ id: 'crashed' }) };
    expect((await api.call('POST', '/v1/schedules', request)).status).toBe(500);
    expect(await count('crashed')).toBe(0);
    await api.database.pool.query('drop trigger broken on idempotency_keys');
    expect((await api.call('POST', '/v1/schedules', request)).status).toBe(201);
    expect(await count('crashed')).toBe(1);
  });

  it('a refusal uses no key up', async () => {
    const headers = { 'idempotency-key': 'refused' };
    const body = scheduleBody({ id: 'late' });
    expect((await api.call('POST', '/v1/schedules/late/trigger', { headers })).status).toBe(404);
    await api.call('POST', '/v1/schedules', { body });
    expect((await api.call('POST', '/v1/schedules/late/trigger', { headers })).status).toBe(200);
  });

  it('triggers once, however often it is asked', async () => {
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    const headers = { 'idempotency-key': 'trigger' };
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => api.call('POST', `/v1/schedules/${id}/trigger`, { headers })),
    );
    expect(new Set(answers.map(({ body }) => body.runId)).size).toBe(1);
    expect((await api.call('GET', `/v1/runs?schedule=${id}`)).body.items).toHaveLength(1);
  });

  it('after a day is a new one', async () => {
    const headers = { 'idempotency-key': 'old' };
    await api.call('POST', '/v1/schedules', { headers, body: scheduleBody() });
    await api.database.pool.query(
      `update idempotency_keys set created_at = now() - interval '25 hours' where key = 'old'`,
    );
    expect((await api.call('POST', '/v1/schedules', { headers, body: scheduleBody() })).status).toBe(201);
  });

  it.each(['', 'x'.repeat(256), 'a b'])('refuses the key %j', async (key) => {
    const answer = await api.call('POST', '/v1/schedules', {
      headers: { 'idempotency-key': key },
      body: scheduleBody(),
    });
    expect(answer.status).toBe(400);
  });
});
