import { claimWaiting, closeRuns, registerWorker } from '@carillon/db';
import { ADMIN_KEY, eventually } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
let workerId = 0;
beforeAll(async () => {
  workerId = await registerWorker(api.database.pool, { host: 'test', pid: 1 });
});

interface Seen {
  id: string | null;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: what comes is what the test is about.
  data: any;
}

/** A listener that keeps what it hears. */
async function listen({ key = ADMIN_KEY, since }: { key?: string; since?: string | undefined } = {}) {
  const abort = new AbortController();
  const response = await fetch(`${api.url}/v1/events`, {
    headers: { authorization: `Bearer ${key}`, ...(since === undefined ? {} : { 'last-event-id': since }) },
    signal: abort.signal,
  });
  const seen: Seen[] = [];
  const state = { lastId: null as string | null, hasEnded: false };
  const read = async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1];
        state.lastId = field('id') ?? state.lastId;
        const data = field('data');
        if (data) seen.push({ id: field('id') ?? null, type: field('event') ?? '', data: JSON.parse(data) });
      }
    }
  };
  read().then(
    () => {
      state.hasEnded = true;
    },
    () => {
      state.hasEnded = true;
    },
  );
  await eventually(() => state.lastId !== null);
  return { response, seen, state, close: () => abort.abort() };
}

const claim = async () => {
  const options = { workerId, leaseMs: 60_000, limit: 100, now: null };
  const { runs } = await claimWaiting(api.database.pool, options);
  return runs;
};

const finish = (runs: Awaited<ReturnType<typeof claim>>, status: 'succeeded' | 'failed') =>
  closeRuns(
    api.database.pool,
    runs.map((run) => ({
      ...run,
      status,
      outcome: status,
      durationMs: 1,
      httpStatus: null,
      errorCode: null,
      error: status === 'failed' ? 'no' : null,
      response: null,
      externalId: null,
      retryInMs: null,
    })),
    { doneEpochs: runs.map(({ epoch }) => epoch), now: null },
  );

const typesOf = (seen: readonly Seen[]) => seen.map(({ type }) => type);

describe('Events', () => {
  it('tell of schedules that change and of runs from start to end', async () => {
    const listener = await listen();
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    await api.call('POST', `/v1/schedules/${id}/trigger`);
    await eventually(() => typesOf(listener.seen).filter((type) => type === 'schedule.changed').length >= 2);
    const runs = await claim();
    await eventually(() => typesOf(listener.seen).includes('run.started'));
    await finish(runs, 'succeeded');
    await eventually(() => typesOf(listener.seen).includes('run.succeeded'));
    expect(listener.seen.map(({ data }) => data.scheduleId)).toEqual([id, id, id, id]);
    expect(listener.seen[0]?.data).toMatchObject({ action: 'schedule.created', actor: 'admin' });
    expect(listener.seen[3]?.data).toMatchObject({ status: 'succeeded', attemptCount: 1 });
    listener.close();
  });

  it('are not lost between two connections', async () => {
    const { id } = (await api.call('POST', '/v1/schedules', { body: scheduleBody() })).body;
    const first = await listen();
    await api.call('POST', `/v1/schedules/${id}/trigger`);
    await eventually(() => first.seen.length >= 1);
    const runs = await claim();
    await eventually(() => typesOf(first.seen).includes('run.started'));
    const { lastId } = first.state;
    first.close();
    await finish(runs, 'failed');
    await api.call('PATCH', `/v1/schedules/${id}`, { body: { name: 'meanwhile' } });
    const second = await listen({ since: lastId as string });
    await eventually(() => typesOf(second.seen).includes('run.failed'));
    expect(second.seen.some(({ data }) => data.action === 'schedule.edited')).toBe(true);
    second.close();
  });

  it('of another project are not heard', async () => {
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

  it('end when the key is revoked', async () => {
    const { body } = await api.call('POST', '/v1/keys', { body: { name: 'listener', scopes: ['read'] } });
    const listener = await listen({ key: body.key });
    await api.call('DELETE', `/v1/keys/${body.id}`);
    await eventually(() => listener.state.hasEnded, { withinMs: 5_000 });
  });

  it('refuse a Last-Event-ID that was none', async () => {
    expect((await api.call('GET', '/v1/events', { headers: { 'last-event-id': 'x' } })).status).toBe(400);
  });

  it('Postgres is left in peace while nobody listens and nobody asks', async () => {
    const statements = async () => {
      const { rows } = await api.database.pool.query(
        `select max(query_start) as at from pg_stat_activity where application_name = 'carillon-api' and datname = current_database()`,
      );
      return (rows[0].at as Date | null)?.getTime() ?? 0;
    };
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const before = await statements();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await statements()).toBe(before);
  });
});
