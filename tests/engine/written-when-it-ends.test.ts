import {
  cancelRun,
  closeRuns,
  listRuns,
  readAttempts,
  readRun,
  rescueRuns,
  writeProgress,
} from '@carillon/db';
import { eventually, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);

const T0 = Date.parse('2026-03-02T10:00:00Z');
const LEASE = 15_000;

/** One-shots that were claimed together at T0: only their lease knows of them. */
async function claim(count: number, changes: object = {}) {
  const input = { rule: { at: new Date(T0).toISOString() }, ...changes };
  await insertSchedules(
    database,
    Array.from({ length: count }, () => input),
    { nowAt: T0 },
  );
  const runs = await engine.claim(T0);
  expect(runs).toHaveLength(count);
  return runs;
}

const rowsOf = async (epoch: number | undefined) => {
  const { rows } = await database.pool.query('select status, outcome, attempt from runs where epoch = $1', [
    epoch,
  ]);
  return rows;
};
const one = <T>([first]: T[]): T => {
  if (!first) throw new Error('nothing there');
  return first;
};

describe('A run that only its lease knows of', () => {
  it('has no row until it ends, and then one that says all of it', async () => {
    const run = one(await claim(1));
    expect(await rowsOf(run.epoch)).toEqual([]);
    expect(await engine.succeed(run, T0 + 1)).toBe(1);
    expect(await rowsOf(run.epoch)).toEqual([{ status: 'succeeded', outcome: 'succeeded', attempt: 1 }]);
    expect(await readRun(database.pool, database.projectId, run)).toMatchObject({
      occurrenceAt: new Date(T0),
      dueAt: new Date(T0),
      enqueuedAt: new Date(T0),
      claimedAt: new Date(T0),
      finishedAt: new Date(T0 + 1),
      workerId: expect.any(Number),
      version: 1,
    });
  });

  it('is read and listed as running, with its attempt open (I3)', async () => {
    const run = one(await claim(1));
    const { projectId } = database;
    const running = { status: 'running', attempt: 1, claimedAt: new Date(T0), finishedAt: null };
    expect(await readRun(database.pool, projectId, run)).toMatchObject(running);
    expect(await readAttempts(database.pool, projectId, run)).toMatchObject([{ number: 1, outcome: null }]);
    const list = (filter: object) => listRuns(database.pool, { projectId, filter, limit: 10, after: null });
    expect(await list({ scheduleKey: run.scheduleKey })).toMatchObject([running]);
    expect(await list({ scheduleKey: run.scheduleKey, status: 'running' })).toMatchObject([running]);
    expect(await readRun(database.pool, projectId + 1, run)).toBeNull();
    await engine.succeed(run, T0 + 1);
    expect(await list({ scheduleKey: run.scheduleKey, status: 'running' })).toEqual([]);
  });

  it('is not seen twice while others of its batch go on', async () => {
    const [done, open] = await claim(2);
    if (!done || !open) throw new Error('not claimed');
    await engine.succeed(done, T0 + 1);
    expect(await engine.runsOf(done.scheduleId)).toMatchObject([{ status: 'succeeded' }]);
    expect(await engine.runsOf(open.scheduleId)).toMatchObject([{ status: 'running' }]);
    await engine.succeed(open, T0 + 2);
  });

  it('can be cancelled, and its worker may no longer close it', async () => {
    const [cancelled, other] = await claim(2);
    if (!cancelled || !other) throw new Error('not claimed');
    const request = { projectId: database.projectId, run: cancelled, actor: 'ops', now: T0 + 1 };
    expect(await cancelRun(database.pool, request)).toMatchObject({ kind: 'changed' });
    const outcome = { kind: 'succeeded' } as const;
    const ended = [cancelled, other].map((run) => ({ run, outcome }));
    expect(await engine.closeAll(ended, T0 + 2)).toBe(1);
    expect(await engine.runsOf(cancelled.scheduleId)).toMatchObject([
      { status: 'cancelled', outcome: 'cancelled', reason: 'cancelled by ops' },
    ]);
    expect(await engine.runsOf(other.scheduleId)).toMatchObject([{ status: 'succeeded' }]);
  });

  it('is closed by turns with whoever writes runs of its lease down', async () => {
    const [run, other] = await claim(2);
    if (!run || !other) throw new Error('not claimed');
    const writer = await database.pool.connect();
    await writer.query('begin');
    await writer.query('select from leases where epoch = $1 for update', [run.epoch]);
    let isClosed = false;
    const closing = engine.succeed(run, T0 + 1).finally(() => {
      isClosed = true;
    });
    const isWaiting = async () =>
      (await database.pool.query(`select from pg_locks where not granted`)).rowCount !== 0;
    await eventually(async () => isClosed || (await isWaiting()));
    expect(isClosed).toBe(false);
    await writer.query('commit');
    writer.release();
    expect(await closing).toBe(1);
    await engine.succeed(other, T0 + 2);
  });

  it('shows how far it has come, and is closed all the same', async () => {
    const run = one(await claim(1));
    await writeProgress(database.pool, run, '{"done":1}');
    await writeProgress(database.pool, run, '{"done":2}');
    const read = () => readRun(database.pool, database.projectId, run);
    expect(await read()).toMatchObject({ status: 'running', progress: { done: 2 } });
    expect(await engine.succeed(run, T0 + 1)).toBe(1);
    expect(await read()).toMatchObject({ status: 'succeeded', attempt: 1 });
  });

  it('is put off without an attempt, and begins with its first', async () => {
    const run = one(await claim(1));
    const waits = { kind: 'deferred', reasonCode: 'busy', reason: 'put off', retryInMs: 1_000 } as const;
    await engine.closeAll([{ run, outcome: waits }], T0 + 1);
    expect(await engine.runsOf(run.scheduleId)).toMatchObject([
      { status: 'retrying', attempt: 0, outcome: null },
    ]);
    const again = one(await engine.claim(T0 + 2_000));
    expect(again).toMatchObject({ scheduleId: run.scheduleId, attempt: 1 });
    await engine.succeed(again, T0 + 2_001);
  });
});

describe('A lease that ran out', () => {
  it('gives back what has not ended, and leaves what has', async () => {
    const [ended, open] = await claim(2);
    if (!ended || !open) throw new Error('not claimed');
    await engine.succeed(ended, T0 + 1);
    expect(await rescueRuns(database.pool, T0 + LEASE + 1)).toMatchObject([{ scheduleId: open.scheduleId }]);
    expect(await engine.runsOf(ended.scheduleId)).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
    expect(await engine.runsOf(open.scheduleId)).toMatchObject([{ status: 'retrying', outcome: 'unknown' }]);
    // Too late, and nothing is written about it.
    expect(await engine.succeed(open, T0 + LEASE + 2)).toBe(0);
    await engine.succeed(one(await engine.claim(T0 + LEASE + 3)), T0 + LEASE + 4);
  });

  it('gives back also what a worker from before leases named their runs had claimed', async () => {
    const run = one(await claim(1, { overlap: 'skip' }));
    expect(await rowsOf(run.epoch)).toMatchObject([{ status: 'running' }]);
    await database.pool.query(
      `update leases set expires_at = held_until, held_until = null, claimed_at = null, schedule_ids = null,
                         occurrence_ats = null, due_ats = null, versions = null where epoch = $1`,
      [run.epoch],
    );
    expect(await rescueRuns(database.pool, T0 + LEASE + 1)).toMatchObject([{ scheduleId: run.scheduleId }]);
    await engine.succeed(one(await engine.claim(T0 + LEASE + 3)), T0 + LEASE + 4);
  });

  it('is not for such a worker to give up: it would not know of its runs', async () => {
    const run = one(await claim(1));
    const { rowCount } = await database.pool.query(
      `select from leases where epoch = $1 and expires_at < now() + interval '1000 years'`,
      [run.epoch],
    );
    expect(rowCount).toBe(0);
    await engine.succeed(run, T0 + 1);
  });

  it('and one who closes at that moment: one of the two has it', async () => {
    for (let round = 0; round < 30; round++) {
      const runs = await claim(20);
      const closed = runs.map((run) => ({
        ...run,
        ...{ status: 'succeeded', outcome: 'succeeded', durationMs: 1, httpStatus: null, errorCode: null },
        ...{ error: null, response: null, externalId: null, retryInMs: null },
      })) as Parameters<typeof closeRuns>[1];
      const epoch = one(runs).epoch;
      const [kept, rescued] = await Promise.all([
        closeRuns(database.pool, closed, { doneEpochs: round % 2 ? [epoch] : [], now: T0 + LEASE + 1 }),
        rescueRuns(database.pool, T0 + LEASE + 1),
      ]);
      const ours = rescued.filter(({ scheduleId }) => runs.some((run) => run.scheduleId === scheduleId));
      expect(kept + ours.length).toBe(20);
      await engine.closeAll(
        (await engine.claim(T0 + LEASE + 2)).map((run) => ({ run, outcome: { kind: 'succeeded' } })),
        T0 + LEASE + 3,
      );
      await rescueRuns(database.pool, T0 + 10 * LEASE);
    }
  });
});
