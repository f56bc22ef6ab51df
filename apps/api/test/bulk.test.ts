import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const bulk = (items: unknown[], headers: Record<string, string> = {}) =>
  api.call('POST', '/v1/schedules/bulk', { body: { items }, headers });
const act = (body: Record<string, unknown>) => api.call('POST', '/v1/schedules/actions', { body });

describe('Creating in bulk', () => {
  it('has a result for each, in order, and what is wrong with one keeps no other out', async () => {
    const taken = scheduleBody();
    await api.call('POST', '/v1/schedules', { body: taken });
    const { status, body } = await bulk([
      scheduleBody({ id: 'bulk-1' }),
      { id: 'bulk-2', rule: { cron: '99 * * * *' } },
      taken,
      { ...taken, name: 'another' },
      'not even an object',
      scheduleBody({ id: 'bulk-3' }),
      { ...scheduleBody(), id: 'bulk-3' },
      { rule: { every: 'PT1H' } },
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ created: 3, existing: 2, refused: 3 });
    expect(body.items.map((item: { result: string }) => item.result)).toEqual([
      'created',
      'invalid',
      'existing',
      'conflict',
      'invalid',
      'created',
      'existing',
      'created',
    ]);
    expect(body.items.map((item: { index: number }) => item.index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(body.items[1].errors[0]).toMatchObject({ field: 'rule.cron' });
    expect(body.items[7].id).toMatch(/^sch_/);
    expect((await api.call('GET', '/v1/schedules/bulk-3')).body.nextRunAt).toBe(body.items[5].nextRunAt);
  });

  it('takes ten thousand in one call', async () => {
    const items = Array.from({ length: 10_000 }, (_, i) => ({
      id: `herd-${i}`,
      rule: { in: 'PT2H' },
      tags: ['herd'],
    }));
    const { body } = await bulk(items);
    expect(body.created).toBe(10_000);
    expect((await act({ action: 'pause', filter: { tag: 'herd' }, dryRun: true })).body).toMatchObject({
      matched: 10_000,
      changed: 0,
    });
  });

  it.each([
    ['none', []],
    ['more than ten thousand', Array.from({ length: 10_001 }, () => ({}))],
  ])('refuses %s', async (_what, items) => {
    expect((await bulk(items)).status).toBe(400);
  });

  it('with an Idempotency-Key is done once', async () => {
    const items = [{ rule: { every: 'PT1H' } }, { rule: { every: 'PT2H' } }];
    const first = await bulk(items, { 'idempotency-key': 'b' });
    expect((await bulk(items, { 'idempotency-key': 'b' })).body).toEqual(first.body);
  });
});

describe('Acting on all that match', () => {
  it('does to each what would be done to one, and says how many', async () => {
    await bulk([1, 2, 3].map((n) => scheduleBody({ id: `act-${n}`, tags: ['act'] })));
    await api.call('DELETE', '/v1/schedules/act-3');
    const dry = await act({ action: 'pause', filter: { tag: 'act' }, dryRun: true });
    expect(dry.body).toMatchObject({ matched: 3, changed: 0, dryRun: true });
    const { body } = await act({ action: 'pause', filter: { tag: 'act' }, note: 'incident 7' });
    expect(body).toMatchObject({ matched: 3, changed: 2, refused: 1, nextCursor: null });
    expect(body.refusals).toEqual([{ id: 'act-3', reason: expect.stringContaining('cancelled') }]);
    expect((await api.call('GET', '/v1/schedules/act-1')).body.pause).toMatchObject({
      note: 'incident 7',
      by: 'admin',
    });
    expect((await act({ action: 'resume', filter: { tag: 'act', status: 'paused' } })).body.changed).toBe(2);
    expect((await act({ action: 'trigger', filter: { q: 'act-1' } })).body.changed).toBe(1);
    expect((await act({ action: 'cancel', filter: { tag: 'act', status: 'active' } })).body.changed).toBe(2);
  });

  it('pauses and cancels more than a thousand in one go, with all that belongs to it', async () => {
    const tags = ['stop'];
    await bulk(Array.from({ length: 1_200 }, (_, i) => ({ id: `stop-${i}`, rule: { in: 'PT2H' }, tags })));
    await api.call('POST', '/v1/schedules/stop-7/trigger');
    const until = '2031-01-01T00:00:00.000Z';
    const paused = await act({ action: 'pause', filter: { tag: 'stop' }, note: 'all of them', until });
    expect(paused.body).toMatchObject({ matched: 1_200, changed: 1_200, refused: 0 });
    const one = (await api.call('GET', '/v1/schedules/stop-7')).body;
    expect(one).toMatchObject({
      status: 'paused',
      version: 2,
      pause: { by: 'admin', note: 'all of them', until },
    });
    const [run] = (await api.call('GET', '/v1/runs?schedule=stop-7')).body.items;
    expect(run).toMatchObject({ status: 'queued', nextRetryAt: null });
    const cancelled = await act({ action: 'cancel', filter: { tag: 'stop' } });
    expect(cancelled.body).toMatchObject({ changed: 1_200, refused: 0 });
    expect((await api.call('GET', `/v1/runs/${run.id}`)).body).toMatchObject({
      status: 'cancelled',
      reason: 'its schedule was cancelled by admin',
    });
    const { items } = (await api.call('GET', '/v1/audit?subject=stop-7')).body;
    expect(items.map((entry: { action: string }) => entry.action)).toEqual([
      'schedule.cancelled',
      'schedule.paused',
      'schedule.triggered',
      'schedule.created',
    ]);
    expect((await act({ action: 'cancel', filter: { tag: 'stop' } })).body).toMatchObject({
      changed: 0,
      refused: 1_200,
    });
  });

  it('cancels what is overdue one by one, so that it is accounted for', async () => {
    await bulk([scheduleBody({ id: 'overdue', rule: { at: '2020-01-01T00:00:00Z' }, tags: ['late'] })]);
    expect((await act({ action: 'cancel', filter: { tag: 'late' } })).body.changed).toBe(1);
    expect((await api.call('GET', '/v1/runs?schedule=overdue')).body.items).toMatchObject([
      { status: 'skipped' },
    ]);
  });

  it('cancels what was put off one by one too: its rule had named it', async () => {
    await bulk([scheduleBody({ id: 'put-off', rule: { at: '2020-01-01T00:00:00Z' }, tags: ['put-off'] })]);
    const later = { at: '2031-01-01T00:00:00Z' };
    expect((await api.call('POST', '/v1/schedules/put-off/reschedule', { body: later })).status).toBe(200);
    expect((await act({ action: 'cancel', filter: { tag: 'put-off' } })).body.changed).toBe(1);
    expect((await api.call('GET', '/v1/runs?schedule=put-off')).body.items).toMatchObject([
      { status: 'skipped', occurrenceAt: '2020-01-01T00:00:00.000Z' },
    ]);
  });

  it.each([
    ['an unknown action', { action: 'explode' }],
    ['an unknown filter', { action: 'pause', filter: { colour: 'red' } }],
    ['a field that the action does not take', { action: 'resume', note: 'x' }],
    ['reschedule without a time', { action: 'reschedule' }],
    ['a cursor of nobody', { action: 'pause', cursor: 'x' }],
  ])('refuses %s', async (_what, body) => {
    expect((await act(body)).status).toBe(400);
  });
});
