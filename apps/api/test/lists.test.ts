import type { ClaimedRun } from '@carillon/db';
import { insertSchedules, useEngine } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const engine = useEngine(api.database);
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
    ['order=next', ['invoice-acme-1', 'invoice-acme-2']],
    ['order=next&tag=eu', ['invoice-acme-1']],
    ['order=next&q=acme&target=queue', ['invoice-acme-2']],
    ['order=next&status=paused', []],
    ['dueBefore=2031-01-01T00:20:00Z', ['invoice-acme-1']],
    ['dueAfter=2031-01-01T00:10:00Z', ['invoice-acme-2']],
    ['dueAfter=2031-01-01T00:00:00Z&dueBefore=2031-01-01T00:15:00Z', ['invoice-acme-1']],
  ])('GET /v1/schedules?%s returns exactly the matching schedules', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'status=x',
    'cursor=x',
    'foo=1',
    'dueBefore=yesterday',
    'attention=x',
    'q=',
  ])('GET /v1/schedules?%s is refused', async (query) => {
    expect((await api.call('GET', `/v1/schedules?${query}`)).status).toBe(400);
  });

  it('paging through schedules returns each schedule exactly once, even while others are created and edited', async () => {
    const key = await api.keyFor({ project: 'paging' });
    const made: string[] = [];
    for (let i = 0; i < 25; i++) {
      const { body } = await api.call('POST', '/v1/schedules', { key, body: scheduleBody() });
      made.push(body.id);
    }
    const listedIds: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? 'limit=10' : `limit=10&cursor=${cursor}`;
      const { body } = await api.call('GET', `/v1/schedules?${query}`, { key });
      listedIds.push(...ids(body));
      cursor = body.nextCursor;
      // New schedules sort before the pages that are still to be read, and an edit does not change the order.
      await api.call('POST', '/v1/schedules', { key, body: scheduleBody() });
      await api.call('PATCH', `/v1/schedules/${made[3]}`, { key, body: { name: 'edited' } });
    }
    expect(listedIds).toEqual(made.toReversed());
  });

  it('paging through schedules by next run returns each schedule once, the soonest first', async () => {
    const key = await api.keyFor({ project: 'next' });
    for (const minute of [30, 10, 20, 10])
      await api.call('POST', '/v1/schedules', {
        key,
        body: scheduleBody({ id: undefined, rule: { at: `2031-01-01T00:${minute}:00Z` } }),
      });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await api.call('GET', `/v1/schedules?order=next&limit=1${cursor}`, { key });
      seen.push(...body.items.map(({ nextRunAt }: { nextRunAt: string }) => nextRunAt.slice(14, 16)));
      cursor = body.nextCursor === null ? null : `&cursor=${body.nextCursor}`;
    }
    expect(seen).toEqual(['10', '10', '20', '30']);
  });

  it('a cursor from the list of schedules by age is refused in the list of schedules by next run', async () => {
    const { body } = await api.call('GET', '/v1/schedules?limit=1');
    const { status } = await api.call('GET', `/v1/schedules?order=next&cursor=${body.nextCursor}`);
    expect(status).toBe(400);
  });
});

describe('Listing runs', () => {
  it('GET /v1/runs filters by schedule, status and time, and returns pages', async () => {
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
    expect((await api.call('GET', '/v1/runs/run_r1_-zzzzzzzzzz')).status).toBe(404);
    const cancelled = await api.call('POST', `/v1/runs/${run.id}/cancel`);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', reason: 'cancelled by admin' });
    expect((await api.call('POST', `/v1/runs/${run.id}/cancel`)).status).toBe(409);
    expect((await api.call('POST', `/v1/runs/${run.id}/replay`)).body.status).toBe('retrying');
  });

  it('GET /v1/runs lists runs by their last change, the latest first, both for a project and for one schedule', async () => {
    const key = await api.keyFor({ project: 'changing' });
    await api.call('POST', '/v1/schedules', { key, body: scheduleBody({ id: 'changing' }) });
    const made: string[] = [];
    for (let i = 0; i < 3; i++)
      made.push((await api.call('POST', '/v1/schedules/changing/trigger', { key })).body.runId);
    const listed = async (query = '') => ids((await api.call('GET', `/v1/runs${query}`, { key })).body);
    expect(await listed()).toEqual(made.toReversed());
    await api.call('POST', `/v1/runs/${made[0]}/cancel`, { key });
    expect(await listed()).toEqual([made[0], made[2], made[1]]);
    expect(await listed('?schedule=changing')).toEqual([made[0], made[2], made[1]]);
  });

  it('a page of filtered runs ends after 2,000 runs without a match, and its cursor leads to the next match', async () => {
    const [id] = await insertSchedules(api.database, [{ id: 'rarely-failing', rule: { every: 'PT1M' } }]);
    await api.database.pool.query(
      `insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, status, due_at, recorded_at,
         happened_at, attempt, failed_at, finished_at)
       select $1, at, 'rule', date_trunc('month', now() at time zone 'UTC')::date, 1, 1,
         (case n when 2500 then 'failed' else 'succeeded' end)::carillon.run_status, at, at, at, 1, case n when 2500 then at end, at
       from generate_series(1, 3000) as n, lateral (select now() - n * interval '1 minute' as at) as ran`,
      [id],
    );
    const query = '/v1/runs?schedule=rarely-failing&status=failed&limit=10';
    const first = (await api.call('GET', query)).body;
    expect(first.items).toEqual([]);
    const second = (await api.call('GET', `${query}&cursor=${first.nextCursor}`)).body;
    expect(second.items).toHaveLength(1);
    expect(second.nextCursor).toBeNull();
  });

  it('GET /v1/runs lists the latest change first: a run that failed now comes before a run that was skipped earlier, even if the skipped occurrence lies in the future', async () => {
    await api.call('POST', '/v1/schedules', {
      body: scheduleBody({
        id: 'tomorrow',
        rule: { cron: '0 9 * * *' },
        target: { type: 'handler', name: 'noop' },
      }),
    });
    await api.call('POST', '/v1/schedules/tomorrow/skip-next');
    const { runId } = (await api.call('POST', '/v1/schedules/tomorrow/trigger')).body;
    const now = Date.now() + 1_000;
    const [run] = (await engine.claim(now)).filter(({ scheduleKey }) => scheduleKey === 'tomorrow');
    const outcome = {
      kind: 'failed',
      isTransient: false,
      errorCode: 'error',
      error: 'failed on purpose',
    } as const;
    await engine.closeAll([{ run: run as ClaimedRun, outcome }], now);
    const { items } = (await api.call('GET', '/v1/runs?schedule=tomorrow')).body;
    expect(items.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [runId, 'failed'],
      [expect.any(String), 'skipped'],
    ]);
    expect(Date.parse(items[1].occurrenceAt)).toBeGreaterThan(Date.parse(items[0].occurrenceAt));
  });

  it.each([
    'x',
    '1:run_r1_0',
    '1:1/run_r1_0\0',
    '1:1\0/run_r1_0',
    '1:-1/run_r1_0',
    '1:1e3/run_r1_0',
    '1:1/run_x',
    `1:${'9'.repeat(16)}/run_r1_0`,
    '1:1/run_r1_-zzzzzzzzzz',
  ])('GET /v1/runs refuses a cursor that encodes %j', async (text) => {
    const cursor = Buffer.from(text).toString('base64url');
    expect((await api.call('GET', `/v1/runs?cursor=${cursor}`)).status).toBe(400);
  });
});
