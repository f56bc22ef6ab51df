import { ADMIN_KEY, eventually } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { NOOP, scheduleBody, useApi } from './use-api.js';

const api = useApi();
const bulk = (items: unknown[], headers: Record<string, string> = {}) =>
  api.call('POST', '/v1/schedules/bulk', { body: { items }, headers });
const act = (body: Record<string, unknown>) => api.call('POST', '/v1/schedules/actions', { body });

describe('Creating in bulk', () => {
  it('a bulk create of rules that are slow to evaluate does not block other requests', async () => {
    const rrule = (count: number) =>
      `DTSTART:19000101T000000Z\nRRULE:FREQ=DAILY;BYHOUR=1,5;BYMINUTE=0,1;BYSETPOS=1;COUNT=${count}`;
    const items = Array.from({ length: 100 }, (_, i) => scheduleBody({ rule: { rrule: rrule(47_000 + i) } }));
    let isDone = false;
    const creating = bulk(items).finally(() => {
      isDone = true;
    });
    let answeredMeanwhile = 0;
    while (!isDone) {
      expect((await api.call('GET', '/health/live', { key: null })).status).toBe(200);
      if (!isDone) answeredMeanwhile++;
    }
    expect((await creating).body).toMatchObject({ created: items.length });
    expect(answeredMeanwhile).toBeGreaterThan(10);
  });

  it('a bulk create returns one result per item, in order, and creates the valid items even if others are invalid', async () => {
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
      { rule: { every: 'PT1H' }, target: NOOP },
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

  it('a bulk create accepts 10,000 schedules in one call', async () => {
    const items = Array.from({ length: 10_000 }, (_, i) => ({
      id: `herd-${i}`,
      rule: { in: 'PT2H' },
      target: NOOP,
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
    ['no', []],
    ['10,001', Array.from({ length: 10_001 }, () => ({}))],
  ])('a bulk create of %s schedules is refused', async (_what, items) => {
    expect((await bulk(items)).status).toBe(400);
  });

  it('a bulk create that is repeated with the same Idempotency-Key is executed once', async () => {
    const items = [
      { rule: { every: 'PT1H' }, target: NOOP },
      { rule: { every: 'PT2H' }, target: NOOP },
    ];
    const first = await bulk(items, { 'idempotency-key': 'b' });
    expect((await bulk(items, { 'idempotency-key': 'b' })).body).toEqual(first.body);
  });
});

describe('Bulk actions', () => {
  it('a bulk action changes every matching schedule and reports the counts', async () => {
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

  it('a bulk pause or cancel of more than 1,000 schedules has the same effect on each schedule, its runs and its audit log as a request for this schedule alone', async () => {
    const tags = ['stop'];
    await bulk(
      Array.from({ length: 1_200 }, (_, i) => ({
        id: `stop-${i}`,
        rule: { in: 'PT2H' },
        target: NOOP,
        tags,
      })),
    );
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

  it('a dry run of a bulk action counts the matching schedules and how often they fire in the next 24 hours, and changes nothing', async () => {
    const tags = ['dry'];
    await bulk([
      { id: 'dry-hourly', name: 'Hourly', rule: { cron: '0 * * * *' }, target: NOOP, tags },
      { id: 'dry-once', rule: { in: 'PT2H' }, target: NOOP, tags },
      { id: 'dry-twice', rule: { cron: '0 * * * *' }, maxRuns: 2, target: NOOP, tags },
      { id: 'dry-far', rule: { at: '2040-01-01T00:00:00Z' }, target: NOOP, tags },
      { id: 'dry-other', rule: { in: 'PT2H' }, target: NOOP },
    ]);
    const { body } = await act({ action: 'cancel', filter: { tag: 'dry' }, dryRun: true });
    expect(body).toMatchObject({ id: null, matched: 4, changed: 0, nextCursor: null });
    expect(body.preview.next24h).toEqual({ fires: 24 + 1 + 2, complete: true });
    const ids = body.preview.examples.map(({ id }: { id: string }) => id);
    expect(ids.sort()).toEqual(['dry-far', 'dry-hourly', 'dry-once', 'dry-twice']);
    expect((await api.call('GET', '/v1/schedules/dry-once')).body.status).toBe('active');
  });

  it('the progress of a bulk action can be read by its id, but not with a key of another project', async () => {
    await bulk([1, 2, 3].map((n) => scheduleBody({ id: `progress-${n}`, tags: ['progress'] })));
    await api.call('DELETE', '/v1/schedules/progress-3');
    const { body } = await act({ action: 'pause', filter: { tag: 'progress' } });
    const read = await api.call('GET', `/v1/schedules/actions/${body.id}`);
    expect(read.body).toMatchObject({
      id: body.id,
      action: 'pause',
      actor: 'admin',
      status: 'done',
      matched: 3,
      changed: 2,
      refused: 1,
      refusals: [{ id: 'progress-3' }],
      nextCursor: null,
      error: null,
    });
    const key = await api.keyFor({ project: 'stranger' });
    expect((await api.call('GET', `/v1/schedules/actions/${body.id}`, { key })).status).toBe(404);
  });

  it('a bulk action with `background` is answered 202 at once, and continues until it has changed every matching schedule', async () => {
    const tags = ['background'];
    await bulk(
      Array.from({ length: 1_100 }, (_, i) => ({ id: `bg-${i}`, rule: { in: 'PT2H' }, target: NOOP, tags })),
    );
    const { status, body, headers } = await act({
      action: 'pause',
      filter: { tag: 'background' },
      background: true,
    });
    expect([status, body.matched, headers.get('location')]).toEqual([
      202,
      1_100,
      `/v1/schedules/actions/${body.id}`,
    ]);
    const done = await eventually(async () => {
      const progress = (await api.call('GET', `/v1/schedules/actions/${body.id}`)).body;
      expect(progress.total).toBe(1_100);
      return progress.status !== 'running' && progress;
    });
    expect(done).toMatchObject({ status: 'done', matched: 1_100, changed: 1_100, nextCursor: null });
    expect((await api.call('GET', '/v1/schedules/bg-1099')).body.status).toBe('paused');
  });

  it('a bulk action whose API replica was killed is shown as lost, with a cursor from which a new action can continue', async () => {
    const tags = ['lost'];
    await bulk([1, 2, 3].map((n) => scheduleBody({ id: `lost-${n}`, tags })));
    const { body } = await act({ action: 'pause', filter: { q: 'lost-3' } });
    const { pool } = api.database;
    // The row now looks as if the replica had been killed after it had changed the newest schedule.
    await pool.query(
      `update carillon.bulk_actions set finished_at = null, reported_at = clock_timestamp() - interval '2 minutes',
         last_id = (select id from carillon.schedules where key = 'lost-3') where id = $1`,
      [body.id],
    );
    const lost = (await api.call('GET', `/v1/schedules/actions/${body.id}`)).body;
    expect(lost.status).toBe('lost');
    const rest = await act({ action: 'pause', filter: { tag: 'lost' }, cursor: lost.nextCursor });
    expect(rest.body).toMatchObject({ matched: 2, changed: 2 });
  });

  it('a bulk resume, trigger, skip-next or reschedule has the same effect on each schedule, its runs and its audit log as a request for this schedule alone', async () => {
    const tags = ['alike'];
    const more = { tags, target: NOOP };
    const ids = ['alike-one', 'alike-two'];
    await bulk([
      ...ids.map((id) => ({ id, rule: { every: 'PT1H' }, ...more })),
      ...ids.map((id) => ({ id: `${id}-queued`, rule: { every: 'PT1H' }, overlap: 'queue', ...more })),
      { id: 'alike-once', rule: { in: 'PT2H' }, ...more },
    ]);
    const single = async (id: string, action: string, body?: object) =>
      api.call('POST', `/v1/schedules/${id}/${action}`, body ? { body } : {});
    /**
     * The state, the runs and the audit log of a schedule, without the fields that differ between any two schedules.
     */
    const stateOf = async (id: string) => {
      const { body } = await api.call('GET', `/v1/schedules/${id}`);
      const runs = (await api.call('GET', `/v1/runs?schedule=${id}`)).body.items;
      const audit = (await api.call('GET', `/v1/audit?subject=${id}`)).body.items;
      return {
        ...{ status: body.status, version: body.version, runsTotal: body.runsTotal, pause: body.pause },
        runs: runs.map(({ status, origin, reason }: Record<string, unknown>) => ({ status, origin, reason })),
        audit: audit.map(({ action, detail }: { action: string; detail: object | null }) => [
          action,
          Object.keys(detail ?? {}),
        ]),
      };
    };
    const at = new Date(Date.now() + 86_400_000).toISOString();
    for (const [action, body] of [
      ['trigger'],
      ['trigger'],
      ['skip-next'],
      ['reschedule', { at }],
      ['pause'],
      ['resume'],
    ] as const) {
      for (const id of ['alike-one', 'alike-one-queued'])
        expect((await single(id, action, body)).status).toBe(200);
      const filter = { tag: 'alike', q: 'alike-two' };
      const { body: acted } = await act({ action, filter, ...body });
      expect(acted).toMatchObject({ matched: 2, changed: 2, refused: 0, status: 'done', nextCursor: null });
    }
    expect(await stateOf('alike-two')).toEqual(await stateOf('alike-one'));
    expect(await stateOf('alike-two-queued')).toEqual(await stateOf('alike-one-queued'));
    expect((await stateOf('alike-two')).runs).toHaveLength(3);
    // A one-shot has only one occurrence, so skipping it finishes the schedule.
    expect((await act({ action: 'skip-next', filter: { q: 'alike-once' } })).body.changed).toBe(1);
    expect(await stateOf('alike-once')).toMatchObject({ status: 'finished', runs: [{ status: 'skipped' }] });
    const refused = await act({ action: 'skip-next', filter: { q: 'alike-once' } });
    expect(refused.body).toMatchObject({ changed: 0, refused: 1 });
    expect(refused.body.refusals[0]).toEqual({
      id: 'alike-once',
      reason: 'it is finished and has no next occurrence that could be skipped',
    });
  });

  it('a bulk resume records the occurrences that were due during the pause as skipped, and releases the runs that the pause has held', async () => {
    await bulk(
      [1, 2].map((n) => ({ id: `held-${n}`, rule: { every: 'PT1H' }, tags: ['held'], target: NOOP })),
    );
    await act({ action: 'trigger', filter: { tag: 'held' } });
    await act({ action: 'pause', filter: { tag: 'held' } });
    await api.database.pool.query(
      `update carillon.agenda a set occurrence_at = date_trunc('milliseconds', clock_timestamp()) - interval '90 minutes',
         due_at = date_trunc('milliseconds', clock_timestamp()) - interval '90 minutes'
       from carillon.schedules s where s.id = a.schedule_id and s.tags @> '{held}'`,
    );
    expect((await act({ action: 'resume', filter: { tag: 'held' } })).body).toMatchObject({ changed: 2 });
    for (const id of ['held-1', 'held-2']) {
      const { items } = (await api.call('GET', `/v1/runs?schedule=${id}`)).body;
      const skipped = items.filter(({ reasonCode }: { reasonCode: string }) => reasonCode === 'paused');
      expect(skipped.length).toBeGreaterThan(0);
      const triggered = items.find(({ origin }: { origin: string }) => origin === 'trigger');
      expect(triggered).toMatchObject({ status: 'queued', nextRetryAt: expect.any(String) });
      const { nextRunAt } = (await api.call('GET', `/v1/schedules/${id}`)).body;
      expect(Date.parse(nextRunAt)).toBeGreaterThan(Date.now());
    }
  });

  it('a bulk action that is repeated with the same Idempotency-Key is executed once, and GET /v1/actions lists the action', async () => {
    await bulk([scheduleBody({ id: 'once-only', tags: ['once-only'] })]);
    const body = { action: 'trigger', filter: { tag: 'once-only' } };
    const headers = { 'idempotency-key': 'trigger-once' };
    const ask = (more: object = {}) =>
      api.call('POST', '/v1/schedules/actions', { body: { ...body, ...more }, headers });
    const [first, again] = [await ask(), await ask()];
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await api.call('GET', '/v1/runs?schedule=once-only')).body.items).toHaveLength(1);
    expect((await ask({ action: 'pause' })).status).toBe(422);
    const listed = await api.call('GET', '/v1/actions?limit=1');
    expect(listed.body.items).toMatchObject([
      { id: first.body.id, action: 'trigger', status: 'done', changed: 1 },
    ]);
    const key = await api.keyFor({ project: 'stranger' });
    expect((await api.call('GET', '/v1/actions', { key })).body.items).toEqual([]);
  });

  it('a bulk action continues after its client has disconnected, and its progress can still be read', async () => {
    const tags = ['left'];
    await bulk(
      Array.from({ length: 2_500 }, (_, i) => ({
        id: `left-${i}`,
        rule: { in: 'PT2H' },
        target: NOOP,
        tags,
      })),
    );
    const leaving = new AbortController();
    const aborted = fetch(`${api.url}/v1/schedules/actions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'skip-next', filter: { tag: 'left' } }),
      signal: leaving.signal,
    }).catch(() => 'left');
    const action = await eventually(async () => {
      const { items } = (await api.call('GET', '/v1/actions')).body;
      return items.find(
        (each: { action: string; status: string }) =>
          each.action === 'skip-next' && each.status === 'running',
      );
    });
    leaving.abort();
    expect(await aborted).toBe('left');
    const done = await eventually(async () => {
      const { body } = await api.call('GET', `/v1/schedules/actions/${action.id}`);
      return body.status === 'done' && body;
    });
    expect(done).toMatchObject({ matched: 2_500, changed: 2_500, refused: 0 });
  });

  it('a schedule with the id "actions" has occurrences, ledger and versions, although /v1/schedules/actions is a route', async () => {
    await bulk([scheduleBody({ id: 'actions' })]);
    for (const rest of ['occurrences', 'ledger', 'versions'])
      expect((await api.call('GET', `/v1/schedules/actions/${rest}`)).status).toBe(200);
  });

  it('a bulk cancel records the overdue occurrence of a schedule as a skipped run', async () => {
    await bulk([scheduleBody({ id: 'overdue', rule: { at: '2020-01-01T00:00:00Z' }, tags: ['late'] })]);
    expect((await act({ action: 'cancel', filter: { tag: 'late' } })).body.changed).toBe(1);
    expect((await api.call('GET', '/v1/runs?schedule=overdue')).body.items).toMatchObject([
      { status: 'skipped' },
    ]);
  });

  it('a bulk cancel records an occurrence that was rescheduled to a later time as a skipped run', async () => {
    await bulk([
      scheduleBody({ id: 'rescheduled', rule: { at: '2020-01-01T00:00:00Z' }, tags: ['rescheduled'] }),
    ]);
    const later = { at: '2031-01-01T00:00:00Z' };
    expect((await api.call('POST', '/v1/schedules/rescheduled/reschedule', { body: later })).status).toBe(
      200,
    );
    expect((await act({ action: 'cancel', filter: { tag: 'rescheduled' } })).body.changed).toBe(1);
    expect((await api.call('GET', '/v1/runs?schedule=rescheduled')).body.items).toMatchObject([
      { status: 'skipped', occurrenceAt: '2020-01-01T00:00:00.000Z' },
    ]);
  });

  it.each([
    ['an unknown action', { action: 'explode' }],
    ['an unknown filter', { action: 'pause', filter: { colour: 'red' } }],
    ['a field that the action does not take', { action: 'resume', note: 'x' }],
    ['the action reschedule without a time', { action: 'reschedule' }],
    ['a cursor that no list has returned', { action: 'pause', cursor: 'x' }],
  ])('a bulk action is refused if it has %s', async (_what, body) => {
    expect((await act(body)).status).toBe(400);
  });
});
