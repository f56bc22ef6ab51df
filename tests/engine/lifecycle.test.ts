import {
  backfillSchedule,
  cancelSchedule,
  editSchedule,
  type LockedSchedule,
  pauseSchedule,
  readSchedule,
  rescheduleNext,
  resumeEnded,
  resumeSchedule,
  skipNext,
  triggerSchedule,
} from '@carillon/db';
import { encodeRunId, momentAfter } from '@carillon/shared';
import { draft, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);

const MINUTE = 60_000;
/** A full hour: rules here count minutes from it. */
const T0 = Date.parse('2026-03-02T10:00:00Z');

let number = 0;
/** A schedule of every minute, made at T0, and the request to change it at a given time. */
async function everyMinute(changes: object = {}) {
  const key = `minutely-${++number}`;
  const [id] = (await insertSchedules(
    database,
    [{ id: key, rule: { cron: '* * * * *' }, misfire: { policy: 'once' }, ...changes }],
    { nowAt: T0 },
  )) as [number];
  const at = (now: number, actor = 'ops') => ({ ref: { projectId: database.projectId, key }, actor, now });
  const read = async () => {
    const schedule = await readSchedule(database.pool, database.projectId, key);
    if (!schedule) throw new Error('gone');
    return schedule;
  };
  const claim = async (now: number) => (await engine.claim(now)).filter((run) => run.scheduleId === id);
  const audited = async () => {
    const { rows } = await database.pool.query<{ entry: string }>(
      `select action || ' by ' || actor as entry from audit_log where subject = $1 and action <> 'schedule.created' order by id`,
      [key],
    );
    return rows.map(({ entry }) => entry);
  };
  return { id, key, at, read, claim, audited, runs: () => engine.runsOf(id) };
}

describe('Pause', () => {
  it('stops claims at once and for as long as it lasts (I4)', async () => {
    const schedule = await everyMinute();
    await pauseSchedule(database.pool, schedule.at(T0), { note: 'fire drill', untilAt: null });
    expect(await schedule.claim(T0 + 10 * MINUTE)).toEqual([]);
    expect(await schedule.read()).toMatchObject({
      status: 'paused',
      version: 2,
      pauseNote: 'fire drill',
      pausedBy: 'ops',
    });
  });

  it('accounts for what fell into it when it ends, and does not make up for it', async () => {
    const schedule = await everyMinute();
    await pauseSchedule(database.pool, schedule.at(T0), { note: 'fire drill', untilAt: null });
    await resumeSchedule(database.pool, schedule.at(T0 + 3 * MINUTE + 1));
    const runs = await schedule.runs();
    expect(runs.map((run) => [run.occurrenceAt - T0, run.status, run.reasonCode])).toEqual([
      [MINUTE, 'skipped', 'paused'],
      [2 * MINUTE, 'skipped', 'paused'],
      [3 * MINUTE, 'skipped', 'paused'],
    ]);
    expect(runs[0]?.reason).toBe('paused by ops at 2026-03-02T10:00:00.000Z, note: fire drill');
    expect(await schedule.read()).toMatchObject({
      status: 'active',
      version: 3,
      nextRunAt: new Date(T0 + 4 * MINUTE),
    });
  });

  it('is made up for where the misfire policy says so', async () => {
    const schedule = await everyMinute({ misfire: { policy: 'all' } });
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: null });
    await resumeSchedule(database.pool, schedule.at(T0 + 2 * MINUTE + 1));
    const [first] = await schedule.claim(T0 + 2 * MINUTE + 1);
    const [second] = await schedule.claim(T0 + 2 * MINUTE + 1);
    expect([first?.occurrenceAt, second?.occurrenceAt]).toEqual([T0 + MINUTE, T0 + 2 * MINUTE]);
  });

  it('for a year at one-second cadence is one recorded gap', async () => {
    const schedule = await everyMinute({ rule: { cron: '* * * * * *' } });
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: null });
    const YEAR = 365 * 86_400_000;
    await resumeSchedule(database.pool, schedule.at(T0 + YEAR));
    expect(await schedule.runs()).toEqual([]);
    const { rows } = await database.pool.query('select count, reason_code from gaps where schedule_id = $1', [
      schedule.id,
    ]);
    expect(rows).toEqual([{ count: YEAR / 1_000, reason_code: 'paused' }]);
  });

  it('with an end resumes by itself, as of that end', async () => {
    const schedule = await everyMinute();
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: T0 + 90_000 });
    await resumeEnded(database.pool, T0 + 89_999);
    expect((await schedule.read()).status).toBe('paused');
    await resumeEnded(database.pool, T0 + 125_000);
    expect((await schedule.runs()).map((run) => run.occurrenceAt - T0)).toEqual([MINUTE]);
    const [run] = await schedule.claim(T0 + 125_000);
    expect(run?.occurrenceAt).toBe(T0 + 2 * MINUTE);
    expect(await schedule.audited()).toEqual(['schedule.paused by ops', 'schedule.resumed by carillon']);
  });

  it('that ends for many ends for those too which come behind one that can not be resumed', async () => {
    const [spoilt, sound] = [await everyMinute(), await everyMinute()];
    for (const schedule of [spoilt, sound])
      await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: T0 + 1 });
    await database.pool.query(`update schedule_versions set plan = '{' where schedule_id = $1`, [spoilt.id]);
    await resumeEnded(database.pool, T0 + 2);
    expect((await sound.read()).status).toBe('active');
    const { rows } = await database.pool.query(
      'select status, paused_until, pause_note from schedules where id = $1',
      [spoilt.id],
    );
    const note = expect.stringContaining('it could not be resumed: ');
    expect(rows).toEqual([{ status: 'paused', paused_until: null, pause_note: note }]);
    expect(await spoilt.audited()).toEqual(['schedule.paused by ops', 'schedule.paused by carillon']);
  });

  it('outlasts a skip of the last occurrence, and is over when it ends', async () => {
    const schedule = await everyMinute({ rule: { at: new Date(T0 + MINUTE).toISOString() } });
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: T0 + 2 * MINUTE });
    await skipNext(database.pool, schedule.at(T0 + 1));
    expect(await schedule.read()).toMatchObject({ status: 'paused', nextRunAt: null });
    await resumeEnded(database.pool, T0 + 2 * MINUTE);
    expect(await schedule.read()).toMatchObject({ status: 'finished', pausedUntil: null });
    expect((await schedule.runs()).map((run) => run.reasonCode)).toEqual(['skipped_by_request']);
  });

  it('holds the runs that wait, and lets them go on afterwards', async () => {
    const schedule = await everyMinute();
    const [run] = await schedule.claim(T0 + MINUTE);
    if (!run) throw new Error('not claimed');
    await engine.fail(run, T0 + MINUTE);
    await pauseSchedule(database.pool, schedule.at(T0 + MINUTE + 1), { note: null, untilAt: null });
    expect(await schedule.claim(T0 + 30 * MINUTE)).toEqual([]);
    await resumeSchedule(database.pool, schedule.at(T0 + 30 * MINUTE));
    const again = await schedule.claim(T0 + 30 * MINUTE);
    expect(again.map((run) => [run.occurrenceAt - T0, run.attempt])).toEqual([[MINUTE, 2]]);
  });

  it('holds the retry of a run that was in flight when it began', async () => {
    const schedule = await everyMinute();
    const [run] = await schedule.claim(T0 + MINUTE);
    if (!run) throw new Error('not claimed');
    await pauseSchedule(database.pool, schedule.at(T0 + MINUTE + 1), { note: null, untilAt: null });
    await engine.fail(run, T0 + MINUTE + 2);
    expect(await schedule.claim(T0 + 30 * MINUTE)).toEqual([]);
    expect(await schedule.runs()).toMatchObject([{ status: 'retrying', nextAttemptAt: null }]);
    await resumeSchedule(database.pool, schedule.at(T0 + 30 * MINUTE));
    expect((await schedule.claim(T0 + 30 * MINUTE)).map((run) => run.attempt)).toEqual([2]);
  });
});

describe('Cancel', () => {
  it('names what is in flight, closes what waits, and nothing is claimed after it (I4)', async () => {
    const schedule = await everyMinute({ retry: { baseDelay: 'PT30M' } });
    const [retried] = await schedule.claim(T0 + MINUTE);
    if (!retried) throw new Error('not claimed');
    await engine.fail(retried, T0 + MINUTE);
    const [flying] = await schedule.claim(T0 + 2 * MINUTE);
    if (!flying) throw new Error('not claimed');

    const result = await cancelSchedule(database.pool, schedule.at(T0 + 2 * MINUTE + 1));

    expect(result).toMatchObject({ kind: 'changed', value: { inFlight: [encodeRunId(flying)] } });
    expect(await schedule.claim(T0 + 60 * MINUTE)).toEqual([]);
    // What was in flight fails after the cancel was acknowledged: its retry would be a claim after it.
    await engine.fail(flying, T0 + 2 * MINUTE + 2);
    expect(await schedule.claim(T0 + 90 * MINUTE)).toEqual([]);
    expect((await schedule.runs()).map((run) => run.status)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('Trigger', () => {
  it('runs now and leaves the next run where it is', async () => {
    const schedule = await everyMinute();
    await triggerSchedule(database.pool, schedule.at(T0 + 1));
    await triggerSchedule(database.pool, schedule.at(T0 + 1));
    const runs = await schedule.claim(T0 + 1);
    expect(runs.map((run) => [run.origin, run.occurrenceAt - T0])).toEqual([
      ['trigger', 1],
      ['trigger', 2],
    ]);
    expect((await schedule.read()).nextRunAt).toEqual(new Date(T0 + MINUTE));
    expect((await schedule.read()).version).toBe(1);
  });

  it('waits while the schedule is paused', async () => {
    const schedule = await everyMinute();
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: null });
    await triggerSchedule(database.pool, schedule.at(T0 + 1));
    expect(await schedule.claim(T0 + 1)).toEqual([]);
  });
});

describe('Reschedule', () => {
  it('moves the next one only, which stays the occurrence that it is', async () => {
    const schedule = await everyMinute();
    await rescheduleNext(database.pool, schedule.at(T0), T0 + 90_000);
    expect(await schedule.claim(T0 + 89_999)).toEqual([]);
    const [run] = await schedule.claim(T0 + 90_000);
    expect([run?.occurrenceAt, run?.dueAt]).toEqual([T0 + MINUTE, T0 + 90_000]);
    expect((await schedule.read()).nextRunAt).toEqual(new Date(T0 + 2 * MINUTE));
  });

  it('to now makes it due at once', async () => {
    const schedule = await everyMinute();
    await rescheduleNext(database.pool, schedule.at(T0 + 5), T0 + 5);
    expect((await schedule.claim(T0 + 5)).map((run) => run.occurrenceAt)).toEqual([T0 + MINUTE]);
  });
});

describe('Skip next', () => {
  it('leaves out one occurrence and says who wanted that', async () => {
    const schedule = await everyMinute();
    await skipNext(database.pool, schedule.at(T0));
    expect(await schedule.claim(T0 + 2 * MINUTE - 1)).toEqual([]);
    expect((await schedule.claim(T0 + 2 * MINUTE)).map((run) => run.occurrenceAt - T0)).toEqual([2 * MINUTE]);
    expect((await schedule.runs())[0]).toMatchObject({ status: 'skipped', reason: 'skipped by ops' });
  });
});

describe('Backfill', () => {
  it('runs what a range named and what has not succeeded, once', async () => {
    const schedule = await everyMinute();
    const [run] = await schedule.claim(T0 + MINUTE);
    if (!run) throw new Error('not claimed');
    await engine.succeed(run, T0 + MINUTE);
    const range = { fromAt: T0 - 2 * MINUTE, toAt: T0 + MINUTE };
    const first = await backfillSchedule(database.pool, schedule.at(T0 + MINUTE + 1), range);
    const second = await backfillSchedule(database.pool, schedule.at(T0 + MINUTE + 1), range);
    expect([first, second]).toMatchObject([{ value: 3 }, { value: 0 }]);
    const runs = await schedule.claim(T0 + MINUTE + 1);
    expect(runs.map((run) => [run.origin, run.occurrenceAt - T0])).toEqual([
      ['backfill', -2 * MINUTE],
      ['backfill', -MINUTE],
      ['backfill', 0],
    ]);
  });
});

describe('Edit', () => {
  const hourly = (key: string) => (schedule: LockedSchedule) => {
    const { timing, plan, ...made } = draft({ id: key, rule: { cron: '0 * * * *' } }, schedule.nowAt);
    return { ...made, timing, plan, next: momentAfter({ key, timing, plan }, schedule.nowAt) };
  };

  it('puts the next occurrence where the new rule says, and bumps the version', async () => {
    const schedule = await everyMinute();
    const result = await editSchedule(database.pool, schedule.at(T0), hourly(schedule.key));
    expect(result).toMatchObject({ kind: 'changed', value: { version: 2, inFlight: [] } });
    expect(await schedule.claim(T0 + 59 * MINUTE)).toEqual([]);
    expect((await schedule.claim(T0 + 60 * MINUTE)).length).toBe(1);
  });

  it('leaves a run in flight as it was, names it, and its retry keeps its definition', async () => {
    const schedule = await everyMinute();
    const [run] = await schedule.claim(T0 + MINUTE);
    if (!run) throw new Error('not claimed');
    const result = await editSchedule(database.pool, schedule.at(T0 + MINUTE + 1), hourly(schedule.key));
    expect(result).toMatchObject({ value: { inFlight: [expect.stringMatching(/^run_/)] } });
    await engine.fail(run, T0 + MINUTE + 2);
    await schedule.claim(T0 + 10 * MINUTE);
    expect(await schedule.runs()).toMatchObject([{ version: 1, attempt: 2, status: 'running' }]);
  });

  it('does not bring back an occurrence that was skipped, though the new rule names it too', async () => {
    const schedule = await everyMinute();
    const sameRule = (locked: LockedSchedule) => {
      const input = { id: schedule.key, rule: { cron: '* * * * *' } };
      const { first, requestHash: _, ...made } = draft(input, locked.nowAt);
      return { ...made, next: first };
    };
    await skipNext(database.pool, schedule.at(T0));
    await editSchedule(database.pool, schedule.at(T0 + 1), sameRule);
    expect((await schedule.read()).nextRunAt).toEqual(new Date(T0 + 2 * MINUTE));
    expect((await schedule.runs()).map((run) => run.status)).toEqual(['skipped']);
  });

  const everyHalfMinute = (key: string) => (locked: LockedSchedule) => {
    const input = { id: key, rule: { cron: '*/30 * * * * *' } };
    const { first, requestHash: _, ...made } = draft(input, locked.nowAt);
    return { ...made, next: first };
  };
  const HALF = MINUTE / 2;

  it('nor where the new rule comes to it only after others', async () => {
    const schedule = await everyMinute();
    await skipNext(database.pool, schedule.at(T0));
    await editSchedule(database.pool, schedule.at(T0 + 1), everyHalfMinute(schedule.key));
    expect(await schedule.claim(T0 + HALF)).toHaveLength(1);
    expect(await schedule.claim(T0 + MINUTE)).toEqual([]);
    expect((await schedule.read()).nextRunAt).toEqual(new Date(T0 + MINUTE + HALF));
    expect((await schedule.runs()).map((run) => run.status)).toEqual(['running', 'skipped']);
  });

  it('nor one that was brought forward and is still under way', async () => {
    const schedule = await everyMinute();
    await rescheduleNext(database.pool, schedule.at(T0), T0 + 1);
    const [ahead] = await schedule.claim(T0 + 1);
    if (!ahead) throw new Error('not claimed');
    await editSchedule(database.pool, schedule.at(T0 + 2), everyHalfMinute(schedule.key));
    expect(await schedule.claim(T0 + HALF)).toHaveLength(1);
    expect(await schedule.claim(T0 + MINUTE)).toEqual([]);
    expect(await engine.succeed(ahead, T0 + MINUTE + 1)).toBe(1);
    expect((await schedule.runs()).map((run) => run.status)).toEqual(['running', 'succeeded']);
  });

  it('nor accounts for it twice, where more than can be listed is missed together with it', async () => {
    const schedule = await everyMinute();
    await skipNext(database.pool, schedule.at(T0));
    await editSchedule(database.pool, schedule.at(T0 + 1), (locked) => {
      const input = { id: schedule.key, rule: { cron: '*/5 * * * * *' } };
      const { first, requestHash: _, ...made } = draft(input, locked.nowAt);
      return { ...made, next: first };
    });
    await schedule.claim(T0 + 20 * MINUTE);
    const { rows: gaps } = await database.pool.query(
      'select from_at as "fromAt", to_at as "toAt", count from gaps where schedule_id = $1',
      [schedule.id],
    );
    expect(gaps).toEqual([
      { fromAt: new Date(T0 + MINUTE + 5_000), toAt: new Date(T0 + 20 * MINUTE - 5_000), count: 227 },
    ]);
    // Eleven before it, itself, and the latest, which was run.
    expect((await schedule.runs()).length + 227).toBe(20 * 12);
  });

  it('is refused when the client has seen an older version', async () => {
    const schedule = await everyMinute();
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: null });
    const result = await editSchedule(
      database.pool,
      { ...schedule.at(T0), ifMatch: 1 },
      hourly(schedule.key),
    );
    expect(result).toEqual({ kind: 'stale', version: 2 });
  });
});
