import {
  type ClaimedRun,
  cancelRun,
  listRuns,
  readAttempts,
  readInFlight,
  readRun,
  rescueRuns,
  triggerSchedule,
  writeProgress,
} from '@carillon/db';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { claimOneShots } from './claim-one-shots.js';

const database = useDatabase();
const engine = useEngine(database);
const { projectId } = database;

const T0 = Date.parse('2026-03-02T10:00:00Z');
const LEASE_MS = 15_000;
const succeeded = (run: ClaimedRun) => ({ run, outcome: { kind: 'succeeded' } as const });

const { claim, claimOne, claimTwo } = claimOneShots({ database, engine, nowAt: T0 });

describe('The row of a run', () => {
  it('a run has one row in carillon.runs from its claim on, and keeps that row after it has ended', async () => {
    const run = await claimOne();
    expect(await engine.runsOf(run.scheduleId)).toMatchObject([
      { status: 'running', attempt: 1, outcome: null },
    ]);
    expect(await engine.succeed(run, T0 + 1)).toBe(1);
    expect(await engine.runsOf(run.scheduleId)).toMatchObject([
      { status: 'succeeded', attempt: 1, outcome: 'succeeded' },
    ]);
    expect(await readRun(database.pool, projectId, run)).toMatchObject({
      occurrenceAt: T0,
      dueAt: T0,
      recordedAt: T0,
      claimedAt: T0,
      finishedAt: T0 + 1,
      workerId: (await engine.holder()).workerId,
      version: 1,
    });
  });

  it('a running run can be read by its key and is listed as running, with its attempt open (invariant I3)', async () => {
    const run = await claimOne();
    const running = { status: 'running', attempt: 1, claimedAt: T0, finishedAt: null };
    expect(await readRun(database.pool, projectId, run)).toMatchObject(running);
    expect(await readAttempts(database.pool, projectId, run)).toMatchObject([{ number: 1, outcome: null }]);
    expect(await readInFlight(database.pool, run.scheduleId)).toMatchObject([
      { occurrenceAt: T0, origin: 'rule' },
    ]);
    const list = async (filter: object) =>
      (await listRuns(database.pool, { projectId, filter, limit: 10, after: null })).runs;
    expect(await list({ scheduleKey: run.scheduleKey })).toMatchObject([running]);
    expect(await list({ scheduleKey: run.scheduleKey, status: 'running' })).toMatchObject([running]);
    expect(await readRun(database.pool, projectId + 1, run)).toBeNull();
    expect(await readAttempts(database.pool, projectId + 1, run)).toEqual([]);
    await engine.succeed(run, T0 + 1);
    expect(await list({ scheduleKey: run.scheduleKey, status: 'running' })).toEqual([]);
    expect(await readInFlight(database.pool, run.scheduleId)).toEqual([]);
  });

  it('the runs of one claimed batch end independently of each other', async () => {
    const [done, open] = await claimTwo();
    await engine.succeed(done, T0 + 1);
    expect(await engine.runsOf(done.scheduleId)).toMatchObject([{ status: 'succeeded' }]);
    expect(await engine.runsOf(open.scheduleId)).toMatchObject([{ status: 'running' }]);
    await engine.succeed(open, T0 + 2);
    expect(await engine.runsOf(open.scheduleId)).toMatchObject([{ status: 'succeeded' }]);
  });

  it('a running run can be cancelled, and its worker can then no longer close it', async () => {
    const [cancelled, other] = await claimTwo();
    const request = { projectId, run: cancelled, actor: 'ops', now: T0 + 1 };
    expect(await cancelRun(database.pool, request)).toMatchObject({ kind: 'changed' });
    expect(await engine.closeAll([cancelled, other].map(succeeded), T0 + 2)).toBe(1);
    expect(await engine.runsOf(cancelled.scheduleId)).toMatchObject([
      { status: 'cancelled', outcome: 'cancelled', reason: 'cancelled by ops' },
    ]);
    expect(await engine.runsOf(other.scheduleId)).toMatchObject([{ status: 'succeeded' }]);
  });

  it('a running run shows the latest progress that its worker reported, and keeps it after it has ended', async () => {
    const run = await claimOne();
    const holder = await engine.holder();
    await writeProgress(database.pool, holder, run, '{"done":1}');
    await writeProgress(database.pool, holder, run, '{"done":2}');
    const read = () => readRun(database.pool, projectId, run);
    expect(await read()).toMatchObject({ status: 'running', progress: { done: 2 } });
    expect(await engine.succeed(run, T0 + 1)).toBe(1);
    expect(await read()).toMatchObject({ status: 'succeeded', attempt: 1, progress: { done: 2 } });
  });

  it('a run that is deferred after its claim has used no attempt: its next claim is attempt 1 again', async () => {
    const run = await claimOne();
    const deferred = {
      kind: 'deferred',
      reasonCode: 'origin_busy',
      reason: 'deferred',
      retryInMs: 1_000,
    } as const;
    await engine.closeAll([{ run, outcome: deferred }], T0 + 1);
    expect(await engine.runsOf(run.scheduleId)).toMatchObject([
      { status: 'retrying', attempt: 0, outcome: null },
    ]);
    expect(await readAttempts(database.pool, projectId, run)).toEqual([]);
    const [again] = await engine.claim(T0 + 2_000);
    if (!again) throw new Error('the deferred run was not claimed');
    expect(again).toMatchObject({ scheduleId: run.scheduleId, attempt: 1 });
    await engine.succeed(again, T0 + 2_001);
    expect(await readAttempts(database.pool, projectId, run)).toMatchObject([
      { number: 1, outcome: 'succeeded' },
    ]);
  });

  it('a retried run stays one row, and all its attempts can be read', async () => {
    const run = await claimOne({ retry: { maxAttempts: 3, baseDelay: 'PT1S' } });
    await engine.fail(run, T0 + 1);
    const [again] = await engine.claim(T0 + 60_000);
    if (!again) throw new Error('the retry was not claimed');
    await engine.succeed(again, T0 + 60_001);
    expect(await engine.runsOf(run.scheduleId)).toMatchObject([{ status: 'succeeded', attempt: 2 }]);
    expect(await readAttempts(database.pool, projectId, run)).toMatchObject([
      { number: 1, outcome: 'failed', claimedAt: T0, finishedAt: T0 + 1 },
      { number: 2, outcome: 'succeeded', claimedAt: T0 + 60_000, finishedAt: T0 + 60_001 },
    ]);
  });

  it('a triggered run has one row from the trigger on: queued, then running, then succeeded', async () => {
    const [id] = (await insertSchedules(database, [{ rule: { every: 'P1D' } }], { nowAt: T0 })) as [number];
    await triggerSchedule(database.pool, { ref: { id }, actor: 'ops', now: T0 + 5 });
    expect(await engine.runsOf(id)).toMatchObject([
      { status: 'queued', origin: 'trigger', nextAttemptAt: T0 + 5 },
    ]);
    const [run] = await engine.claim(T0 + 5);
    if (!run) throw new Error('the triggered run was not claimed');
    expect(await engine.runsOf(id)).toMatchObject([
      { status: 'running', origin: 'trigger', nextAttemptAt: null },
    ]);
    await engine.succeed(run, T0 + 6);
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'succeeded', origin: 'trigger' }]);
  });
});

describe('Rescue', () => {
  it('if a lease expires, a sweep makes its open runs claimable again and leaves its ended runs unchanged', async () => {
    const [ended, open] = await claimTwo();
    await engine.succeed(ended, T0 + 1);
    expect(await rescueRuns(database.pool, T0 + LEASE_MS + 1)).toMatchObject([
      { scheduleId: open.scheduleId },
    ]);
    expect(await engine.runsOf(ended.scheduleId)).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
    expect(await engine.runsOf(open.scheduleId)).toMatchObject([{ status: 'retrying', outcome: 'unknown' }]);
    // The worker that lost its lease is refused, and the run gets a second attempt.
    expect(await engine.succeed(open, T0 + LEASE_MS + 2)).toBe(0);
    const [again] = await engine.claim(T0 + LEASE_MS + 3);
    if (!again) throw new Error('the rescued run was not claimed');
    expect(await engine.succeed(again, T0 + LEASE_MS + 4)).toBe(1);
    expect(await engine.runsOf(open.scheduleId)).toMatchObject([{ status: 'succeeded', attempt: 2 }]);
  });

  it('if a worker closes runs while a sweep takes them back because their lease has expired, exactly one of the two ends each attempt', async () => {
    for (let round = 0; round < 30; round++) {
      const runs = await claim(20);
      const expiredAt = T0 + LEASE_MS + 1;
      const [closed, rescued] = await Promise.all([
        engine.closeAll(runs.map(succeeded), expiredAt),
        rescueRuns(database.pool, expiredAt),
      ]);
      expect(closed + rescued.length).toBe(20);
      // The rescued runs are claimed again and closed, so that no run is open when the next round begins.
      const again = await engine.claim(expiredAt + 1);
      expect(again).toHaveLength(rescued.length);
      expect(await engine.closeAll(again.map(succeeded), expiredAt + 2)).toBe(again.length);
    }
  });
});

describe('Cancel', () => {
  it('cancel and close race: exactly one of them ends the run', async () => {
    for (let round = 0; round < 30; round++) {
      const runs = await claim(10);
      const cancel = (run: (typeof runs)[number]) =>
        cancelRun(database.pool, { projectId, run, actor: 'ops', now: T0 + 1 });
      const [closed, ...answers] = await Promise.all([
        engine.closeAll(runs.map(succeeded), T0 + 1),
        ...runs.slice(0, 4).map(cancel),
      ]);
      const cancelled = answers.filter(({ kind }) => kind === 'changed');
      expect(closed + cancelled.length).toBe(10);
      const statuses = await Promise.all(runs.map(({ scheduleId }) => engine.runsOf(scheduleId)));
      const count = (status: string) => statuses.filter(([run]) => run?.status === status).length;
      expect([count('succeeded'), count('cancelled')]).toEqual([closed, cancelled.length]);
    }
  });
});
