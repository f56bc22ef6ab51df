import {
  bringWatchesForward,
  type ClaimedRun,
  cancelSchedule,
  closeRuns,
  editSchedule,
  explainOccurrences,
  judgeWatches,
  listAlerts,
  rescheduleNext,
} from '@carillon/db';
import { HOUR_MS, MINUTE_MS, type ScheduleInput } from '@carillon/shared';
import { draft, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { deferredRun } from './closed-run.js';

const database = useDatabase();
const engine = useEngine(database);
/**
 * Each test has its own day. Otherwise the time that one test passes to the engine would make schedules of another test
 * late.
 */
let day = Date.parse('2026-01-01T00:00:00Z');
const nextDay = () => {
  day += 24 * HOUR_MS;
  return day;
};

const judge = (now: number) => judgeWatches(database.pool, { limit: 100, now });
const alertsOf = (schedule: string) =>
  listAlerts(database.pool, {
    projectId: database.projectId,
    filter: { schedule },
    limit: 100,
    beforeId: null,
  });

/** Claims everything that is due; returns the run of one schedule. */
async function claimOf(scheduleId: number, now: number): Promise<ClaimedRun> {
  const run = (await engine.claim(now)).find((each) => each.scheduleId === scheduleId);
  if (!run) throw new Error(`schedule ${scheduleId} has no run to claim`);
  return run;
}

/** Replaces the definition of a schedule. Its next occurrence is the first one after the edit. */
const edit = ({ id, ...input }: ScheduleInput & { id: string }, now: number) => {
  const ref = { projectId: database.projectId, key: id };
  return editSchedule(database.pool, { ref, actor: 'test', now }, draft({ id, ...input }, now));
};

async function checkAtOf(scheduleId: number): Promise<number | undefined> {
  const { rows } = await database.pool.query<{ at: number }>(
    'select check_at as at from carillon.slo_watches where schedule_id = $1',
    [scheduleId],
  );
  return rows[0]?.at;
}

it('an occurrence that no worker claims in time raises one alert, and its late start resolves the alert', async () => {
  const at = nextDay();
  const [scheduleId = 0] = await insertSchedules(
    database,
    [
      {
        id: 'never-came',
        name: 'Export',
        rule: { every: 'PT1H' },
        slo: { startWithin: 'PT2M', startGrace: 'PT1M' },
      },
    ],
    { nowAt: at },
  );
  const dueAt = at + HOUR_MS;
  await judge(at);
  expect(await checkAtOf(scheduleId)).toBe(dueAt + 3 * MINUTE_MS);
  await judge(dueAt + 3 * MINUTE_MS - 1);
  expect(await alertsOf('never-came')).toEqual([]);
  await judge(dueAt + 3 * MINUTE_MS);
  await judge(dueAt + 10 * MINUTE_MS);
  const [alert, ...more] = await alertsOf('never-came');
  expect(more).toEqual([]);
  expect(alert).toMatchObject({ kind: 'start', openedAt: dueAt + 3 * MINUTE_MS, resolvedAt: null });
  expect(alert?.sentence).toContain('Export (never-came) was due at 2026-01-02 01:00:00 UTC');
  expect(alert?.sentence).toContain('No worker has claimed it');
  const lateAt = dueAt + 20 * MINUTE_MS;
  await engine.succeed(await claimOf(scheduleId, lateAt), lateAt + 1_000);
  await bringWatchesForward(database.pool, { failed: [], ended: [scheduleId], now: lateAt + 1_000 });
  await judge(lateAt + 1_000);
  expect(await alertsOf('never-came')).toMatchObject([{ id: alert?.id, resolvedAt: lateAt }]);
});

it('a late run that a worker claims and then defers leaves the alert about its start open until it has started', async () => {
  const at = nextDay();
  const [scheduleId = 0] = await insertSchedules(
    database,
    [{ id: 'deferred', rule: { every: 'PT1H' }, slo: { startWithin: 'PT2M' } }],
    { nowAt: at },
  );
  const dueAt = at + HOUR_MS;
  await judge(dueAt + 2 * MINUTE_MS);
  const judgeAgain = async (now: number) => {
    await bringWatchesForward(database.pool, { failed: [scheduleId], ended: [scheduleId], now });
    await judge(now);
    return alertsOf('deferred');
  };
  const claimedAt = dueAt + 5 * MINUTE_MS;
  const run = await claimOf(scheduleId, claimedAt);
  expect(await judgeAgain(claimedAt + 100)).toMatchObject([{ resolvedAt: null }]);
  await closeRuns(database.pool, [deferredRun(run)], { ...(await engine.holder()), now: claimedAt + 200 });
  expect(await judgeAgain(claimedAt + 300)).toMatchObject([{ resolvedAt: null }]);
  // A run that is still in flight long after its claim counts as started, although its start is recorded at its end.
  const startedAt = claimedAt + MINUTE_MS;
  await claimOf(scheduleId, startedAt);
  expect(await judgeAgain(startedAt + 29_000)).toMatchObject([{ resolvedAt: null }]);
  expect(await judgeAgain(startedAt + 31_000)).toMatchObject([{ resolvedAt: startedAt }]);
});

it('the start objective of an occurrence that was rescheduled to an earlier time counts from the new time', async () => {
  const at = nextDay();
  const rule = { at: new Date(at + 12 * HOUR_MS).toISOString() };
  const schedule = { id: 'moved-earlier', rule, slo: { startWithin: 'PT2M' } };
  const [scheduleId = 0] = await insertSchedules(database, [schedule], { nowAt: at });
  await judge(at);
  expect(await checkAtOf(scheduleId)).toBe(at + 12 * HOUR_MS + 2 * MINUTE_MS);
  await rescheduleNext(database.pool, { ref: { id: scheduleId }, actor: 'test', now: at }, at + HOUR_MS);
  await judge(at);
  expect(await checkAtOf(scheduleId)).toBe(at + HOUR_MS + 2 * MINUTE_MS);
  await judge(at + HOUR_MS + 2 * MINUTE_MS);
  expect(await alertsOf('moved-earlier')).toMatchObject([{ kind: 'start' }]);
});

it('a schedule without objectives has no row in slo_watches', async () => {
  const [scheduleId = 0] = await insertSchedules(database, [{ rule: { every: 'PT1H' } }], {
    nowAt: nextDay(),
  });
  expect(await checkAtOf(scheduleId)).toBeUndefined();
});

it('a run that failed for good breaches its end objective at once, and the next success resolves the alert', async () => {
  const at = nextDay();
  const [scheduleId = 0] = await insertSchedules(
    database,
    [{ id: 'fails', rule: { every: 'PT1H' }, retry: { maxAttempts: 1 }, slo: { endWithin: 'PT30M' } }],
    { nowAt: at },
  );
  const dueAt = at + HOUR_MS;
  await judge(dueAt);
  await engine.fail(await claimOf(scheduleId, dueAt), dueAt + MINUTE_MS);
  await bringWatchesForward(database.pool, {
    failed: [scheduleId],
    ended: [scheduleId],
    now: dueAt + MINUTE_MS,
  });
  await judge(dueAt + MINUTE_MS);
  expect(await alertsOf('fails')).toMatchObject([
    { kind: 'end', openedAt: dueAt + MINUTE_MS, resolvedAt: null },
  ]);
  await engine.succeed(await claimOf(scheduleId, dueAt + HOUR_MS), dueAt + HOUR_MS + 1_000);
  await bringWatchesForward(database.pool, { failed: [], ended: [scheduleId], now: dueAt + HOUR_MS + 1_000 });
  await judge(dueAt + HOUR_MS + 1_000);
  expect(await alertsOf('fails')).toMatchObject([{ resolvedAt: dueAt + HOUR_MS + 1_000 }]);
});

it('a run that never ends breaches its end and duration objectives as soon as their time is over', async () => {
  const at = nextDay();
  await insertSchedules(
    database,
    [{ id: 'hangs', rule: { every: 'PT1H' }, slo: { endWithin: 'PT10M', maxDuration: 'PT5M' } }],
    { nowAt: at },
  );
  await engine.claim(at + HOUR_MS);
  await judge(at + HOUR_MS);
  expect(await alertsOf('hangs')).toEqual([]);
  await judge(at + HOUR_MS + 5 * MINUTE_MS);
  expect((await alertsOf('hangs')).map(({ kind }) => kind)).toEqual(['duration']);
  await judge(at + HOUR_MS + 10 * MINUTE_MS);
  expect((await alertsOf('hangs')).map(({ kind }) => kind).sort()).toEqual(['duration', 'end']);
});

it('occurrences that end late because of one outage are one breach, which ends with the last of their runs', async () => {
  const at = nextDay();
  const [scheduleId = 0] = await insertSchedules(
    database,
    [{ id: 'outage', rule: { every: 'PT1M' }, slo: { endWithin: 'PT30S' } }],
    { nowAt: at },
  );
  const first = await claimOf(scheduleId, at + MINUTE_MS);
  const second = await claimOf(scheduleId, at + 2 * MINUTE_MS);
  await judge(at + 3 * MINUTE_MS - 1);
  expect(await alertsOf('outage')).toMatchObject([{ occurrenceAt: at + MINUTE_MS, resolvedAt: null }]);
  const end = async (run: ClaimedRun, endAt: number) => {
    await engine.succeed(run, endAt);
    await bringWatchesForward(database.pool, { failed: [], ended: [scheduleId], now: endAt });
    await judge(endAt);
  };
  await end(first, at + 3 * MINUTE_MS - 500);
  expect(await alertsOf('outage')).toMatchObject([{ resolvedAt: null }]);
  await end(second, at + 3 * MINUTE_MS - 400);
  expect(await alertsOf('outage')).toMatchObject([{ resolvedAt: at + 3 * MINUTE_MS - 400 }]);
});

it('after a breach has recovered, a run that was part of it and still hangs raises no second alert', async () => {
  const at = nextDay();
  const [scheduleId = 0] = await insertSchedules(
    database,
    [{ id: 'hung', rule: { every: 'PT1M' }, slo: { endWithin: 'PT30S' } }],
    { nowAt: at },
  );
  await claimOf(scheduleId, at + MINUTE_MS);
  const late = await claimOf(scheduleId, at + 2 * MINUTE_MS);
  await judge(at + 3 * MINUTE_MS - 1);
  await engine.succeed(late, at + 3 * MINUTE_MS - 1);
  const inTime = await claimOf(scheduleId, at + 3 * MINUTE_MS);
  const endAt = at + 3 * MINUTE_MS + 10;
  await engine.succeed(inTime, endAt);
  for (const now of [endAt, endAt + 100]) {
    await bringWatchesForward(database.pool, { failed: [scheduleId], ended: [scheduleId], now });
    await judge(now);
  }
  expect(await alertsOf('hung')).toMatchObject([{ occurrenceAt: at + MINUTE_MS, resolvedAt: endAt }]);
});

it('the objective successRate is breached when more runs fail than it allows', async () => {
  const at = nextDay();
  const [scheduleId = 0] = await insertSchedules(
    database,
    [
      {
        id: 'rate',
        rule: { every: 'PT1M' },
        retry: { maxAttempts: 1 },
        slo: { successRate: { percent: 75, last: 4 } },
      },
    ],
    { nowAt: at },
  );
  const end = async (minute: number, how: 'succeed' | 'fail') => {
    const now = at + minute * MINUTE_MS;
    await engine[how](await claimOf(scheduleId, now), now);
    await bringWatchesForward(database.pool, {
      failed: how === 'fail' ? [scheduleId] : [],
      ended: [scheduleId],
      now,
    });
    await judge(now);
    return (await alertsOf('rate')).map(({ resolvedAt }) => resolvedAt !== null);
  };
  expect(await end(1, 'fail')).toEqual([]);
  expect(await end(2, 'fail')).toEqual([false]);
  expect(await end(3, 'succeed')).toEqual([false]);
  expect(await end(4, 'succeed')).toEqual([false]);
  expect(await end(5, 'succeed')).toEqual([true]);
});

it('a run that ends after its maxDuration resolves the alert about its duration, and the next run within the limit raises none', async () => {
  const at = nextDay();
  const [scheduleId = 0] = await insertSchedules(
    database,
    [{ id: 'slow', rule: { every: 'PT1H' }, slo: { maxDuration: 'PT5M' } }],
    { nowAt: at },
  );
  const end = async (run: ClaimedRun, endAt: number) => {
    await engine.succeed(run, endAt);
    await bringWatchesForward(database.pool, { failed: [], ended: [scheduleId], now: endAt });
    await judge(endAt);
  };
  const slow = await claimOf(scheduleId, at + HOUR_MS);
  await judge(at + HOUR_MS + 5 * MINUTE_MS);
  expect(await alertsOf('slow')).toMatchObject([
    { kind: 'duration', openedAt: at + HOUR_MS + 5 * MINUTE_MS, resolvedAt: null },
  ]);
  await end(slow, at + HOUR_MS + 8 * MINUTE_MS);
  expect(await alertsOf('slow')).toMatchObject([{ resolvedAt: at + HOUR_MS + 8 * MINUTE_MS }]);
  await end(await claimOf(scheduleId, at + 2 * HOUR_MS), at + 2 * HOUR_MS + 4 * MINUTE_MS);
  await judge(at + 2 * HOUR_MS + 30 * MINUTE_MS);
  expect(await alertsOf('slow')).toHaveLength(1);
});

it('the objective successRate with a window recovers when the failure has left the window, without another run', async () => {
  const at = nextDay();
  const [scheduleId = 0] = await insertSchedules(
    database,
    [
      {
        id: 'windowed',
        rule: { every: 'PT10M' },
        retry: { maxAttempts: 1 },
        slo: { successRate: { percent: 90, window: 'PT1H' } },
      },
    ],
    { nowAt: at },
  );
  const failedAt = at + 10 * MINUTE_MS;
  await engine.fail(await claimOf(scheduleId, failedAt), failedAt);
  await bringWatchesForward(database.pool, { failed: [scheduleId], ended: [scheduleId], now: failedAt });
  await judge(failedAt);
  expect(await alertsOf('windowed')).toMatchObject([
    { kind: 'success_rate', openedAt: failedAt, resolvedAt: null },
  ]);
  await engine.succeed(await claimOf(scheduleId, at + 20 * MINUTE_MS), at + 20 * MINUTE_MS);
  for (const now of [failedAt + HOUR_MS - 1, failedAt + HOUR_MS]) {
    await bringWatchesForward(database.pool, { failed: [], ended: [scheduleId], now });
    await judge(now);
    const resolvedAt = now === failedAt + HOUR_MS ? now : null;
    expect(await alertsOf('windowed')).toMatchObject([{ resolvedAt }]);
  }
});

it('cancelling a schedule resolves its alerts and ends the checks of its objectives', async () => {
  const at = nextDay();
  const [scheduleId = 0] = await insertSchedules(
    database,
    [{ id: 'cancelled', rule: { every: 'PT1H' }, slo: { startWithin: 'PT1M' } }],
    { nowAt: at },
  );
  await judge(at + 2 * HOUR_MS);
  expect(await alertsOf('cancelled')).toMatchObject([{ resolvedAt: null }]);
  const ref = { projectId: database.projectId, key: 'cancelled' };
  await cancelSchedule(database.pool, { ref, actor: 'test', ifMatch: null });
  await judge(at + 2 * HOUR_MS);
  const [alert] = await alertsOf('cancelled');
  expect(alert?.resolution).toContain('the schedule was cancelled');
  expect(await checkAtOf(scheduleId)).toBeUndefined();
});

it('an edit that removes the objectives of a schedule, or one of them, resolves the alerts about them', async () => {
  const at = nextDay();
  const both = { startWithin: 'PT1M', endWithin: 'PT1M' };
  const rule = { every: 'PT1H' };
  const [withNone = 0, withOne = 0] = await insertSchedules(
    database,
    ['loses-all', 'loses-one'].map((id) => ({ id, rule, slo: both })),
    { nowAt: at },
  );
  const now = at + HOUR_MS + 10 * MINUTE_MS;
  await judge(now);
  const openOf = async (schedule: string) =>
    (await alertsOf(schedule)).filter(({ resolvedAt }) => resolvedAt === null).map(({ kind }) => kind);
  expect([await openOf('loses-all'), await openOf('loses-one')]).toEqual([
    expect.arrayContaining(['start', 'end']),
    expect.arrayContaining(['start', 'end']),
  ]);
  await edit({ id: 'loses-all', rule }, now);
  await edit({ id: 'loses-one', rule, slo: { endWithin: 'PT1M' } }, now);
  await judge(now + 1);
  expect([await openOf('loses-all'), await openOf('loses-one')]).toEqual([[], ['end']]);
  const resolved = [...(await alertsOf('loses-all')), ...(await alertsOf('loses-one'))].filter(
    ({ resolvedAt }) => resolvedAt !== null,
  );
  expect(resolved).toHaveLength(3);
  for (const { resolution } of resolved)
    expect(resolution).toContain('the schedule no longer has this objective');
  expect(await checkAtOf(withNone)).toBeUndefined();
  expect(await checkAtOf(withOne)).toBeGreaterThan(now);
});

it('objectives that an edit adds apply to occurrences after the edit, and not to earlier ones', async () => {
  const at = nextDay();
  const schedule = { id: 'gains', rule: { cron: '0 * * * *' }, retry: { maxAttempts: 1 } };
  const [scheduleId = 0] = await insertSchedules(database, [schedule], { nowAt: at });
  await engine.fail(await claimOf(scheduleId, at + HOUR_MS), at + HOUR_MS);
  const editedAt = at + HOUR_MS + MINUTE_MS;
  await edit({ ...schedule, slo: { endWithin: 'PT30M' } }, editedAt);
  await judge(editedAt + 1);
  expect(await alertsOf('gains')).toEqual([]);
  await engine.fail(await claimOf(scheduleId, at + 2 * HOUR_MS), at + 2 * HOUR_MS);
  await bringWatchesForward(database.pool, { failed: [scheduleId], ended: [], now: at + 2 * HOUR_MS });
  await judge(at + 2 * HOUR_MS);
  expect(await alertsOf('gains')).toMatchObject([{ kind: 'end', occurrenceAt: at + 2 * HOUR_MS }]);
});

it('hundreds of missed occurrences that are recorded as one gap count as one breach', async () => {
  const at = nextDay();
  const misfire = { policy: 'skip' as const, grace: 'PT1M' };
  await insertSchedules(
    database,
    [{ id: 'gap', rule: { every: 'PT1M' }, misfire, slo: { startWithin: 'PT1M' } }],
    { nowAt: at },
  );
  await engine.claim(at + 10 * HOUR_MS);
  await judge(at + 10 * HOUR_MS);
  expect(await alertsOf('gap')).toMatchObject([{ kind: 'start' }]);
});

it('the ledger explains a run, a gap of missed occurrences, and an occurrence that has neither, each in one sentence', async () => {
  const at = nextDay();
  const misfire = { policy: 'skip' as const, grace: 'PT1M' };
  const every = { rule: { every: 'PT1H' } };
  const [failing = 0, missing = 0, waiting = 0] = await insertSchedules(
    database,
    [
      { ...every, id: 'told-failing', retry: { maxAttempts: 1 } },
      { id: 'told-gap', rule: { every: 'PT1M' }, misfire },
      { ...every, id: 'told-waiting', rule: { at: new Date(at + 30 * HOUR_MS).toISOString() } },
    ],
    { nowAt: at },
  );
  await engine.fail(await claimOf(failing, at + HOUR_MS), at + HOUR_MS + MINUTE_MS);
  await engine.claim(at + 10 * HOUR_MS);
  const { rows } = await database.pool.query<{ at: number }>(
    'select to_at as at from carillon.gaps where schedule_id = $1',
    [missing],
  );
  const why = await explainOccurrences(database.pool, {
    projectId: database.projectId,
    occurrences: [
      { scheduleId: failing, occurrenceAt: at + HOUR_MS },
      { scheduleId: missing, occurrenceAt: rows[0]?.at ?? 0 },
      { scheduleId: waiting, occurrenceAt: at + 30 * HOUR_MS },
      { scheduleId: 999_999, occurrenceAt: at },
    ],
    nowAt: at + 31 * HOUR_MS,
  });
  expect(why).toEqual([
    'never sent, failed: failed on purpose',
    'skipped: missed; skipped by policy',
    'due, not claimed by a worker yet',
    null,
  ]);
});

it('the sentence about an occurrence without a run says "missing", and "pruned" if it is older than the stored history', async () => {
  const at = nextDay();
  const [id = 0] = await engine.insertWithHistory([{ id: 'told-lost', rule: { every: 'PT1M' } }], {
    fromAt: at,
    minutes: 3,
  });
  await database.pool.query('delete from carillon.runs where schedule_id = $1', [id]);
  await database.pool.query('update carillon.projects set history_from = $2 where id = $1', [
    database.projectId,
    new Date(at + 2 * MINUTE_MS),
  ]);
  const occurrences = [1, 2].map((n) => ({ scheduleId: id, occurrenceAt: at + n * MINUTE_MS }));
  const range = { projectId: database.projectId, occurrences, nowAt: at + HOUR_MS };
  expect(await explainOccurrences(database.pool, range)).toEqual([
    'no record: the history of this time has been pruned',
    'missing: the rule named it, and there is neither a run nor a gap',
  ]);
});
