import { pauseGone } from '@carillon/db';
import { eventually, insertSchedules, useEngine } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { NOOP, scheduleBody, useApi } from './use-api.js';

const api = useApi();
const engine = useEngine(api.database);
const read = async (key?: string) =>
  (await api.call('GET', '/v1/attention', key === undefined ? {} : { key })).body;
const NOTHING = { count: 0, items: [] };

it('/v1/attention lists the schedules that failed, are overdue, were paused by Carillon itself, or wait for an open circuit breaker, and no others', async () => {
  const nowAt = Date.now();
  expect(await read()).toEqual({
    failing: NOTHING,
    paused: NOTHING,
    overdue: NOTHING,
    blocked: NOTHING,
    breaching: NOTHING,
    herd: null,
  });
  const due = { rule: { at: new Date(nowAt).toISOString() }, retry: { maxAttempts: 1 } };
  await insertSchedules(api.database, [
    { ...due, id: 'failing', name: 'Nightly' },
    { ...due, id: 'blocked' },
    { ...due, id: 'fine' },
  ]);
  const runs = await engine.claim(nowAt + 1);
  const run = (key: string) => {
    const claimedRun = runs.find(({ scheduleKey }) => scheduleKey === key);
    if (!claimedRun) throw new Error(`${key} was not claimed`);
    return claimedRun;
  };
  await engine.fail(run('failing'), nowAt + 2);
  await engine.succeed(run('fine'), nowAt + 2);
  const outcome = {
    kind: 'deferred',
    retryInMs: 60_000,
    reasonCode: 'circuit_open',
    reason: 'circuit is open',
  } as const;
  await engine.closeAll([{ run: run('blocked'), outcome }], nowAt + 2);
  const [gone] = await insertSchedules(api.database, [{ id: 'gone', rule: { cron: '0 9 1 1 *' } }]);
  await pauseGone(api.database.pool, gone as number);
  // A schedule that a person has paused needs no attention.
  await api.call('POST', '/v1/schedules', { body: scheduleBody({ id: 'paused-by-hand' }) });
  await api.call('POST', '/v1/schedules/paused-by-hand/pause');
  await insertSchedules(
    api.database,
    [{ id: 'overdue', rule: { at: new Date(nowAt - 60_000).toISOString() } }],
    {
      nowAt: nowAt - 90_000,
    },
  );
  const attention = await read();
  const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
  expect(attention.failing).toMatchObject({
    count: 1,
    items: [{ id: 'failing', name: 'Nightly', note: 'failed on purpose' }],
  });
  expect(attention.paused).toMatchObject({
    count: 1,
    items: [{ id: 'gone', note: 'the receiver answered 410 Gone' }],
  });
  expect(idsOf(attention.overdue)).toEqual(['overdue']);
  expect(idsOf(attention.blocked)).toEqual(['blocked']);
  for (const [reason, ids] of [
    ['failing', ['failing']],
    ['paused', ['gone']],
    ['overdue', ['overdue']],
    ['blocked', ['blocked']],
    ['breaching', []],
  ] as const) {
    const listed = (await api.call('GET', `/v1/schedules?attention=${reason}`)).body;
    expect(idsOf(listed), `the schedules that are ${reason}`).toEqual(ids);
    const action = { action: 'pause', filter: { attention: reason }, dryRun: true };
    const { body } = await api.call('POST', '/v1/schedules/actions', { body: action });
    expect(body.matched, `a dry run on what is ${reason}`).toBe(ids.length);
  }
  const key = await api.keyFor({ project: 'other', scopes: ['read'] });
  expect((await read(key)).failing).toEqual(NOTHING);
});

it('/v1/attention shows the busiest minute of the next 24 hours if at least 1,000 fires are due in it', async () => {
  const at = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000).toISOString();
  const key = await api.keyFor({ project: 'herd' });
  const items = Array.from({ length: 1_000 }, () => ({ rule: { at }, target: NOOP }));
  await api.call('POST', '/v1/schedules/bulk', { key, body: { items } });
  // On a busy machine the first answer may come before the forecast is counted.
  const herd = await eventually(async () => (await read(key)).herd);
  expect(herd).toEqual({ at, fires: 1_000 });
});
