import { once } from 'node:events';
import { cancelRun } from '@carillon/db';
import { eventually, useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { defineHandler, type HandlerRun } from '../src/define.js';
import { awaitRun, hasEnded, insertDue, readRun, startTestWorker, useWorker } from './support.js';

const database = useDatabase();
const other = useDatabase();
useWorker(database);

const seen = new Map<string, HandlerRun>();
const aborted = new Map<string, unknown>();
const handler = (name: string) => ({ target: { type: 'handler' as const, name } });

defineHandler('test-progress', async ({ progress, payload }) => {
  for (let done = 1; done <= 1_000; done++) progress({ done, of: 1_000 });
  await eventually(() => (payload as { go: string }).go === 'on' || seen.has('go'));
  progress({ done: 'all' });
});
defineHandler('test-waits', async (run) => {
  seen.set(run.scheduleId, run);
  await once(run.signal, 'abort');
  aborted.set(run.scheduleId, run.signal.reason);
  throw new Error('stopped');
});
defineHandler('test-deaf', async () => {
  await new Promise(() => {});
});
defineHandler('test-throws', () => {
  throw new Error('out of paper');
});

describe('A handler', () => {
  it('shows its progress on the run while it goes on, and the last of it afterwards', async () => {
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

  it('is told of its time-out, and the run is tried again', async () => {
    const id = await insertDue(database, { id: 'h-timeout', ...handler('test-waits'), timeout: 'PT0.3S' });
    expect(await awaitRun(database, id)).toMatchObject({ status: 'retrying', errorCode: 'timeout' });
    expect(aborted.get('h-timeout')).toBe('timeout');
  });

  it('that does not listen is not waited for', async () => {
    const id = await insertDue(database, { ...handler('test-deaf'), timeout: 'PT0.3S' });
    expect(await awaitRun(database, id)).toMatchObject({ status: 'retrying', errorCode: 'timeout' });
  });

  it('is told of a cancel', async () => {
    const id = await insertDue(database, { id: 'h-cancel', ...handler('test-waits'), timeout: 'PT60S' });
    await eventually(() => seen.has('h-cancel'));
    const { rows } = await database.pool.query(
      `select (date_part('epoch', occurrence_at) * 1000)::bigint as at from every_run where schedule_id = $1`,
      [id],
    );
    const run = { scheduleId: id, occurrenceAt: rows[0].at, origin: 'rule' as const };
    await cancelRun(database.pool, { projectId: database.projectId, run, actor: 'test' });
    await eventually(() => aborted.get('h-cancel') === 'cancelled');
    expect(await readRun(database, id)).toMatchObject({ status: 'cancelled' });
  });

  it('is told of the shutdown, and its run is handed back without costing it an attempt', async () => {
    const worker = await startTestWorker(other, {});
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

  it('that throws has failed, and may be tried again; one that is not there too', async () => {
    const throws = await insertDue(database, handler('test-throws'));
    expect(await awaitRun(database, throws)).toMatchObject({ status: 'retrying', error: 'out of paper' });
    const unknown = await insertDue(database, handler('no-such'));
    expect(await awaitRun(database, unknown)).toMatchObject({
      status: 'retrying',
      errorCode: 'unknown_handler',
    });
  });
});
