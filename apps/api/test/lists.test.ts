import { insertSchedules } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const ids = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id);
const list = async (query: string) => ids((await api.call('GET', `/v1/schedules?${query}`)).body);

beforeAll(async () => {
  const at = (minute: number) => ({ at: `2031-01-01T00:${minute}:00Z` });
  await insertSchedules(api.database, [
    { id: 'invoice-acme-1', name: 'Invoice Reminder', tags: ['billing', 'eu'], rule: at(10) },
    {
      id: 'invoice-acme-2',
      name: '100%_sure',
      tags: ['billing'],
      rule: at(20),
      target: { type: 'queue', queue: 'q' },
    },
    {
      id: 'report',
      name: null,
      rule: at(30),
      target: { type: 'webhook', url: 'https://example.com', headers: {} },
    },
  ]);
  await api.call('POST', '/v1/schedules/report/pause');
});

describe('Listing schedules', () => {
  it.each([
    ['', ['report', 'invoice-acme-2', 'invoice-acme-1']],
    ['tag=billing', ['invoice-acme-2', 'invoice-acme-1']],
    ['tag=eu', ['invoice-acme-1']],
    ['status=paused', ['report']],
    ['status=active&tag=billing', ['invoice-acme-2', 'invoice-acme-1']],
    ['target=webhook', ['report']],
    ['q=REMIND', ['invoice-acme-1']],
    ['q=acme', ['invoice-acme-2', 'invoice-acme-1']],
    ['q=%25_', ['invoice-acme-2']],
    ['q=re', ['report', 'invoice-acme-1']],
    ['q=report', ['report']],
    ['q=nothing', []],
    ['dueBefore=2031-01-01T00:20:00Z', ['invoice-acme-1']],
    ['dueAfter=2031-01-01T00:10:00Z', ['invoice-acme-2']],
    ['dueAfter=2031-01-01T00:00:00Z&dueBefore=2031-01-01T00:15:00Z', ['invoice-acme-1']],
  ])('by %s', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  it.each(['limit=0', 'limit=1001', 'status=x', 'cursor=x', 'foo=1', 'dueBefore=yesterday', 'q='])(
    'refuses %s',
    async (query) => {
      expect((await api.call('GET', `/v1/schedules?${query}`)).status).toBe(400);
    },
  );

  it('page by page is complete and never twice, while rows come and go', async () => {
    const key = await api.keyFor({ project: 'paging' });
    const made: string[] = [];
    for (let i = 0; i < 25; i++) {
      const { body } = await api.call('POST', '/v1/schedules', { key, body: scheduleBody() });
      made.push(body.id);
    }
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? 'limit=10' : `limit=10&cursor=${cursor}`;
      const { body } = await api.call('GET', `/v1/schedules?${query}`, { key });
      found.push(...ids(body));
      cursor = body.nextCursor;
      // What comes meanwhile is newer than every page to come; what is edited keeps its place.
      await api.call('POST', '/v1/schedules', { key, body: scheduleBody() });
      await api.call('PATCH', `/v1/schedules/${made[3]}`, { key, body: { name: 'edited' } });
    }
    expect(found).toEqual(made.toReversed());
  });
});

describe('Listing runs', () => {
  it('by schedule, status and time, page by page', async () => {
    await api.call('POST', '/v1/schedules', { body: scheduleBody({ id: 'runs', rule: { every: 'PT1M' } }) });
    for (let i = 0; i < 5; i++) await api.call('POST', '/v1/schedules/runs/trigger');
    const first = (await api.call('GET', '/v1/runs?schedule=runs&limit=3')).body;
    const second = (await api.call('GET', `/v1/runs?schedule=runs&limit=3&cursor=${first.nextCursor}`)).body;
    expect([...ids(first), ...ids(second)]).toHaveLength(5);
    expect(new Set([...ids(first), ...ids(second)]).size).toBe(5);
    expect(second.nextCursor).toBeNull();
    expect((await api.call('GET', '/v1/runs?status=queued')).body.items).toHaveLength(5);
    expect((await api.call('GET', '/v1/runs?status=failed')).body.items).toEqual([]);
    expect((await api.call('GET', '/v1/runs?schedule=runs&to=2020-01-01T00:00:00Z')).body.items).toEqual([]);
    expect((await api.call('GET', '/v1/runs?schedule=nope')).body.items).toEqual([]);
    const run = (await api.call('GET', `/v1/runs/${ids(first)[0]}`)).body;
    expect(run).toMatchObject({ scheduleId: 'runs', status: 'queued', origin: 'trigger', attempts: [] });
    expect((await api.call('GET', '/v1/runs/run_r1_0')).status).toBe(404);
    const cancelled = await api.call('POST', `/v1/runs/${run.id}/cancel`);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', reason: 'cancelled by admin' });
    expect((await api.call('POST', `/v1/runs/${run.id}/cancel`)).status).toBe(409);
    expect((await api.call('POST', `/v1/runs/${run.id}/replay`)).body.status).toBe('retrying');
  });
});
