import { insertSchedules, useDatabase, useReceiver } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { attemptsOf, awaitRun, hasEnded, insertDue, useWorker } from './support.js';

const database = useDatabase();
const [bad, limited, healthy, stuck, narrow] = [
  useReceiver(),
  useReceiver(),
  useReceiver(),
  useReceiver(),
  useReceiver(),
];
useWorker(database, () => ({ CIRCUIT_OPEN_MS: '3000', ORIGIN_CONCURRENCY: '10' }));

const QUICK = { maxAttempts: 2, baseDelay: 'PT0.05S', jitter: false };
const webhook = (url: string) => ({ type: 'webhook' as const, url, headers: {} });
const insertMany = (count: number, url: string, more: object = {}) =>
  insertSchedules(
    database,
    Array.from({ length: count }, () => ({
      rule: { at: new Date().toISOString() },
      target: webhook(url),
      retry: QUICK,
      ...more,
    })),
  );

describe('Circuit', () => {
  it('after twenty failures the circuit breaker of an origin opens, and runs for this origin wait without losing an attempt', async () => {
    const ids = await insertMany(20, bad.url('status/500'), { retry: { maxAttempts: 1 } });
    for (const id of ids) await awaitRun(database, id, hasEnded);
    const before = bad.received.length;

    const id = await insertDue(database, { target: webhook(bad.url('status/200')), retry: QUICK });

    const waiting = await awaitRun(database, id, ({ status }) => status === 'retrying');
    expect(waiting).toMatchObject({ attempt: 0, outcome: null, reasonCode: 'circuit_open', errorCode: null });
    expect(waiting.reason).toContain(bad.origin);
    expect(waiting.nextAttemptAt).not.toBeNull();
    expect(await attemptsOf(database, id)).toEqual([]);
    expect(bad.received.length).toBe(before);

    // After the wait, one run is sent to test the origin. It succeeds, and the circuit closes for all runs.
    expect(await awaitRun(database, id, hasEnded)).toMatchObject({
      status: 'succeeded',
      attempt: 1,
      reasonCode: null,
      reason: null,
    });
    const next = await insertDue(database, { target: webhook(bad.url('status/200')) });
    expect(await awaitRun(database, next)).toMatchObject({ status: 'succeeded', attempt: 1 });
  });

  it('the circuit breaker of an origin opens after twenty time-outs too', async () => {
    const ids = await insertMany(20, stuck.url('hang'), { timeout: 'PT0.4S', retry: { maxAttempts: 1 } });
    for (const id of ids) await awaitRun(database, id, hasEnded);
    const id = await insertDue(database, { target: webhook(stuck.url('status/200')) });
    expect(await awaitRun(database, id, ({ reasonCode }) => reasonCode === 'circuit_open')).toMatchObject({
      attempt: 0,
    });
  });

  it('the circuit breaker of an origin stays closed if the origin answers 4xx', async () => {
    const ids = await insertMany(30, bad.url('status/429'), { retry: { maxAttempts: 1 } });
    for (const id of ids)
      expect(await awaitRun(database, id, hasEnded)).toMatchObject({ status: 'failed', httpStatus: 429 });
    const id = await insertDue(database, { target: webhook(bad.url('status/200')) });
    expect(await awaitRun(database, id)).toMatchObject({ status: 'succeeded' });
  });

  it('a run that is deferred by an open circuit breaker after a failed attempt neither loses nor regains an attempt', async () => {
    const id = await insertDue(database, {
      target: webhook(bad.url('status/503/first')),
      retry: { maxAttempts: 2, baseDelay: 'PT2S', jitter: false },
    });
    await awaitRun(database, id, ({ attempt, outcome }) => attempt === 1 && outcome === 'failed');
    const others = await insertMany(20, bad.url('status/500/more'), { retry: { maxAttempts: 1 } });
    for (const other of others) await awaitRun(database, other, hasEnded);
    const put = await awaitRun(database, id, ({ reasonCode }) => reasonCode === 'circuit_open');
    expect(put).toMatchObject({ status: 'retrying', attempt: 1, outcome: null });
    expect(await attemptsOf(database, id)).toEqual([{ number: 1, outcome: 'failed' }]);
    expect(await awaitRun(database, id, hasEnded)).toMatchObject({ status: 'failed', attempt: 2 });
    expect(await attemptsOf(database, id)).toHaveLength(2);
  });
});

describe('Concurrency of an origin', () => {
  it('an origin that hangs gets no more concurrent deliveries than its limit, and does not hold up other origins', async () => {
    // These deliveries hang until after the test has ended. If another delivery waited for one of them, it would not
    // end in time.
    const hung = await insertMany(40, limited.url('hang'), { timeout: 'PT60S', retry: { maxAttempts: 1 } });
    const prompt = await insertMany(60, healthy.url('status/200'));

    for (const id of prompt) expect(await awaitRun(database, id)).toMatchObject({ status: 'succeeded' });

    expect(limited.mostOpen).toBe(10);
    const [last] = hung.toReversed() as [number];
    await awaitRun(database, last, ({ reasonCode }) => reasonCode === 'origin_busy');
  });
});

describe('Limits of a project', () => {
  const insertInto = async (key: string, limits: object, path: string, count = 12) => {
    const { rows } = await database.pool.query(
      `insert into carillon.projects (key, name, limits) values ($1, $1, $2) returning id`,
      [key, JSON.stringify(limits)],
    );
    const inputs = Array.from({ length: count }, () => ({
      rule: { at: new Date().toISOString() },
      target: webhook(path),
    }));
    return insertSchedules(database, inputs, { projectId: rows[0].id });
  };

  it('runs beyond the deliveriesPerSecond of their project wait, and are delivered later', async () => {
    const ids = await insertInto('slow', { deliveriesPerSecond: 5 }, healthy.url('status/200/rate'), 30);
    for (const id of ids) await awaitRun(database, id, ({ status }) => status === 'succeeded');
    const times = healthy.to('status/200/rate').map(({ at }) => at);
    // Six of the thirty runs may go at once and the others at five a second, so the last one goes after nearly five
    // seconds.
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(2_500);
  });

  it('runs beyond the concurrentDeliveries of their project wait, and are delivered later', async () => {
    const ids = await insertInto('narrow', { concurrentDeliveries: 2 }, narrow.url('slow/50'));
    for (const id of ids) await awaitRun(database, id, ({ status }) => status === 'succeeded');
    expect(narrow.mostOpen).toBe(2);
  });
});
