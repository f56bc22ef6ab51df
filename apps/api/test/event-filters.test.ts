import { eventually, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { listen } from './listen.js';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const engine = useEngine(api.database);

async function fire(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    await api.call('POST', `/v1/schedules/${id}/trigger`);
    ids.push(id);
  }
  const [first, ...rest] = await engine.claim(Date.now());
  if (!first) throw new Error('nothing was claimed');
  const failed = { kind: 'failed', isTransient: false, errorCode: 'error', error: 'no' } as const;
  await engine.closeAll(
    [
      { run: first, outcome: failed },
      ...rest.map((run) => ({ run, outcome: { kind: 'succeeded' } as const })),
    ],
    Date.now(),
  );
  return ids;
}

describe('GET /v1/events with filters', () => {
  it('GET /v1/events with filters sends only events of the given types, statuses and schedules', async () => {
    const all = await listen(api.url);
    const byType = await listen(api.url, { query: '?type=run.failed,schedule.changed' });
    const byStatus = await listen(api.url, { query: '?status=succeeded' });
    const elsewhere = await listen(api.url, { query: '?schedule=another,one' });
    const ids = await fire(3);
    const bySchedule = await listen(api.url, {
      query: `?schedule=${ids[2]}`,
      since: all.state.lastId as string,
    });
    await eventually(() => all.seen.filter(({ type }) => /succeeded|failed/.test(type)).length >= 3);
    const typesOf = ({ seen }: typeof all) => new Set(seen.map(({ type }) => type));
    await eventually(() => byType.seen.some(({ type }) => type === 'run.failed'));
    await eventually(() => byStatus.seen.length >= 2);
    expect([...typesOf(byType)].sort()).toEqual(['run.failed', 'schedule.changed']);
    // An event shows the state of its run at the time of the poll, so even the start events of these runs have the
    // status `succeeded`.
    for (const { data } of byStatus.seen) expect(data.status).toBe('succeeded');
    await eventually(() => bySchedule.seen.length >= 3);
    for (const { data } of bySchedule.seen) expect(data.scheduleId).toBe(ids[2]);
    expect(elsewhere.seen).toEqual([]);
    // A listener that wants none of the events still gets the position to resume from.
    await eventually(() => elsewhere.state.lastId === all.state.lastId);
    for (const listener of [all, byType, byStatus, elsewhere, bySchedule]) listener.close();
  });

  it.each(['type=run.exploded', 'status=great', 'digest=5s', 'colour=red'])(
    'GET /v1/events?%s is refused',
    async (query) => {
      expect((await api.call('GET', `/v1/events?${query}`)).status).toBe(400);
    },
  );
});

describe('GET /v1/events with a digest', () => {
  it('an event stream with digest=1s sends digests with counts by type, and no single events', async () => {
    const listener = await listen(api.url, { query: '?digest=1s' });
    await fire(30);
    const sum = (type: string) =>
      listener.seen.reduce((total, { data }) => total + (data.counts[type] ?? 0), 0);
    await eventually(() => sum('run.succeeded') >= 29 && sum('run.failed') >= 1);
    for (const { type, data, id } of listener.seen) {
      expect(type).toBe('digest');
      expect(id).not.toBeNull();
      expect(data.samples.length).toBeLessThanOrEqual(20);
    }
    const [failure] = listener.seen.flatMap(({ data }) =>
      data.samples.filter(({ type }: { type: string }) => type === 'run.failed'),
    );
    expect(failure.data).toMatchObject({ status: 'failed' });
    listener.close();
  });

  it('if a client of an event stream with digest=1s reconnects, its first digests count the events that it missed in between', async () => {
    const first = await listen(api.url, { query: '?digest=1s' });
    const { lastId } = first.state;
    first.close();
    await fire(2);
    const second = await listen(api.url, { query: '?digest=1s&type=run.failed', since: lastId as string });
    await eventually(() => second.seen.some(({ data }) => data.counts['run.failed'] >= 1));
    expect(second.seen.every(({ data }) => Object.keys(data.counts).join() === 'run.failed')).toBe(true);
    second.close();
  });
});
