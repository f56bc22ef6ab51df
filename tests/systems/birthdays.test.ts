import {
  addUserEvent,
  deleteUser,
  editUser,
  handleNextEvent,
  listAudit,
  pauseSchedule,
  skipNext,
  type UserEdit,
} from '@carillon/db';
import { HOUR_MS, nextOccurrences } from '@carillon/shared';
import { eventually, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { useUsers } from './users.js';

const database = useDatabase();
const engine = useEngine(database);
const { projectId } = database;
const users = useUsers({ pool: () => database.pool, projectId });

const at = (text: string) => Date.parse(text);

const edit = (key: string, changes: UserEdit, now: number) =>
  editUser(database.pool, { projectId, key, actor: 'test', now }, changes);

/** Claims the due runs of one user's birthday. */
async function claim(key: string, now: number) {
  const { id } = await users.birthday(key);
  return (await engine.claim(now)).filter((run) => run.scheduleId === id);
}

const payloadOf = async (key: string) => JSON.parse((await users.birthday(key)).payloadText ?? 'null');

const greet = async (key: string, now: number) => {
  const [run] = await claim(key, now);
  if (!run) throw new Error('no greeting was claimed');
  await engine.succeed(run, now);
  return run;
};

describe('Users', () => {
  it('a new user has a birthday schedule at nine in the morning in the user’s time zone', async () => {
    const key = await users.create({ timezone: 'Asia/Tokyo' }, at('2026-11-16T00:00:00Z'));
    expect(await users.next(key)).toBe('2026-12-10T00:00:00.000Z');
    expect(await payloadOf(key)).toMatchObject({
      userId: key,
      message: 'Happy birthday, Ada Lovelace!',
    });
  });

  it('a user and the user’s birthday schedule are created together or not at all: an unknown time zone creates neither', async () => {
    const count = async () => (await database.pool.query('select from carillon.users')).rowCount;
    const before = await count();
    await expect(users.create({ timezone: 'Mars/Olympus' }, Date.now())).rejects.toThrow(
      'not a known time zone',
    );
    await expect(users.create({ timezone: 'Mars/Olympus' }, Date.now())).rejects.toThrow(
      '"field":"timezone"',
    );
    expect(await count()).toBe(before);
  });

  it('a user born on 29 February has the birthday on 28 February, by local time, in years that are not leap years', async () => {
    const nowAt = at('2026-11-16T00:00:00Z');
    const key = await users.create({ dateOfBirth: '2000-02-29', timezone: 'Pacific/Apia' }, nowAt);
    const { timing } = await users.birthday(key);
    expect(nextOccurrences(timing, nowAt, 3).map((next) => new Date(next).toISOString())).toEqual([
      '2027-02-27T20:00:00.000Z',
      '2028-02-28T20:00:00.000Z',
      '2029-02-27T20:00:00.000Z',
    ]);
  });

  it('a user is greeted once each year, each time by a new run', async () => {
    const key = await users.create({ timezone: 'UTC' }, at('2026-11-16T00:00:00Z'));
    await greet(key, at('2026-12-10T09:00:00Z'));
    expect(await users.next(key)).toBe('2027-12-10T09:00:00.000Z');
    await greet(key, at('2027-12-10T09:00:00Z'));
    const { id } = await users.birthday(key);
    expect((await engine.runsOf(id)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  });

  it('a user who was deleted is no longer greeted', async () => {
    const nowAt = at('2026-11-16T00:00:00Z');
    const key = await users.create({ timezone: 'UTC' }, nowAt);
    const { key: scheduleKey, id } = await users.birthday(key);
    const deleted = await deleteUser(database.pool, { projectId, key, actor: 'test' });
    expect(deleted).toEqual({ cancelled: [scheduleKey], inFlight: [] });
    const runs = await engine.claim(at('2026-12-10T09:00:00Z'));
    expect(runs.filter((run) => run.scheduleId === id)).toEqual([]);
  });
});

describe('Edits of users', () => {
  it('an edit of a user’s date of birth and time zone records domain events, and the birthday moves only when these are handled', async () => {
    const nowAt = at('2026-11-16T00:00:00Z');
    const key = await users.create({ timezone: 'UTC' }, nowAt);
    await edit(key, { dateOfBirth: '1990-11-30', timezone: 'Asia/Tokyo' }, nowAt);
    const { rows } = await database.pool.query(
      'select type, detail, handled_at from carillon.domain_events where subject = $1 order by id',
      [key],
    );
    expect(rows).toEqual([
      {
        type: 'UserBirthdayChanged',
        detail: { userId: key, old: { dateOfBirth: '1990-12-10' }, new: { dateOfBirth: '1990-11-30' } },
        handled_at: null,
      },
      {
        type: 'UserTimezoneChanged',
        detail: { userId: key, old: { timezone: 'UTC' }, new: { timezone: 'Asia/Tokyo' } },
        handled_at: null,
      },
    ]);
    expect(await users.next(key)).toBe('2026-12-10T09:00:00.000Z');
    const reports = await users.handle(nowAt);
    // Handling the first event applies both changes, so handling the second event changes nothing.
    expect(reports).toMatchObject([
      { rescheduled: 1, skipped: 0, skippedIds: [] },
      { rescheduled: 0, skipped: 0, skippedIds: [] },
    ]);
    expect(await users.next(key)).toBe('2026-11-30T00:00:00.000Z');
  });

  it('if a birthday moves because its user was edited, the audit log records the move', async () => {
    const nowAt = at('2026-11-16T00:00:00Z');
    const key = await users.create({ timezone: 'UTC' }, nowAt);
    await edit(key, { timezone: 'Asia/Tokyo' }, nowAt);
    await users.handle(nowAt);
    const entries = await listAudit(database.pool, {
      projectId,
      filter: { subject: key, action: 'user.events_rescheduled' },
      limit: 10,
      beforeId: null,
    });
    expect(entries.map(({ detail }) => detail)).toEqual([
      { event: 'UserTimezoneChanged', rescheduled: 1, skipped: 0, skippedIds: [] },
    ]);
  });

  it('an edit of a user that changes nothing records no domain event and leaves the birthday schedule unchanged', async () => {
    const nowAt = at('2026-11-16T00:00:00Z');
    const key = await users.create({ timezone: 'UTC' }, nowAt);
    expect(await edit(key, { timezone: 'UTC', firstName: 'Ada' }, nowAt)).toEqual({ events: [] });
    expect((await users.birthday(key)).version).toBe(1);
  });

  it('an edit of a user’s name changes the text of the birthday greeting but not its time', async () => {
    const nowAt = at('2026-11-16T00:00:00Z');
    const key = await users.create({ timezone: 'UTC' }, nowAt);
    await edit(key, { lastName: 'King' }, nowAt);
    await users.handle(nowAt);
    expect(await payloadOf(key)).toMatchObject({ message: 'Happy birthday, Ada King!' });
    expect(await users.next(key)).toBe('2026-12-10T09:00:00.000Z');
  });

  it('an edit of a user’s time zone moves every yearly event of the user, not only the birthday', async () => {
    const nowAt = at('2026-11-16T00:00:00Z');
    const key = await users.create({ timezone: 'UTC' }, nowAt);
    const event = {
      name: 'anniversary',
      date: '2015-06-20',
      localTime: '18:00',
      leapDay: 'feb28',
      message: 'Cheers',
    } as const;
    const defaults = {
      target: { type: 'handler', name: 'noop' } as const,
      maxAttempts: 3,
      baseDelayMs: 1,
      allowPrivateTargets: true,
    };
    const request = { projectId, actor: 'test', limits: {}, nowAt, defaults };
    expect(await addUserEvent(database.pool, request, { userKey: key, event })).toEqual({
      kind: 'added',
      dueAt: at('2027-06-20T18:00:00Z'),
    });
    expect(await addUserEvent(database.pool, request, { userKey: key, event })).toEqual({ kind: 'conflict' });
    await edit(key, { timezone: 'Asia/Tokyo' }, nowAt);
    expect(await users.handle(nowAt)).toMatchObject([{ rescheduled: 2 }]);
    const { events } = await users.read(key);
    expect(events.map(({ name, nextRunAt }) => [name, new Date(nextRunAt ?? 0).toISOString()])).toEqual([
      ['birthday', '2026-12-10T00:00:00.000Z'],
      ['anniversary', '2027-06-20T09:00:00.000Z'],
    ]);
  });

  it('an edit of a user’s time zone leaves a paused birthday paused', async () => {
    const nowAt = at('2026-11-16T00:00:00Z');
    const key = await users.create({ timezone: 'UTC' }, nowAt);
    const { key: scheduleKey } = await users.birthday(key);
    const request = { ref: { projectId, key: scheduleKey }, actor: 'ops', now: nowAt };
    await pauseSchedule(database.pool, request, { note: null, untilAt: null });
    await edit(key, { timezone: 'Asia/Tokyo' }, nowAt);
    await users.handle(nowAt);
    expect(await users.birthday(key)).toMatchObject({ status: 'paused', timing: { timezone: 'Asia/Tokyo' } });
  });
});

describe('Local years', () => {
  it('a user who moves across the date line has the birthday a day later in UTC, at the same local time', async () => {
    const nowAt = at('2026-06-01T00:00:00Z');
    const key = await users.create({ dateOfBirth: '1990-06-15', timezone: 'Pacific/Apia' }, nowAt);
    expect(await users.next(key)).toBe('2026-06-14T20:00:00.000Z');
    await edit(key, { timezone: 'Pacific/Pago_Pago' }, nowAt);
    await users.handle(nowAt);
    expect(await users.next(key)).toBe('2026-06-15T20:00:00.000Z');
  });

  it('a user who moves on the birthday to a zone where nine o’clock has passed is greeted at once, not only next year', async () => {
    const nowAt = at('2026-06-15T12:00:00Z');
    const key = await users.create(
      { dateOfBirth: '1990-06-15', timezone: 'Pacific/Pago_Pago' },
      at('2026-06-01T00:00:00Z'),
    );
    await edit(key, { timezone: 'Pacific/Apia' }, nowAt);
    await users.handle(nowAt);
    const run = await greet(key, nowAt);
    expect(run.occurrenceAt).toBe(at('2026-06-14T20:00:00Z'));
    expect(await users.next(key)).toBe('2027-06-14T20:00:00.000Z');
  });

  it('a user who has been greeted, and who moves to another time zone on the same birthday, is not greeted again', async () => {
    const key = await users.create(
      { dateOfBirth: '1990-06-15', timezone: 'Pacific/Apia' },
      at('2026-06-01T00:00:00Z'),
    );
    const greetedAt = at('2026-06-14T20:00:00Z');
    await greet(key, greetedAt);
    const movedAt = greetedAt + HOUR_MS;
    await edit(key, { timezone: 'Pacific/Pago_Pago' }, movedAt);
    await users.handle(movedAt);
    // In the new time zone it is still 14 June, so the birthday is still to come there. Yet the next greeting is sent
    // only next year.
    expect(await users.next(key)).toBe('2027-06-15T20:00:00.000Z');
    expect(await claim(key, at('2026-06-15T20:00:00Z'))).toEqual([]);
  });

  it('a user who moves across time zones several times around New Year is not greeted twice', async () => {
    const key = await users.create(
      { dateOfBirth: '1990-01-01', timezone: 'Pacific/Kiritimati' },
      at('2025-11-16T00:00:00Z'),
    );
    const greetedAt = at('2025-12-31T19:00:00Z');
    await greet(key, greetedAt);
    let now = greetedAt;
    for (const timezone of ['Pacific/Honolulu', 'Asia/Tokyo', 'Europe/Berlin']) {
      now += HOUR_MS;
      await edit(key, { timezone }, now);
      await users.handle(now);
    }
    expect(await users.next(key)).toBe('2027-01-01T08:00:00.000Z');
  });

  it('a user whose birth date is corrected to a later day is not greeted twice in one year', async () => {
    const key = await users.create(
      { dateOfBirth: '1990-02-10', timezone: 'UTC' },
      at('2026-01-01T00:00:00Z'),
    );
    await greet(key, at('2026-02-10T09:00:00Z'));
    const now = at('2026-02-11T00:00:00Z');
    await edit(key, { dateOfBirth: '1990-02-20' }, now);
    await users.handle(now);
    expect(await users.next(key)).toBe('2027-02-20T09:00:00.000Z');
  });

  it('a birthday that was skipped stays skipped after a move to another time zone', async () => {
    const nowAt = at('2026-06-01T00:00:00Z');
    const key = await users.create({ dateOfBirth: '1990-06-15', timezone: 'UTC' }, nowAt);
    const { key: scheduleKey } = await users.birthday(key);
    await skipNext(database.pool, { ref: { projectId, key: scheduleKey }, actor: 'ops', now: nowAt });
    await edit(key, { timezone: 'Asia/Tokyo' }, nowAt);
    await users.handle(nowAt);
    expect(await users.next(key)).toBe('2027-06-15T00:00:00.000Z');
  });
});

describe('Edits during a delivery', () => {
  /** Creates a user, and claims the birthday greeting of 10 February 2026. */
  async function claimGreeting() {
    const born = { dateOfBirth: '1990-02-10', timezone: 'UTC' };
    const key = await users.create(born, at('2026-01-01T00:00:00Z'));
    const [run] = await claim(key, at('2026-02-10T09:00:00Z'));
    if (!run) throw new Error('nothing was claimed');
    return { key, run };
  }

  it('a birthday greeting in flight during an edit of its user is sent unchanged, and next year’s greeting uses the new data', async () => {
    const { key, run } = await claimGreeting();
    const now = run.dueAt;
    await edit(key, { dateOfBirth: '1990-02-20', firstName: 'Augusta' }, now);
    const [report] = await users.handle(now);
    expect(report).toMatchObject({ rescheduled: 0, skipped: 1, left: [{ why: 'processing' }] });
    expect(report?.skippedIds).toHaveLength(1);
    expect(run.payload).toContain('Ada Lovelace');
    expect(await engine.succeed(run, now)).toBe(1);
    expect(await users.next(key)).toBe('2027-02-20T09:00:00.000Z');
  });

  it('a birthday greeting that waits for its retry during an edit of its user is sent unchanged', async () => {
    const { key, run } = await claimGreeting();
    const now = run.dueAt;
    await engine.fail(run, now);
    await edit(key, { timezone: 'Asia/Tokyo' }, now);
    expect(await users.handle(now)).toMatchObject([{ rescheduled: 0, skipped: 1 }]);
    const [again] = await claim(key, now + HOUR_MS);
    expect(again).toMatchObject({ attempt: 2, occurrenceAt: now });
    expect(await users.next(key)).toBe('2027-02-10T00:00:00.000Z');
  });
});

describe('Edits at the same moment', () => {
  it('if an operator changes a birthday schedule while an edit of its user is handled, the edit is handled again, and the schedule gets the new data', async () => {
    const nowAt = at('2026-11-16T00:00:00Z');
    const key = await users.create({ timezone: 'UTC' }, nowAt);
    const { key: scheduleKey } = await users.birthday(key);
    await edit(key, { timezone: 'Asia/Tokyo' }, nowAt);
    // The pause by an operator is not committed yet. The handler has read the version from before the pause, and waits
    // for the row lock.
    const operator = await database.pool.connect();
    try {
      await operator.query('begin');
      const request = { ref: { projectId, key: scheduleKey }, actor: 'ops', now: nowAt };
      await pauseSchedule(operator, request, { note: 'wait', untilAt: null });
      const handling = handleNextEvent(database.pool, nowAt);
      await untilHandlerWaits();
      await operator.query('commit');
      expect(await handling).toMatchObject({
        kind: 'handled',
        report: { rescheduled: 0, skipped: 1, left: [{ why: 'changed' }] },
      });
    } finally {
      operator.release();
    }
    expect((await users.birthday(key)).timing.timezone).toBe('UTC');
    expect(await users.handle(nowAt + 1_000)).toMatchObject([{ rescheduled: 1, skipped: 0 }]);
    expect(await users.birthday(key)).toMatchObject({ status: 'paused', timing: { timezone: 'Asia/Tokyo' } });
  });

  const untilHandlerWaits = () =>
    eventually(async () => {
      const { rowCount } = await database.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return (rowCount ?? 0) > 0;
    });
});

describe('Domain events', () => {
  it('a domain event (a recorded edit of a user) is handled once, even if five handlers run at the same time', async () => {
    const nowAt = at('2026-11-16T00:00:00Z');
    const keys = await Promise.all(
      Array.from({ length: 20 }, () => users.create({ timezone: 'UTC' }, nowAt)),
    );
    await Promise.all(keys.map((key) => edit(key, { timezone: 'Asia/Tokyo' }, nowAt)));
    const reports = await Promise.all(Array.from({ length: 5 }, () => users.handle(nowAt)));
    expect(reports.flat().map(({ rescheduled }) => rescheduled)).toEqual(keys.map(() => 1));
    for (const key of keys) expect((await users.birthday(key)).version).toBe(2);
  });

  it('a domain event (a recorded edit of a user) that could not be handled stores the error and is tried again', async () => {
    const nowAt = at('2026-11-16T00:00:00Z');
    const key = await users.create({ timezone: 'UTC' }, nowAt);
    await edit(key, { timezone: 'Asia/Tokyo' }, nowAt);
    await database.pool.query(
      `update carillon.user_events set local_time = '99:99' where schedule_key = $1`,
      [(await users.birthday(key)).key],
    );
    expect(await handleNextEvent(database.pool, nowAt)).toMatchObject({ kind: 'failed' });
    expect(await handleNextEvent(database.pool, nowAt)).toBeNull();
    const { rows } = await database.pool.query(
      'select last_error from carillon.domain_events where subject = $1',
      [key],
    );
    expect(rows[0]?.last_error).toContain('rule.cron');
    await database.pool.query(
      `update carillon.user_events set local_time = '09:00' where local_time = '99:99'`,
    );
    expect(await users.handle(nowAt + 1_000)).toMatchObject([{ rescheduled: 1 }]);
  });
});
