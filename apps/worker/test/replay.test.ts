import {
  cancelRun,
  cancelSchedule,
  pauseSchedule,
  replayFailed,
  replayRun,
  resumeSchedule,
} from '@carillon/db';
import type { RunIdentity } from '@carillon/shared';
import { eventually, insertSchedules, useDatabase, useReceiver } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { attemptsOf, awaitRun, hasEnded, insertDue, useWorker } from './support.js';

const database = useDatabase();
const receiver = useReceiver();
useWorker(database);

const ONCE = { retry: { maxAttempts: 1 } };
const webhook = (path: string) => ({ type: 'webhook' as const, url: receiver.url(path), headers: {} });

async function identityOf(scheduleId: number): Promise<RunIdentity> {
  const { rows } = await database.pool.query(
    'select occurrence_at as at, origin from carillon.runs where schedule_id = $1 order by 1',
    [scheduleId],
  );
  return { scheduleId, occurrenceAt: rows[0].at, origin: rows[0].origin };
}

async function requestFor(scheduleId: number, projectId = database.projectId) {
  return { projectId, run: await identityOf(scheduleId), actor: 'test' };
}

describe('Replay', () => {
  it('a replay makes a new attempt of the same run with the same webhook-id, and gives the run its maximum number of attempts again', async () => {
    const path = 'flaky/3/replayed';
    const id = await insertDue(database, {
      target: webhook(path),
      retry: { maxAttempts: 2, baseDelay: 'PT0.05S', jitter: false },
    });
    await awaitRun(database, id, hasEnded);

    expect(await replayRun(database.pool, await requestFor(id))).toMatchObject({ kind: 'changed' });

    // Attempts 1 and 2 failed before the replay, and attempt 3 fails after it. Attempt 4 exists because the replay has
    // a full set of attempts.
    expect(await awaitRun(database, id, ({ status }) => status === 'succeeded')).toMatchObject({
      attempt: 4,
      freeAttempts: 2,
    });
    expect(await attemptsOf(database, id)).toEqual(
      [1, 2, 3, 4].map((number) => ({ number, outcome: number === 4 ? 'succeeded' : 'failed' })),
    );
    expect(new Set(receiver.to(path).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.to(path).map(({ headers }) => headers['x-attempt-key'])).size).toBe(4);
  });

  it('a replay is refused while the run is open or after its schedule was cancelled', async () => {
    const open = await insertDue(database, {
      target: webhook('status/500/open'),
      retry: { baseDelay: 'PT60S' },
    });
    await awaitRun(database, open);
    expect(await replayRun(database.pool, await requestFor(open))).toMatchObject({ kind: 'refused' });

    const [recurring] = (await insertSchedules(database, [
      {
        id: 'gone',
        rule: { every: 'PT1S' },
        target: webhook('status/404'),
        ...ONCE,
      },
    ])) as [number];
    await awaitRun(database, recurring, hasEnded);
    await cancelSchedule(database.pool, { ref: { id: recurring }, actor: 'test' });
    expect(await replayRun(database.pool, await requestFor(recurring))).toEqual({
      kind: 'refused',
      reason: 'its schedule is cancelled',
    });
  });

  it('a run of another project can be neither replayed nor cancelled', async () => {
    const id = await insertDue(database, { target: webhook('status/404/tenant'), ...ONCE });
    await awaitRun(database, id, hasEnded);
    expect(await replayRun(database.pool, await requestFor(id, 999))).toEqual({ kind: 'not_found' });
    expect(await cancelRun(database.pool, await requestFor(id, 999))).toEqual({ kind: 'not_found' });
  });

  it('a replay of all failed runs starts them one after the other, at the requested rate', async () => {
    await database.pool.query(`delete from carillon.runs where status = 'failed'`);
    const at = new Date().toISOString();
    const ids = await insertSchedules(
      database,
      Array.from({ length: 5 }, (_, n) => ({
        id: `dead-${n}`,
        rule: { at },
        target: webhook('flaky/5/dead'),
        ...ONCE,
      })),
    );
    for (const id of ids) await awaitRun(database, id, hasEnded);
    const request = { projectId: database.projectId, limit: 1_000, perSecond: 10, actor: 'test' };

    const none = await replayFailed(database.pool, { ...request, filter: { scheduleKeys: ['no-such'] } });
    const replayed = await replayFailed(database.pool, {
      ...request,
      filter: { from: Date.now() - 60_000 },
    });

    expect(none.count).toBe(0);
    expect(replayed.count).toBe(5);
    const [first = 0] = replayed.dueAts.toSorted((a, b) => a - b);
    expect(replayed.dueAts.map((dueAt) => dueAt - first).toSorted((a, b) => a - b)).toEqual([
      0, 100, 200, 300, 400,
    ]);
    for (const id of ids) await awaitRun(database, id, ({ status }) => status === 'succeeded');
    expect((await replayFailed(database.pool, { ...request, filter: {} })).count).toBe(0);
  });

  it('a replayed run waits while its schedule is paused, and runs after the resume', async () => {
    const yesterday = Date.now() - 86_400_000;
    const daily = { rule: { every: 'P1D' }, target: webhook('flaky/1/paused'), ...ONCE };
    const [id] = (await insertSchedules(database, [daily], { nowAt: yesterday })) as [number];
    await awaitRun(database, id, hasEnded);
    await pauseSchedule(database.pool, { ref: { id }, actor: 'test' }, { note: null, untilAt: null });
    await replayRun(database.pool, await requestFor(id));
    expect(await awaitRun(database, id, ({ status }) => status === 'retrying')).toMatchObject({
      nextAttemptAt: Number.POSITIVE_INFINITY,
    });

    await resumeSchedule(database.pool, { ref: { id }, actor: 'test' });

    expect(await awaitRun(database, id, hasEnded)).toMatchObject({ status: 'succeeded', attempt: 2 });
  });
});

describe('Cancel of one run', () => {
  it('cancelling a run in flight closes its connection, and the result that its worker writes later is refused', async () => {
    const path = 'hang/cancelled';
    const id = await insertDue(database, { target: webhook(path), timeout: 'PT60S' });
    await eventually(() => receiver.to(path).length === 1);

    expect(await cancelRun(database.pool, await requestFor(id))).toMatchObject({ kind: 'changed' });

    await eventually(() => receiver.open === 0, { what: 'the connection closed' });
    expect(await awaitRun(database, id)).toMatchObject({
      status: 'cancelled',
      outcome: 'cancelled',
      reason: 'cancelled by test',
    });
  });

  it('cancelling a run that waits for its retry ends it, and a second cancel is refused', async () => {
    const id = await insertDue(database, {
      target: webhook('status/503/waits'),
      retry: { baseDelay: 'PT60S' },
    });
    await awaitRun(database, id);
    expect(await cancelRun(database.pool, await requestFor(id))).toMatchObject({ kind: 'changed' });
    expect(await awaitRun(database, id, hasEnded)).toMatchObject({
      status: 'cancelled',
      nextAttemptAt: null,
    });
    expect(await cancelRun(database.pool, await requestFor(id))).toMatchObject({ kind: 'refused' });
  });
});
