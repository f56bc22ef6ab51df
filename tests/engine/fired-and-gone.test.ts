import {
  createSchedules,
  editSchedule,
  listSchedules,
  pauseSchedule,
  readSchedule,
  replayFailed,
  replayRun,
  rescheduleNext,
  resumeSchedule,
  triggerSchedule,
} from '@carillon/db';
import { draft, eventually, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const { projectId } = database;

const T0 = Date.parse('2026-03-02T10:00:00Z');
const HOUR = 3_600_000;
const once = () => ({ rule: { at: new Date(T0).toISOString() } });

async function insert(input: object): Promise<{ id: number; key: string }> {
  const [id] = await insertSchedules(database, [{ ...once(), ...input }], { nowAt: T0 });
  if (id === undefined) throw new Error('not inserted');
  const { rows } = await database.pool.query('select key from schedules where id = $1', [id]);
  return { id, key: rows[0].key };
}

const claimOne = async (at = T0) => {
  const [run, ...others] = await engine.claim(at);
  if (!run) throw new Error('nothing was claimed');
  expect(others).toEqual([]);
  return run;
};

/** Inserts a schedule, lets it fire at T0, and succeed a millisecond later. */
async function fired(input: object = {}): Promise<{ id: number; key: string }> {
  const schedule = await insert(input);
  await engine.succeed(await claimOne(), T0 + 1);
  return schedule;
}

const isGone = async ({ id }: { id: number }) => {
  const { rowCount } = await database.pool.query('select from schedules where id = $1', [id]);
  return rowCount === 0;
};
const read = async ({ key }: { key: string }) => {
  const schedule = await readSchedule(database.pool, projectId, key);
  if (!schedule) throw new Error('it is not there');
  return schedule;
};
const changing = ({ id }: { id: number }, now = T0 + HOUR) => ({ ref: { id }, actor: 'test', now });

/** What a reader is told, but for what tells one schedule from another. */
const told = async (schedule: { key: string }) => {
  const { id: _, key: _key, rule: _rule, timing: _timing, ...rest } = await read(schedule);
  return rest;
};

describe('A schedule that has fired once, and that nobody changed', () => {
  it('has no row any more, and reads as if it had', async () => {
    const schedule = await insert({});
    const { createdAt } = await read(schedule);
    const run = await claimOne();
    expect(await isGone(schedule)).toBe(true);
    const finished = {
      status: 'finished',
      version: 1,
      runsTotal: 1,
      nextRunAt: null,
      occurrenceAt: null,
      lastRunAt: new Date(T0),
      lastEnqueuedAt: new Date(T0),
      createdAt,
      updatedAt: createdAt,
    };
    // Only the lease tells of its run; then the run does.
    expect(await read(schedule)).toMatchObject(finished);
    await engine.succeed(run, T0 + 1);
    expect(await read(schedule)).toMatchObject(finished);
    expect(await readSchedule(database.pool, projectId + 1, schedule.key)).toBeNull();
  });

  it('reads the same before and after its row was brought back', async () => {
    const schedule = await fired();
    const before = await told(schedule);
    expect(
      await pauseSchedule(database.pool, changing(schedule), { note: null, untilAt: null }),
    ).toMatchObject({ kind: 'refused' });
    expect(await isGone(schedule)).toBe(true);
    expect(await triggerSchedule(database.pool, changing(schedule))).toMatchObject({ kind: 'changed' });
    expect(await isGone(schedule)).toBe(false);
    expect(await told(schedule)).toEqual(before);
    await engine.succeed(await claimOne(T0 + HOUR), T0 + HOUR);
  });

  it('is listed among the finished, and by its id, and not among the active', async () => {
    const schedule = await fired({ tags: ['listed'] });
    const list = async (filter: object) => {
      const found = await listSchedules(database.pool, { projectId, filter, limit: 10, beforeId: null });
      return found.map(({ key, status }) => ({ key, status }));
    };
    const itself = [{ key: schedule.key, status: 'finished' }];
    expect(await list({ tag: 'listed' })).toEqual(itself);
    expect(await list({ tag: 'listed', status: 'finished' })).toEqual(itself);
    expect(await list({ tag: 'listed', status: 'active' })).toEqual([]);
    expect(await list({ tag: 'listed', dueBefore: new Date(T0 + HOUR).toISOString() })).toEqual([]);
    expect(await list({ q: schedule.key })).toContainEqual(itself[0]);
  });

  it('keeps its id: made again it is the same, and anything else under it is a conflict', async () => {
    const schedule = await fired({ id: 'taken' });
    const create = (input: object) => {
      const drafts = [draft({ ...once(), id: schedule.key, ...input }, T0)];
      return createSchedules(database.pool, { projectId, drafts, actor: 'test' });
    };
    expect(await create({})).toEqual([{ kind: 'same' }]);
    expect(await create({ payload: 1 })).toEqual([{ kind: 'conflict' }]);
    expect(await isGone(schedule)).toBe(true);
    expect(await engine.claim(T0 + HOUR)).toEqual([]);
  });

  it('can be given another time, and counts on', async () => {
    const schedule = await fired();
    const later = draft({ rule: { at: new Date(T0 + 2 * HOUR).toISOString() } }, T0 + HOUR);
    const edited = await editSchedule(database.pool, changing(schedule), () => ({
      ...later,
      next: later.first,
    }));
    expect(edited).toMatchObject({ kind: 'changed', value: { version: 2 } });
    expect(await read(schedule)).toMatchObject({ status: 'active', runsTotal: 1, lastRunAt: new Date(T0) });
    await engine.succeed(await claimOne(T0 + 2 * HOUR), T0 + 2 * HOUR);
    // It was changed, so there is more to tell than its run does.
    expect(await isGone(schedule)).toBe(false);
    expect(await read(schedule)).toMatchObject({ status: 'finished', runsTotal: 2, version: 2 });
  });

  it('has its run tried again until it has succeeded', async () => {
    const schedule = await insert({ retry: { maxAttempts: 2, baseDelay: 'PT1S' } });
    await engine.fail(await claimOne(), T0 + 1);
    expect(await isGone(schedule)).toBe(true);
    const again = await claimOne(T0 + HOUR);
    expect(again).toMatchObject({ scheduleId: schedule.id, scheduleKey: schedule.key, attempt: 2 });
    await engine.fail(again, T0 + HOUR);
    expect(await engine.runsOf(schedule.id)).toMatchObject([{ status: 'failed' }]);

    const filter = { scheduleKey: schedule.key };
    const all = { projectId, filter, limit: 10, perSecond: 100, actor: 'test', now: T0 + HOUR };
    expect(await replayFailed(database.pool, all)).toMatchObject({ count: 1 });
    await engine.fail(await claimOne(T0 + 2 * HOUR), T0 + 2 * HOUR);
    await engine.fail(await claimOne(T0 + 3 * HOUR), T0 + 3 * HOUR);

    const run = { scheduleId: schedule.id, occurrenceAt: T0, origin: 'rule' as const };
    const request = { projectId, run, actor: 'test', now: T0 + 4 * HOUR };
    expect(await replayRun(database.pool, request)).toMatchObject({ kind: 'changed' });
    await engine.succeed(await claimOne(T0 + 4 * HOUR), T0 + 4 * HOUR);
    expect(await engine.runsOf(schedule.id)).toMatchObject([{ status: 'succeeded', attempt: 5 }]);
  });

  it('is brought back once, though two want to change it at one moment', async () => {
    const schedule = await fired();
    const other = await database.pool.connect();
    try {
      await other.query('begin');
      await other.query(
        'insert into schedules (id, project_id, key, status) select id, project_id, key, status from every_schedule where id = $1',
        [schedule.id],
      );
      const triggered = triggerSchedule(database.pool, changing(schedule));
      await eventually(
        async () => {
          const { rows } = await database.pool.query(
            `select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`,
          );
          return rows.length > 0;
        },
        { what: 'the second waiting for the first' },
      );
      await other.query('commit');
      expect(await triggered).toMatchObject({ kind: 'changed' });
    } finally {
      other.release();
    }
    await engine.succeed(await claimOne(T0 + HOUR), T0 + HOUR);
  });
});

describe('A schedule of which its run does not tell all keeps its row', () => {
  const keeps = async (input: object, change: (schedule: { id: number }) => Promise<unknown>) => {
    const schedule = await insert(input);
    await change(schedule);
    await engine.succeed(await claimOne(T0 + HOUR), T0 + HOUR);
    expect(await isGone(schedule)).toBe(false);
    return read(schedule);
  };

  it('as it was moved: when that was', async () => {
    const moved = (schedule: { id: number }) =>
      rescheduleNext(database.pool, changing(schedule, T0 + 1), T0 + HOUR);
    expect(await keeps({}, moved)).toMatchObject({ status: 'finished', updatedAt: new Date(T0 + 1) });
  });

  it('as it was paused and resumed: its version', async () => {
    const paused = async (schedule: { id: number }) => {
      await pauseSchedule(database.pool, changing(schedule, T0 - 2), { note: null, untilAt: null });
      await resumeSchedule(database.pool, changing(schedule, T0 - 1));
    };
    expect(await keeps({}, paused)).toMatchObject({ status: 'finished', version: 3 });
  });

  it('as it has fired before: how often', async () => {
    const twice = { rule: { every: 'PT30M' }, maxRuns: 2 };
    const fire = async () => engine.succeed(await claimOne(T0 + HOUR / 2), T0 + HOUR / 2);
    expect(await keeps(twice, fire)).toMatchObject({ status: 'finished', runsTotal: 2 });
  });

  it('as its runs are counted: that they are', async () => {
    await keeps({ overlap: 'skip' }, async () => {});
  });
});
