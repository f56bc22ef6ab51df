import {
  cancelSchedule,
  createSchedules,
  editSchedule,
  listSchedules,
  pauseSchedule,
  readSchedule,
  replayFailed,
  replayRun,
  rescheduleNext,
  resumeSchedule,
  skipNext,
  triggerSchedule,
} from '@carillon/db';
import { HOUR_MS, MINUTE_MS } from '@carillon/shared';
import { draft, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const { projectId } = database;

const T0 = Date.parse('2026-03-02T10:00:00Z');
const at = (instant: number) => ({ rule: { at: new Date(instant).toISOString() } });

interface Schedule {
  id: number;
  key: string;
}

/** Inserts a schedule at T0. By default it is a one-shot that is due at once. */
async function insert(input: object = {}): Promise<Schedule> {
  const [id] = (await insertSchedules(database, [{ ...at(T0), ...input }], { nowAt: T0 })) as [number];
  const { rows } = await database.pool.query('select key from carillon.schedules where id = $1', [id]);
  return { id, key: rows[0].key };
}

async function claimOne(now = T0) {
  const [run, ...others] = await engine.claim(now);
  if (!run) throw new Error('nothing was claimed');
  expect(others).toEqual([]);
  return run;
}

/** Inserts a one-shot, claims it at T0, and closes its run as succeeded a millisecond later. */
async function fired(input: object = {}): Promise<Schedule> {
  const schedule = await insert(input);
  await engine.succeed(await claimOne(), T0 + 1);
  return schedule;
}

async function read({ key }: Schedule) {
  const schedule = await readSchedule(database.pool, projectId, key);
  if (!schedule) throw new Error(`schedule ${key} does not exist`);
  return schedule;
}

/**
 * Returns the id of the transaction that wrote the row last. Every write changes it, even one that changes no column.
 */
async function writtenBy({ id }: Schedule): Promise<string> {
  const { rows } = await database.pool.query('select xmin::text from carillon.schedules where id = $1', [id]);
  return rows[0].xmin;
}

const changing = ({ id }: Schedule, now = T0 + HOUR_MS) => ({ ref: { id }, actor: 'test', now });
const NO_END = { note: null, untilAt: null };

describe('A fire and the row in carillon.schedules', () => {
  it('a one-shot that fires and succeeds does not change its row in carillon.schedules', async () => {
    const schedule = await insert();
    const before = await writtenBy(schedule);
    await engine.succeed(await claimOne(), T0 + 1);
    expect(await writtenBy(schedule)).toBe(before);
  });

  it('a recurring schedule that fires does not change its row in carillon.schedules', async () => {
    const schedule = await insert({ rule: { every: 'PT1H' } });
    const before = await writtenBy(schedule);
    await engine.succeed(await claimOne(T0 + HOUR_MS), T0 + HOUR_MS);
    expect(await read(schedule)).toMatchObject({ status: 'active', runsTotal: 1 });
    expect(await writtenBy(schedule)).toBe(before);
    await cancelSchedule(database.pool, changing(schedule));
  });
});

describe('A one-shot that has fired', () => {
  it('a one-shot that has fired reads as finished with one run as soon as it is claimed', async () => {
    const schedule = await insert();
    const { createdAt } = await read(schedule);
    const run = await claimOne();
    const finished = {
      status: 'finished',
      version: 1,
      runsTotal: 1,
      nextRunAt: null,
      occurrenceAt: null,
      lastRunAt: T0,
      lastClaimedAt: T0,
      createdAt,
      updatedAt: createdAt,
    };
    expect(await read(schedule)).toMatchObject(finished);
    await engine.succeed(run, T0 + 1);
    expect(await read(schedule)).toMatchObject(finished);
    expect(await readSchedule(database.pool, projectId + 1, schedule.key)).toBeNull();
  });

  it('a finished one-shot is found by tag and by key as finished, and listed neither as active nor as due', async () => {
    const schedule = await fired({ tags: ['listed'] });
    const list = async (filter: object) => {
      const schedules = await listSchedules(database.pool, { projectId, filter, limit: 10, beforeId: null });
      return schedules.map(({ key, status }) => ({ key, status }));
    };
    const listed = { key: schedule.key, status: 'finished' };
    expect(await list({ tag: 'listed' })).toEqual([listed]);
    expect(await list({ tag: 'listed', status: 'finished' })).toEqual([listed]);
    expect(await list({ tag: 'listed', status: 'active' })).toEqual([]);
    expect(await list({ tag: 'listed', dueBefore: new Date(T0 + HOUR_MS).toISOString() })).toEqual([]);
    expect(await list({ q: schedule.key })).toContainEqual(listed);
  });

  it('a finished one-shot keeps its id: a repeated create returns it, and a create with another body is a conflict', async () => {
    const schedule = await fired({ id: 'taken' });
    const create = (input: object) => {
      const drafts = [draft({ ...at(T0), id: schedule.key, ...input }, T0)];
      return createSchedules(database.pool, { projectId, drafts, actor: 'test' });
    };
    expect(await create({})).toEqual([{ kind: 'same' }]);
    expect(await create({ payload: 1 })).toEqual([{ kind: 'conflict' }]);
    expect(await engine.claim(T0 + HOUR_MS)).toEqual([]);
  });

  it('a finished one-shot can be triggered, and is unchanged after that run', async () => {
    const schedule = await fired();
    const before = await read(schedule);
    expect(await triggerSchedule(database.pool, changing(schedule))).toMatchObject({ kind: 'changed' });
    await engine.succeed(await claimOne(T0 + HOUR_MS), T0 + HOUR_MS);
    expect(await read(schedule)).toEqual(before);
  });

  it('a finished one-shot can be neither paused nor cancelled, and its row does not change', async () => {
    const schedule = await fired();
    const before = await writtenBy(schedule);
    const { pool } = database;
    expect(await pauseSchedule(pool, changing(schedule), NO_END)).toMatchObject({ kind: 'refused' });
    expect(await cancelSchedule(pool, changing(schedule))).toMatchObject({ kind: 'refused' });
    expect(await writtenBy(schedule)).toBe(before);
    expect(await read(schedule)).toMatchObject({ status: 'finished', version: 1 });
  });

  it('a finished one-shot that is edited to another time becomes active, fires again and counts both runs', async () => {
    const schedule = await fired();
    const later = draft(at(T0 + 2 * HOUR_MS), T0 + HOUR_MS);
    expect(await editSchedule(database.pool, changing(schedule), later)).toMatchObject({
      kind: 'changed',
      value: { version: 2 },
    });
    expect(await read(schedule)).toMatchObject({ status: 'active', runsTotal: 1, lastRunAt: T0 });
    await engine.succeed(await claimOne(T0 + 2 * HOUR_MS), T0 + 2 * HOUR_MS);
    expect(await read(schedule)).toMatchObject({
      status: 'finished',
      version: 2,
      runsTotal: 2,
      lastRunAt: T0 + 2 * HOUR_MS,
      lastClaimedAt: T0 + 2 * HOUR_MS,
    });
  });

  it('an edit of a finished one-shot that keeps its time does not run it again', async () => {
    const schedule = await fired();
    const sameTime = { ...draft(at(T0), T0), payload: '{"edition":2}' };
    expect(await editSchedule(database.pool, changing(schedule), sameTime)).toMatchObject({
      kind: 'changed',
    });
    expect(await engine.claim(T0 + 2 * HOUR_MS)).toEqual([]);
    expect(await read(schedule)).toMatchObject({ status: 'finished', version: 2, runsTotal: 1 });
  });

  it('the run of a one-shot that has fired is retried, and it can be replayed after its last attempt has failed', async () => {
    const schedule = await insert({ retry: { maxAttempts: 2, baseDelay: 'PT1S' } });
    await engine.fail(await claimOne(), T0 + 1);
    expect(await read(schedule)).toMatchObject({ status: 'finished' });
    const again = await claimOne(T0 + HOUR_MS);
    expect(again).toMatchObject({ scheduleId: schedule.id, scheduleKey: schedule.key, attempt: 2 });
    await engine.fail(again, T0 + HOUR_MS);
    expect(await engine.runsOf(schedule.id)).toMatchObject([{ status: 'failed' }]);

    const filter = { scheduleKeys: [schedule.key] };
    const all = { projectId, filter, limit: 10, perSecond: 100, actor: 'test', now: T0 + HOUR_MS };
    expect(await replayFailed(database.pool, all)).toMatchObject({ count: 1 });
    await engine.fail(await claimOne(T0 + 2 * HOUR_MS), T0 + 2 * HOUR_MS);
    await engine.fail(await claimOne(T0 + 3 * HOUR_MS), T0 + 3 * HOUR_MS);

    const run = { scheduleId: schedule.id, occurrenceAt: T0, origin: 'rule' as const };
    const request = { projectId, run, actor: 'test', now: T0 + 4 * HOUR_MS };
    expect(await replayRun(database.pool, request)).toMatchObject({ kind: 'changed' });
    await engine.succeed(await claimOne(T0 + 4 * HOUR_MS), T0 + 4 * HOUR_MS);
    expect(await engine.runsOf(schedule.id)).toMatchObject([{ status: 'succeeded', attempt: 5 }]);
    expect(await read(schedule)).toMatchObject({ status: 'finished', runsTotal: 1, lastRunAt: T0 });
  });

  it('cancelling a one-shot whose run waits for a retry cancels that run', async () => {
    const schedule = await insert({ retry: { maxAttempts: 5, baseDelay: 'PT1S' } });
    await engine.fail(await claimOne(), T0 + 1);
    expect(await cancelSchedule(database.pool, changing(schedule, T0 + 2))).toMatchObject({
      kind: 'changed',
      value: { inFlight: [], isNew: true },
    });
    expect(await engine.claim(T0 + HOUR_MS)).toEqual([]);
    expect(await engine.runsOf(schedule.id)).toMatchObject([
      { status: 'cancelled', reasonCode: 'schedule_cancelled' },
    ]);
    expect(await read(schedule)).toMatchObject({ status: 'cancelled', runsTotal: 1, lastRunAt: T0 });
  });
});

describe('Totals of a schedule that finishes', () => {
  it('a one-shot that was rescheduled and has fired shows the time of the reschedule as updatedAt', async () => {
    const schedule = await insert();
    await rescheduleNext(database.pool, changing(schedule, T0 + 1), T0 + HOUR_MS);
    await engine.succeed(await claimOne(T0 + HOUR_MS), T0 + HOUR_MS);
    expect(await read(schedule)).toMatchObject({
      status: 'finished',
      runsTotal: 1,
      lastRunAt: T0,
      lastClaimedAt: T0 + HOUR_MS,
      updatedAt: T0 + 1,
    });
  });

  it('a pause and a resume of a one-shot each increase its version, and its fire does not', async () => {
    const schedule = await insert();
    await pauseSchedule(database.pool, changing(schedule, T0 - 2), NO_END);
    await resumeSchedule(database.pool, changing(schedule, T0 - 1));
    await engine.succeed(await claimOne(), T0);
    expect(await read(schedule)).toMatchObject({ status: 'finished', version: 3, runsTotal: 1 });
  });

  it('a schedule with maxRuns 2 finishes with its second run and counts both', async () => {
    const schedule = await insert({ rule: { every: 'PT30M' }, maxRuns: 2 });
    for (const now of [T0 + 30 * MINUTE_MS, T0 + HOUR_MS]) await engine.succeed(await claimOne(now), now);
    expect(await read(schedule)).toMatchObject({
      status: 'finished',
      runsTotal: 2,
      lastRunAt: T0 + HOUR_MS,
      lastClaimedAt: T0 + HOUR_MS,
    });
    expect(await engine.claim(T0 + 2 * HOUR_MS)).toEqual([]);
  });

  it('a one-shot with an overlap policy finishes with one run, as every one-shot does', async () => {
    const schedule = await fired({ overlap: 'skip' });
    expect(await read(schedule)).toMatchObject({ status: 'finished', runsTotal: 1, lastRunAt: T0 });
  });

  it('a one-shot whose only occurrence is skipped by request finishes with no run', async () => {
    const schedule = await insert(at(T0 + HOUR_MS));
    await skipNext(database.pool, changing(schedule, T0 + 1));
    expect(await read(schedule)).toMatchObject({ status: 'finished', runsTotal: 0, lastRunAt: null });
  });

  it.each([
    ['a later', T0 + 3 * HOUR_MS],
    ['an earlier', T0 + HOUR_MS],
  ])(
    'a one-shot that was skipped and then edited to %s time fires once and counts one run',
    async (_, movedTo) => {
      const schedule = await insert(at(T0 + 2 * HOUR_MS));
      await skipNext(database.pool, changing(schedule, T0 + 1));
      await editSchedule(database.pool, changing(schedule, T0 + 2), draft(at(movedTo), T0 + 2));
      await engine.succeed(await claimOne(movedTo), movedTo);
      expect(await engine.claim(T0 + 4 * HOUR_MS)).toEqual([]);
      expect(await read(schedule)).toMatchObject({
        status: 'finished',
        runsTotal: 1,
        lastRunAt: movedTo,
        lastClaimedAt: movedTo,
      });
    },
  );
});
