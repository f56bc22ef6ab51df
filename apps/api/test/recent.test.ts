import { useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const engine = useEngine(api.database);

describe('GET /v1/schedules?include=recent', () => {
  it('GET /v1/schedules?include=recent adds the latest 30 runs of each schedule, newest first', async () => {
    const [busy, idle] = [scheduleBody(), scheduleBody()];
    for (const body of [busy, idle]) await api.call('POST', '/v1/schedules', { body });
    const runIds: string[] = [];
    for (let n = 0; n < 32; n++) {
      const { body } = await api.call('POST', `/v1/schedules/${busy.id}/trigger`);
      runIds.push(body.runId);
    }
    const claimed = await engine.claim(Date.now());
    const [failed] = claimed;
    if (!failed) throw new Error('nothing was claimed');
    for (const run of claimed.slice(1)) await engine.succeed(run, Date.now());
    const { body } = await api.call('GET', '/v1/schedules?include=recent');
    const listed = new Map(
      body.items.map((item: { id: string; recent: { runId: string; status: string }[] }) => [
        item.id,
        item.recent,
      ]),
    ) as Map<string, { runId: string; status: string; at: string; origin: string }[]>;
    expect(listed.get(idle.id)).toEqual([]);
    const recent = listed.get(busy.id) ?? [];
    expect(recent.map(({ runId }) => runId)).toEqual(runIds.reverse().slice(0, 30));
    expect(recent[0]).toMatchObject({ origin: 'trigger', status: 'succeeded' });
    expect((await api.call('GET', `/v1/runs/${recent[0]?.runId}`)).status).toBe(200);
  });

  it('GET /v1/schedules?include=recent describes the rule of each schedule in words', async () => {
    const { id } = scheduleBody();
    const rule = { cron: '0 9 * * 1-5' };
    await api.call('POST', '/v1/schedules', { body: scheduleBody({ id, rule, timezone: 'Europe/Berlin' }) });
    const { body } = await api.call('GET', `/v1/schedules?include=recent&q=${id}`);
    expect(body.items[0].text).toBe('at 09:00 on weekdays, Berlin time');
  });

  it('GET /v1/schedules lists no runs without include=recent, and refuses any other include', async () => {
    const { body } = await api.call('GET', '/v1/schedules');
    expect(body.items[0]).not.toHaveProperty('recent');
    expect((await api.call('GET', '/v1/schedules?include=everything')).status).toBe(400);
  });

  it('GET /v1/schedules?include=recent shows only schedules of the caller’s own project', async () => {
    const key = await api.keyFor({ project: 'other', scopes: ['read'] });
    expect((await api.call('GET', '/v1/schedules?include=recent', { key })).body.items).toEqual([]);
  });
});
