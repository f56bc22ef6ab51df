import { once } from 'node:events';
import { cancelRun } from '@carillon/db';
import { MAX_RESULT_BYTES, readHandlerResult } from '@carillon/shared';
import { eventually, insertSchedules, useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { defineHandler, type Handler, type HandlerDefinition, type HandlerRun } from '../src/define.js';
import { Registry } from '../src/registry.js';
import { awaitRun, hasEnded, insertDue, readRun, startTestWorker, useRegistry } from './support.js';

const database = useDatabase();
const other = useDatabase();

const seen = new Map<string, HandlerRun>();
const aborted = new Map<string, unknown>();
const handlers: HandlerDefinition[] = [];
const define = (name: string, run: Handler) => handlers.push(defineHandler(name, run));
const handler = (name: string) => ({ target: { type: 'handler' as const, name } });

define('test-progress', async ({ progress, payload }) => {
  for (let done = 1; done <= 1_000; done++) progress({ done, of: 1_000 });
  await eventually(() => (payload as { go: string }).go === 'on' || seen.has('go'));
  progress({ done: 'all' });
});
define('test-waits', async (run) => {
  seen.set(run.scheduleId, run);
  await once(run.signal, 'abort');
  aborted.set(run.scheduleId, run.signal.reason);
  throw new Error('stopped');
});
define('test-deaf', async () => {
  await new Promise(() => {});
});
define('test-thenable', () => ({
  // biome-ignore lint/suspicious/noThenProperty: the test is about objects that have a `then` method.
  then: (_resolve: unknown, reject: (error: Error) => void) => reject(new Error('the query failed')),
}));
define('test-throws', () => {
  throw new Error('out of paper');
});

define('test-project', ({ projectId, progress }) => progress({ projectId }));

define('test-returns', ({ payload }) => payload);
define('test-returns-soon', async () => ({ rows: 3, next: null }));
define('test-returns-circle', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  return circle;
});

const registry = new Registry({ handlers, schedules: [] });
useRegistry(database, registry);

describe('The value that a handler returns', () => {
  const resultOf = async (name: string, payload?: unknown) => {
    const id = await insertDue(database, { ...handler(name), payload });
    const run = await awaitRun(database, id, hasEnded);
    expect(run).toMatchObject({ status: 'succeeded', attempt: 1, error: null });
    return readHandlerResult({ handler: name, response: run.response });
  };

  it('the value that a handler returns, or that its promise resolves to, is stored with the attempt', async () => {
    expect(await resultOf('test-returns', { sum: 42, ü: [null] })).toEqual({ value: { sum: 42, ü: [null] } });
    expect(await resultOf('test-returns', 'text')).toEqual({ value: 'text' });
    expect(await resultOf('test-returns-soon')).toEqual({ value: { rows: 3, next: null } });
    expect(await resultOf('test-returns')).toBeNull();
  });

  it('a handler’s result that is larger than 16 KiB or is not JSON is not stored: the run succeeds and stores the reason instead', async () => {
    const most = 'x'.repeat(MAX_RESULT_BYTES - 2);
    expect(await resultOf('test-returns', most)).toEqual({ value: most });
    for (const large of [`${most}x`, 'x'.repeat(50_000), Array.from({ length: 20_000 }, () => 1)])
      expect(await resultOf('test-returns', large)).toEqual({
        error: expect.stringMatching(/was not kept: .*16384 bytes that are kept/),
      });
    expect(await resultOf('test-returns-circle')).toEqual({ error: expect.stringContaining('is not JSON') });
  });
});

describe('Handler target', () => {
  it('a handler gets the id of the project that its run belongs to', async () => {
    const id = await insertDue(database, handler('test-project'));
    expect(await awaitRun(database, id, hasEnded)).toMatchObject({ progress: { projectId: 'default' } });
  });

  it('a run whose project may no longer use its handler fails with the reason, and the handler is not called', async () => {
    const { rows } = await database.pool.query<{ id: number }>(
      `insert into carillon.projects (key, name) values ('tenant', 'tenant') returning id`,
    );
    const [id] = await insertSchedules(
      database,
      [{ rule: { at: new Date().toISOString() }, ...handler('test-throws') }],
      { projectId: rows[0]?.id as number },
    );
    expect(await awaitRun(database, id as number, hasEnded)).toMatchObject({
      status: 'failed',
      attempt: 1,
      errorCode: 'not_allowed',
      error: expect.stringContaining('limits.handlers'),
    });
  });

  it('the progress that a handler reports is visible while the handler runs, and the last progress stays afterwards', async () => {
    const id = await insertDue(database, { ...handler('test-progress'), payload: { go: 'later' } });
    const going = await awaitRun(database, id, ({ progress }) => progress !== null);
    expect(going).toMatchObject({ status: 'running' });
    await awaitRun(database, id, ({ progress }) => (progress as { done: number } | null)?.done === 1_000);
    seen.set('go', {} as HandlerRun);
    expect(await awaitRun(database, id, hasEnded)).toMatchObject({
      status: 'succeeded',
      progress: { done: 'all' },
    });
  });

  it('a handler that exceeds its time-out has its signal aborted, and the run is retried', async () => {
    const id = await insertDue(database, { id: 'h-timeout', ...handler('test-waits'), timeout: 'PT0.3S' });
    expect(await awaitRun(database, id)).toMatchObject({ status: 'retrying', errorCode: 'timeout' });
    expect(aborted.get('h-timeout')).toBe('timeout');
  });

  it('a worker does not wait for a handler that ignores its signal: the run is retried after the time-out', async () => {
    const id = await insertDue(database, { ...handler('test-deaf'), timeout: 'PT0.3S' });
    expect(await awaitRun(database, id)).toMatchObject({ status: 'retrying', errorCode: 'timeout' });
  });

  it('the signal of a handler is aborted when its run is cancelled', async () => {
    const id = await insertDue(database, { id: 'h-cancel', ...handler('test-waits'), timeout: 'PT60S' });
    await eventually(() => seen.has('h-cancel'));
    const { rows } = await database.pool.query(
      'select occurrence_at as at from carillon.runs where schedule_id = $1',
      [id],
    );
    const run = { scheduleId: id, occurrenceAt: rows[0].at, origin: 'rule' as const };
    await cancelRun(database.pool, { projectId: database.projectId, run, actor: 'test' });
    await eventually(() => aborted.get('h-cancel') === 'cancelled');
    expect(await readRun(database, id)).toMatchObject({ status: 'cancelled' });
  });

  it('when a worker stops, the signal of its handler is aborted, and the worker hands the run back, so that it is claimed again without losing an attempt', async () => {
    const worker = await startTestWorker(other, {}, undefined, registry);
    const id = await insertDue(other, { id: 'h-shutdown', ...handler('test-waits'), timeout: 'PT60S' });
    await eventually(() => seen.has('h-shutdown'));
    await worker.stop();
    expect(aborted.get('h-shutdown')).toBe('shutdown');
    expect(await readRun(other, id)).toMatchObject({
      status: 'retrying',
      outcome: 'handed_back',
      attempt: 1,
      freeAttempts: 1,
    });
  });

  it('a run whose handler throws is retried, and its error has the name of the handler and the message', async () => {
    const throws = await insertDue(database, handler('test-throws'));
    expect(await awaitRun(database, throws)).toMatchObject({
      status: 'retrying',
      error: 'handler test-throws: out of paper',
    });
  });

  it('a run is not claimed and loses no attempt while no worker has its handler', async () => {
    const unknown = await insertDue(database, handler('no-such'));
    const known = await insertDue(database, handler('noop'));
    expect(await awaitRun(database, known)).toMatchObject({ status: 'succeeded' });
    expect(await readRun(database, unknown)).toBeNull();
  });

  it('a worker awaits a thenable that a handler returns, such as the query builder of an ORM', async () => {
    const id = await insertDue(database, handler('test-thenable'));
    expect(await awaitRun(database, id)).toMatchObject({
      status: 'retrying',
      error: 'handler test-thenable: the query failed',
    });
  });
});
