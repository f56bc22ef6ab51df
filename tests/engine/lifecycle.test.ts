import {
  backfillSchedule,
  cancelSchedule,
  editSchedule,
  pauseSchedule,
  readSchedule,
  rescheduleNext,
  resumeEnded,
  resumeSchedule,
  skipNext,
  triggerSchedule,
} from '@carillon/db';
import { DAY_MS, encodeRunId, MINUTE_MS } from '@carillon/shared';
import { draft, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-03-02T10:00:00Z');

let number = 0;
/**
 * Creates a schedule that fires every minute, by default from T0 on. The method `at` of the returned object makes a
 * change request with the given time.
 */
async function everyMinute(changes: object = {}, nowAt = T0) {
  const key = `minutely-${++number}`;
  const [id] = (await insertSchedules(
    database,
    [{ id: key, rule: { cron: '* * * * *' }, misfire: { policy: 'once' }, ...changes }],
    { nowAt },
  )) as [number];
  const at = (now: number, actor = 'ops') => ({ ref: { projectId: database.projectId, key }, actor, now });
  const read = async () => {
    const schedule = await readSchedule(database.pool, database.projectId, key);
    if (!schedule) throw new Error(`schedule ${key} does not exist`);
    return schedule;
  };
  const claim = async (now: number) => (await engine.claim(now)).filter((run) => run.scheduleId === id);
  const audited = async () => {
    const { rows } = await database.pool.query<{ entry: string }>(
      `select action || ' by ' || actor as entry from carillon.audit_log where subject = $1 and action <> 'schedule.created' order by id`,
      [key],
    );
    return rows.map(({ entry }) => entry);
  };
  return { id, key, at, read, claim, audited, runs: () => engine.runsOf(id) };
}

describe('Pause', () => {
  it('a paused schedule is not claimed, however long the pause lasts (invariant I4)', async () => {
    const schedule = await everyMinute();
    await pauseSchedule(database.pool, schedule.at(T0), { note: 'fire drill', untilAt: null });
    expect(await schedule.claim(T0 + 10 * MINUTE_MS)).toEqual([]);
    expect(await schedule.read()).toMatchObject({
      status: 'paused',
      version: 2,
      pauseNote: 'fire drill',
      pausedBy: 'ops',
    });
  });

  it('a resume records the occurrences of the pause as skipped with a reason, and the schedule continues with the next one', async () => {
    const schedule = await everyMinute();
    await pauseSchedule(database.pool, schedule.at(T0), { note: 'fire drill', untilAt: null });
    await resumeSchedule(database.pool, schedule.at(T0 + 3 * MINUTE_MS + 1));
    const runs = await schedule.runs();
    expect(runs.map((run) => [run.occurrenceAt - T0, run.status, run.reasonCode])).toEqual([
      [MINUTE_MS, 'skipped', 'paused'],
      [2 * MINUTE_MS, 'skipped', 'paused'],
      [3 * MINUTE_MS, 'skipped', 'paused'],
    ]);
    expect(runs[0]?.reason).toBe('paused by ops at 2026-03-02T10:00:00.000Z, note: fire drill');
    expect(await schedule.read()).toMatchObject({
      status: 'active',
      version: 3,
      nextRunAt: T0 + 4 * MINUTE_MS,
    });
  });

  it('under the misfire policy all, every occurrence that was due during a pause runs after the resume', async () => {
    const schedule = await everyMinute({ misfire: { policy: 'all' } });
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: null });
    await resumeSchedule(database.pool, schedule.at(T0 + 2 * MINUTE_MS + 1));
    const [first] = await schedule.claim(T0 + 2 * MINUTE_MS + 1);
    const [second] = await schedule.claim(T0 + 2 * MINUTE_MS + 1);
    expect([first?.occurrenceAt, second?.occurrenceAt]).toEqual([T0 + MINUTE_MS, T0 + 2 * MINUTE_MS]);
  });

  it('if a schedule that fires every second is paused for a year, all occurrences of that year are recorded as one gap, without runs', async () => {
    const schedule = await everyMinute({ rule: { cron: '* * * * * *' } });
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: null });
    const YEAR_MS = 365 * DAY_MS;
    await resumeSchedule(database.pool, schedule.at(T0 + YEAR_MS));
    expect(await schedule.runs()).toEqual([]);
    const { rows } = await database.pool.query(
      'select count, reason_code from carillon.gaps where schedule_id = $1',
      [schedule.id],
    );
    expect(rows).toEqual([{ count: YEAR_MS / 1_000, reason_code: 'paused' }]);
  });

  it('a schedule that is paused until an instant is resumed then, and the audit log names carillon as the actor', async () => {
    const schedule = await everyMinute();
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: T0 + 90_000 });
    await resumeEnded(database.pool, T0 + 89_999);
    expect((await schedule.read()).status).toBe('paused');
    await resumeEnded(database.pool, T0 + 125_000);
    expect((await schedule.runs()).map((run) => run.occurrenceAt - T0)).toEqual([MINUTE_MS]);
    const [run] = await schedule.claim(T0 + 125_000);
    expect(run?.occurrenceAt).toBe(T0 + 2 * MINUTE_MS);
    expect(await schedule.audited()).toEqual(['schedule.paused by ops', 'schedule.resumed by carillon']);
  });

  it('a schedule that cannot be resumed does not hold up other schedules whose pause ends at the same time', async () => {
    const [spoilt, sound] = [await everyMinute(), await everyMinute()];
    for (const schedule of [spoilt, sound])
      await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: T0 + 1 });
    await database.pool.query(`update carillon.schedules set plan = '{' where id = $1`, [spoilt.id]);
    await resumeEnded(database.pool, T0 + 2);
    expect((await sound.read()).status).toBe('active');
    const { rows } = await database.pool.query(
      'select status, paused_until, pause_note from carillon.schedules where id = $1',
      [spoilt.id],
    );
    const note = expect.stringContaining('it could not be resumed: ');
    expect(rows).toEqual([{ status: 'paused', paused_until: null, pause_note: note }]);
    expect(await spoilt.audited()).toEqual(['schedule.paused by ops', 'schedule.paused by carillon']);
  });

  it('a paused one-shot whose occurrence is skipped stays paused, and finishes when the pause ends', async () => {
    const schedule = await everyMinute({ rule: { at: new Date(T0 + MINUTE_MS).toISOString() } });
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: T0 + 2 * MINUTE_MS });
    await skipNext(database.pool, schedule.at(T0 + 1));
    expect(await schedule.read()).toMatchObject({ status: 'paused', nextRunAt: null });
    await resumeEnded(database.pool, T0 + 2 * MINUTE_MS);
    expect(await schedule.read()).toMatchObject({ status: 'finished', pausedUntil: null });
    expect((await schedule.runs()).map((run) => run.reasonCode)).toEqual(['skipped_by_request']);
  });

  it('while a schedule is paused, its run that waits for a retry is not claimed, and after the resume it is', async () => {
    const schedule = await everyMinute();
    const [run] = await schedule.claim(T0 + MINUTE_MS);
    if (!run) throw new Error('nothing was claimed');
    await engine.fail(run, T0 + MINUTE_MS);
    await pauseSchedule(database.pool, schedule.at(T0 + MINUTE_MS + 1), { note: null, untilAt: null });
    expect(await schedule.claim(T0 + 30 * MINUTE_MS)).toEqual([]);
    await resumeSchedule(database.pool, schedule.at(T0 + 30 * MINUTE_MS));
    const again = await schedule.claim(T0 + 30 * MINUTE_MS);
    expect(again.map((run) => [run.occurrenceAt - T0, run.attempt])).toEqual([[MINUTE_MS, 2]]);
  });

  it('if a run in flight fails after its schedule was paused, its retry waits until the schedule is resumed', async () => {
    const schedule = await everyMinute();
    const [run] = await schedule.claim(T0 + MINUTE_MS);
    if (!run) throw new Error('nothing was claimed');
    await pauseSchedule(database.pool, schedule.at(T0 + MINUTE_MS + 1), { note: null, untilAt: null });
    await engine.fail(run, T0 + MINUTE_MS + 2);
    expect(await schedule.claim(T0 + 30 * MINUTE_MS)).toEqual([]);
    expect(await schedule.runs()).toMatchObject([
      { status: 'retrying', nextAttemptAt: Number.POSITIVE_INFINITY },
    ]);
    await resumeSchedule(database.pool, schedule.at(T0 + 30 * MINUTE_MS));
    expect((await schedule.claim(T0 + 30 * MINUTE_MS)).map((run) => run.attempt)).toEqual([2]);
  });
});

describe('Cancel', () => {
  it('the cancel of a schedule returns its run in flight and cancels its waiting run, and nothing of the schedule is claimed afterwards (invariant I4)', async () => {
    const schedule = await everyMinute({ retry: { baseDelay: 'PT30M' } });
    const [retried] = await schedule.claim(T0 + MINUTE_MS);
    if (!retried) throw new Error('nothing was claimed');
    await engine.fail(retried, T0 + MINUTE_MS);
    const [flying] = await schedule.claim(T0 + 2 * MINUTE_MS);
    if (!flying) throw new Error('nothing was claimed');

    const result = await cancelSchedule(database.pool, schedule.at(T0 + 2 * MINUTE_MS + 1));

    expect(result).toMatchObject({ kind: 'changed', value: { inFlight: [encodeRunId(flying)] } });
    expect(await schedule.claim(T0 + 60 * MINUTE_MS)).toEqual([]);
    // The run in flight fails after the cancel was acknowledged. It must not be retried, because a retry would be a
    // claim after the cancel.
    await engine.fail(flying, T0 + 2 * MINUTE_MS + 2);
    expect(await schedule.claim(T0 + 90 * MINUTE_MS)).toEqual([]);
    expect((await schedule.runs()).map((run) => run.status)).toEqual(['cancelled', 'cancelled']);
  });
});

describe('Trigger', () => {
  it('a trigger runs the schedule now without moving the next occurrence, and two triggers at the same instant start two runs', async () => {
    const schedule = await everyMinute();
    await triggerSchedule(database.pool, schedule.at(T0 + 1));
    await triggerSchedule(database.pool, schedule.at(T0 + 1));
    const runs = await schedule.claim(T0 + 1);
    expect(runs.map((run) => [run.origin, run.occurrenceAt - T0])).toEqual([
      ['trigger', 1],
      ['trigger', 2],
    ]);
    expect((await schedule.read()).nextRunAt).toBe(T0 + MINUTE_MS);
    expect((await schedule.read()).version).toBe(1);
  });

  it('a triggered run waits while its schedule is paused, and runs after the resume', async () => {
    const schedule = await everyMinute();
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: null });
    await triggerSchedule(database.pool, schedule.at(T0 + 1));
    expect(await schedule.claim(T0 + 1)).toEqual([]);
    await resumeSchedule(database.pool, schedule.at(T0 + 2));
    expect((await schedule.claim(T0 + 2)).map((run) => run.origin)).toEqual(['trigger']);
  });
});

describe('Reschedule', () => {
  it('rescheduling the next occurrence changes the time at which it is due, but not the instant that identifies it', async () => {
    const schedule = await everyMinute();
    await rescheduleNext(database.pool, schedule.at(T0), T0 + 90_000);
    expect(await schedule.claim(T0 + 89_999)).toEqual([]);
    const [run] = await schedule.claim(T0 + 90_000);
    expect([run?.occurrenceAt, run?.dueAt]).toEqual([T0 + MINUTE_MS, T0 + 90_000]);
    expect((await schedule.read()).nextRunAt).toBe(T0 + 2 * MINUTE_MS);
  });

  it('a reschedule to now makes the next occurrence due at once', async () => {
    const schedule = await everyMinute();
    await rescheduleNext(database.pool, schedule.at(T0 + 5), T0 + 5);
    expect((await schedule.claim(T0 + 5)).map((run) => run.occurrenceAt)).toEqual([T0 + MINUTE_MS]);
  });
});

describe('Skip next', () => {
  it('a skip of the next occurrence skips only that occurrence, and records who asked for it', async () => {
    const schedule = await everyMinute();
    await skipNext(database.pool, schedule.at(T0));
    expect(await schedule.claim(T0 + 2 * MINUTE_MS - 1)).toEqual([]);
    expect((await schedule.claim(T0 + 2 * MINUTE_MS)).map((run) => run.occurrenceAt - T0)).toEqual([
      2 * MINUTE_MS,
    ]);
    expect((await schedule.runs())[0]).toMatchObject({ status: 'skipped', reason: 'skipped by ops' });
  });
});

describe('Backfill', () => {
  it('a backfill starts exactly one run for each occurrence of its range that has not succeeded, even if the backfill is repeated', async () => {
    const schedule = await everyMinute();
    const [run] = await schedule.claim(T0 + MINUTE_MS);
    if (!run) throw new Error('nothing was claimed');
    await engine.succeed(run, T0 + MINUTE_MS);
    const range = { fromAt: T0 - 2 * MINUTE_MS, toAt: T0 + MINUTE_MS };
    const first = await backfillSchedule(database.pool, schedule.at(T0 + MINUTE_MS + 1), range);
    const second = await backfillSchedule(database.pool, schedule.at(T0 + MINUTE_MS + 1), range);
    expect([first, second]).toMatchObject([{ value: 3 }, { value: 0 }]);
    const runs = await schedule.claim(T0 + MINUTE_MS + 1);
    expect(runs.map((run) => [run.origin, run.occurrenceAt - T0])).toEqual([
      ['backfill', -2 * MINUTE_MS],
      ['backfill', -MINUTE_MS],
      ['backfill', 0],
    ]);
  });
});

describe('Edit', () => {
  const HALF = MINUTE_MS / 2;
  const rule = (cron: string) => draft({ rule: { cron } }, T0);
  const hourly = () => rule('0 * * * *');
  const everyHalfMinute = () => rule('*/30 * * * * *');

  it('an edit moves the next occurrence to the instant that the new rule names, and increments the version', async () => {
    const schedule = await everyMinute();
    const result = await editSchedule(database.pool, schedule.at(T0), hourly());
    expect(result).toMatchObject({ kind: 'changed', value: { version: 2, inFlight: [] } });
    expect(await schedule.claim(T0 + 59 * MINUTE_MS)).toEqual([]);
    expect((await schedule.claim(T0 + 60 * MINUTE_MS)).length).toBe(1);
  });

  it('an edit of a schedule returns its run in flight, and that run and its retry keep the old definition', async () => {
    const schedule = await everyMinute({ payload: 'old' });
    const [run] = await schedule.claim(T0 + MINUTE_MS);
    if (!run) throw new Error('nothing was claimed');
    const result = await editSchedule(database.pool, schedule.at(T0 + MINUTE_MS + 1), hourly());
    expect(result).toMatchObject({ value: { inFlight: [encodeRunId(run)] } });
    await engine.fail(run, T0 + MINUTE_MS + 2);
    expect(await schedule.claim(T0 + 10 * MINUTE_MS)).toMatchObject([{ attempt: 2, payload: '"old"' }]);
    expect(await schedule.runs()).toMatchObject([{ version: 1, attempt: 2, status: 'running' }]);
  });

  it('an edit whose client has seen an older version of the schedule is refused as stale', async () => {
    const schedule = await everyMinute();
    await pauseSchedule(database.pool, schedule.at(T0), { note: null, untilAt: null });
    const result = await editSchedule(database.pool, { ...schedule.at(T0), ifMatch: 1 }, hourly());
    expect(result).toEqual({ kind: 'stale', version: 2 });
  });

  it('a skipped occurrence does not run after an edit to a rule that names the same instant', async () => {
    const schedule = await everyMinute({ rule: { cron: '0 9 * * *' } });
    const tomorrowAt = Date.parse('2026-03-03T09:00:00Z');
    expect((await schedule.read()).nextRunAt).toBe(tomorrowAt);
    await skipNext(database.pool, schedule.at(T0));
    await editSchedule(database.pool, schedule.at(T0 + 1), rule('0 9 * * 1-6'));
    expect((await schedule.read()).nextRunAt).toBe(tomorrowAt + DAY_MS);
    expect(await schedule.claim(tomorrowAt)).toEqual([]);
    expect((await schedule.claim(tomorrowAt + DAY_MS)).map((run) => run.occurrenceAt)).toEqual([
      tomorrowAt + DAY_MS,
    ]);
    expect((await schedule.runs()).map((run) => run.status)).toEqual(['skipped', 'running']);
  });

  /**
   * A minute before the end of a month. The skipped run is stored in the partition of this month. A second run of the
   * same occurrence would be stored in the partition of the next month, and no unique key covers both partitions.
   */
  const MONTH_END = Date.parse('2026-03-31T23:59:00Z');

  it.each([
    ['in the same month', T0],
    ['in the next month', MONTH_END],
  ])(
    'a skipped occurrence %s stays skipped after an edit to a rule that also names earlier occurrences',
    async (_, startAt) => {
      const schedule = await everyMinute({}, startAt);
      await skipNext(database.pool, schedule.at(startAt));
      await editSchedule(database.pool, schedule.at(startAt + 1), everyHalfMinute());
      expect(await schedule.claim(startAt + HALF)).toHaveLength(1);
      expect(await schedule.claim(startAt + MINUTE_MS)).toEqual([]);
      expect((await schedule.read()).nextRunAt).toBe(startAt + MINUTE_MS + HALF);
      expect((await schedule.runs()).map((run) => run.status)).toEqual(['running', 'skipped']);
    },
  );

  it('a skipped occurrence stays skipped after two edits', async () => {
    const schedule = await everyMinute({}, MONTH_END);
    await skipNext(database.pool, schedule.at(MONTH_END));
    await editSchedule(database.pool, schedule.at(MONTH_END + 1), hourly());
    await editSchedule(database.pool, schedule.at(MONTH_END + 2), everyHalfMinute());
    expect(await schedule.claim(MONTH_END + HALF)).toHaveLength(1);
    expect(await schedule.claim(MONTH_END + MINUTE_MS)).toEqual([]);
  });

  it.each(['is still running', 'has succeeded'])(
    'an occurrence that was brought forward and %s does not run again after an edit to a rule that names the same instant',
    async (state) => {
      const startAt = MONTH_END;
      const schedule = await everyMinute({}, startAt);
      await rescheduleNext(database.pool, schedule.at(startAt), startAt + 1);
      const [ahead] = await schedule.claim(startAt + 1);
      if (!ahead) throw new Error('nothing was claimed');
      if (state === 'has succeeded') await engine.succeed(ahead, startAt + 2);
      await editSchedule(database.pool, schedule.at(startAt + 3), everyHalfMinute());
      expect(await schedule.claim(startAt + HALF)).toHaveLength(1);
      expect(await schedule.claim(startAt + MINUTE_MS)).toEqual([]);
      if (state === 'is still running') expect(await engine.succeed(ahead, startAt + MINUTE_MS + 1)).toBe(1);
      expect((await schedule.runs()).map((run) => run.status)).toEqual(['running', 'succeeded']);
      expect((await schedule.read()).nextRunAt).toBe(startAt + MINUTE_MS + HALF);
    },
  );

  it('a skipped occurrence is recorded once, even if an edit adds many occurrences around it and an outage makes all of them late', async () => {
    const schedule = await everyMinute();
    await skipNext(database.pool, schedule.at(T0));
    await editSchedule(database.pool, schedule.at(T0 + 1), rule('*/5 * * * * *'));
    await schedule.claim(T0 + 20 * MINUTE_MS);
    const { rows: gaps } = await database.pool.query(
      'select from_at as "fromAt", to_at as "toAt", count from carillon.gaps where schedule_id = $1',
      [schedule.id],
    );
    // Two of the 240 missed occurrences have runs: the skipped one, and the latest one, which the misfire policy runs.
    expect((await schedule.runs()).map((run) => [run.occurrenceAt - T0, run.status])).toEqual([
      [MINUTE_MS, 'skipped'],
      [20 * MINUTE_MS, 'running'],
    ]);
    expect(gaps).toEqual([{ fromAt: T0 + 5_000, toAt: T0 + 20 * MINUTE_MS - 5_000, count: 238 }]);
  });
});
