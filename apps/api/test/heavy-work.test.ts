import { eventually } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();

/** Counts transactions that wait for a lock. */
const blocked = async () => {
  const { rows } = await api.database.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
};

describe('Heavy work', () => {
  it('30 concurrent backfills of one project: two run at a time, eight wait, twenty get 429, and another project is served meanwhile', async () => {
    const [attacker, other] = [
      await api.keyFor({ project: 'attacker' }),
      await api.keyFor({ project: 'other' }),
    ];
    const create = async (key: string) =>
      (await api.call('POST', '/v1/schedules', { key, body: scheduleBody({ rule: { every: 'PT1H' } }) })).body
        .id;
    const [attacked, own] = [await create(attacker), await create(other)];
    const range = { from: '2030-01-01T00:00:00Z', to: '2030-01-02T00:00:00Z' };
    const backfill = (id: string, key: string) =>
      api.call('POST', `/v1/schedules/${id}/backfill`, { key, body: range });

    const lock = await api.database.pool.connect();
    try {
      await lock.query('begin');
      await lock.query('select from carillon.schedules where key = $1 for update', [attacked]);
      const answers = Array.from({ length: 30 }, () => backfill(attacked, attacker));
      let refused = 0;
      for (const answer of answers) answer.then(({ status }) => (refused += status === 429 ? 1 : 0));
      await eventually(async () => refused === 20 && (await blocked()) === 2);

      expect((await backfill(own, other)).status).toBe(200);
      expect((await api.call('GET', '/v1/schedules', { key: other })).status).toBe(200);
      expect(await blocked()).toBe(2);

      await lock.query('commit');
      const all = await Promise.all(answers);
      expect(all.filter(({ status }) => status === 200)).toHaveLength(10);
      for (const { headers, body } of all.filter(({ status }) => status === 429)) {
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(body.code).toBe('too_many_bulk_requests');
      }
    } finally {
      lock.release();
    }
  });

  it('bulk creates with an invalid body do not use up the limit of concurrent heavy requests', async () => {
    for (let i = 0; i < 20; i++)
      expect((await api.call('POST', '/v1/schedules/bulk', { body: { items: 'none' } })).status).toBe(400);
    const { status } = await api.call('POST', '/v1/schedules/bulk', { body: { items: [scheduleBody()] } });
    expect(status).toBe(200);
  });
});
