import type { ClaimedRun } from '@carillon/db';
import type { Outcome } from '@carillon/shared';
import { eventually, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { type ListenOptions, listen as listenTo, type Seen } from './listen.js';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const engine = useEngine(api.database);

const listen = (options: ListenOptions = {}) => listenTo(api.url, options);

const FAILED_FOR_GOOD: Outcome = { kind: 'failed', isTransient: false, errorCode: 'error', error: 'no' };

const FAILED_FOR_NOW: Outcome = { ...FAILED_FOR_GOOD, isTransient: true };

const claim = () => engine.claim(Date.now());
const finish = (runs: readonly ClaimedRun[], outcome: Outcome) =>
  engine.closeAll(
    runs.map((run) => ({ run, outcome })),
    Date.now(),
  );

const typesOf = (seen: readonly Seen[]) => seen.map(({ type }) => type);

describe('Events', () => {
  it('event stream: changes of schedules and the start and end of each run are reported', async () => {
    const listener = await listen();
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    await api.call('POST', `/v1/schedules/${id}/trigger`);
    await eventually(() => typesOf(listener.seen).filter((type) => type === 'schedule.changed').length >= 2);
    const runs = await claim();
    await eventually(() => typesOf(listener.seen).includes('run.started'));
    await finish(runs, { kind: 'succeeded' });
    await eventually(() => typesOf(listener.seen).includes('run.succeeded'));
    expect(listener.seen.map(({ data }) => data.scheduleId)).toEqual([id, id, id, id]);
    expect(listener.seen[0]?.data).toMatchObject({ action: 'schedule.created', actor: 'admin' });
    expect(listener.seen[3]?.data).toMatchObject({ status: 'succeeded', attemptCount: 1 });
    listener.close();
  });

  it('event stream: a client that reconnects gets the events that happened between its two connections', async () => {
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    const first = await listen();
    await api.call('POST', `/v1/schedules/${id}/trigger`);
    await eventually(() => first.seen.length >= 1);
    const runs = await claim();
    await eventually(() => typesOf(first.seen).includes('run.started'));
    const { lastId } = first.state;
    first.close();
    await finish(runs, FAILED_FOR_GOOD);
    await api.call('PATCH', `/v1/schedules/${id}`, { body: { name: 'meanwhile' } });
    const second = await listen({ since: lastId as string });
    await eventually(() => typesOf(second.seen).includes('run.failed'));
    expect(second.seen.some(({ data }) => data.action === 'schedule.edited')).toBe(true);
    second.close();
  });

  it('event stream: the cancellation of a run that is queued or waits for a retry is reported exactly once', async () => {
    const listener = await listen();
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    const { runId: retryingId } = (await api.call('POST', `/v1/schedules/${id}/trigger`)).body;
    await finish(await claim(), FAILED_FOR_NOW);
    await eventually(() => typesOf(listener.seen).includes('run.retrying'));
    const { runId: queuedId } = (await api.call('POST', `/v1/schedules/${id}/trigger`)).body;
    await api.call('POST', `/v1/runs/${queuedId}/cancel`);
    await api.call('DELETE', `/v1/schedules/${id}`);
    const cancelled = () => listener.seen.filter(({ type }) => type === 'run.cancelled');
    await eventually(() => cancelled().length >= 2);
    // Events come in order, so a repeated event would come before this one.
    const { body: later } = await api.call('POST', '/v1/schedules', { body: scheduleBody() });
    await eventually(() => listener.seen.some(({ data }) => data.scheduleId === later.id));
    expect(
      cancelled()
        .map(({ data }) => data.runId)
        .sort(),
    ).toEqual([queuedId, retryingId].sort());
    const startsOf = (runId: string) =>
      listener.seen.filter(({ type, data }) => type === 'run.started' && data.runId === runId).length;
    expect([startsOf(retryingId), startsOf(queuedId)]).toEqual([1, 0]);
    listener.close();
  });

  it('event stream: a client that reconnects learns of runs that were cancelled between its two connections', async () => {
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    const first = await listen();
    first.close();
    const { runId } = (await api.call('POST', `/v1/schedules/${id}/trigger`)).body;
    await api.call('POST', `/v1/runs/${runId}/cancel`);
    const second = await listen({ since: first.state.lastId as string });
    await eventually(() =>
      second.seen.some(({ type, data }) => type === 'run.cancelled' && data.runId === runId),
    );
    second.close();
  });

  it('event stream: the end of a run that was in flight when the first listener connected is reported', async () => {
    const key = await api.keyFor({ project: 'latecomer' });
    const body = scheduleBody({ target: { type: 'webhook', url: 'https://example.com/' } });
    await api.call('POST', '/v1/schedules', { key, body });
    const { runId } = (await api.call('POST', `/v1/schedules/${body.id}/trigger`, { key })).body;
    const runs = await claim();
    const listener = await listen({ key });
    await finish(runs, { kind: 'succeeded' });
    await eventually(() => listener.seen.length > 0);
    expect(listener.seen).toMatchObject([{ type: 'run.succeeded', data: { runId } }]);
    listener.close();
  });

  it('event stream: events of another project are not delivered', async () => {
    const key = await api.keyFor({ project: 'deaf' });
    const [theirs, ours] = [await listen({ key }), await listen()];
    await api.call('POST', '/v1/schedules', { body: scheduleBody() });
    await eventually(() => ours.seen.length > 0);
    await api.call('POST', '/v1/schedules', { key, body: scheduleBody({ id: 'theirs' }) });
    await eventually(() => theirs.seen.length > 0);
    expect(theirs.seen.map(({ data }) => data.scheduleId)).toEqual(['theirs']);
    theirs.close();
    ours.close();
  });

  it('event stream: the stream ends when its API key is revoked', async () => {
    const { body } = await api.call('POST', '/v1/keys', { body: { name: 'listener', scopes: ['read'] } });
    const listener = await listen({ key: body.key });
    await api.call('DELETE', `/v1/keys/${body.id}`);
    await eventually(() => listener.state.hasEnded, { withinMs: 5_000 });
  });

  it('event stream: a request with an invalid Last-Event-ID is answered 400', async () => {
    expect((await api.call('GET', '/v1/events', { headers: { 'last-event-id': 'x' } })).status).toBe(400);
  });
});
