import {
  addMetrics,
  applyRetention,
  type ClaimedRun,
  forgetOld,
  openDatabase,
  pauseSchedule,
  readSchedule,
  resumeSchedule,
} from '@carillon/db';
import { DAY_MS } from '@carillon/shared';
import { eventually, insertSchedules, registerTestWorker, useDatabase, useEngine } from '@carillon/testkit';
import { expect, it, onTestFinished } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2020-02-10T10:00:00Z');
const aYearLater = { keepDays: 30, now: T0 + 365 * DAY_MS };

const prune = (pool: typeof database.pool, { keepDays, now }: { keepDays: number; now: number }) =>
  applyRetention(pool, { defaults: { runs: keepDays, schedules: null, audit: null }, now });
const dropOldRuns = async (pool: typeof database.pool, retention: { keepDays: number; now: number }) =>
  (await prune(pool, retention)).months;

const months = async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'carillon'::regnamespace and relname ~ '^(runs|attempts)_2020_..$' order by 1`,
  );
  return rows.map((row) => row.name);
};
const once = (more: object = {}) => ({ rule: { at: new Date(T0).toISOString() }, ...more });

it('the partition of an old month is dropped, but not while a run in it is running', async () => {
  const [id] = await insertSchedules(database, [once()], { nowAt: T0 });
  const [run] = (await engine.claim(T0)) as [ClaimedRun];
  const month = ['attempts_2020_02', 'runs_2020_02'];
  expect(await months()).toEqual(month);

  expect(await dropOldRuns(database.pool, { keepDays: 30, now: T0 + 20 * DAY_MS })).toEqual([]);
  expect(await dropOldRuns(database.pool, aYearLater)).not.toContain('2020_02');
  expect(await months()).toEqual(month);

  await engine.succeed(run, T0 + 1);
  expect(await dropOldRuns(database.pool, aYearLater)).toContain('2020_02');
  expect(await months()).toEqual([]);
  expect(await engine.runsOf(id as number)).toEqual([]);
});

it('if an open read keeps a prune from dropping the partition of an old month, a later prune drops it', async () => {
  await insertSchedules(database, [once()], { nowAt: T0 });
  const [run] = (await engine.claim(T0)) as [ClaimedRun];
  await engine.succeed(run, T0 + 1);
  const reader = await database.pool.connect();
  await reader.query('begin');
  await reader.query('select count(*) from carillon.run_attempts');
  const hasty = openDatabase({
    url: database.url,
    max: 2,
    queryTimeoutMs: 300,
    applicationName: 'test',
    onError: () => {},
  });
  expect((await prune(hasty, aYearLater)).postponed).toBe('canceling statement due to statement timeout');
  const waiting = await database.pool.query(
    `select from pg_stat_activity where datname = current_database() and state = 'active' and query like 'alter table %detach%'`,
  );
  expect(waiting.rowCount, 'sessions that wait for the reader').toBe(0);
  // Meanwhile the month is gone for every other reader, and claims go on.
  expect((await database.pool.query('select from carillon.runs')).rowCount).toBe(0);
  await insertSchedules(database, [once()], { nowAt: T0 });
  expect(await engine.claim(Date.now())).toHaveLength(1);
  await reader.query('rollback');
  reader.release();
  await eventually(async () => {
    await dropOldRuns(hasty, aYearLater).catch(() => {});
    return (await months()).length === 0;
  });
  await hasty.end();
});

it.each([60_000, 0])(
  'if a prune waits for an open read on a pool of the user with a time-out of %i ms, Postgres cancels it before the query time-out of Carillon',
  async (userTimeoutMs) => {
    await insertSchedules(database, [once()], { nowAt: T0 });
    const [run] = (await engine.claim(T0)) as [ClaimedRun];
    await engine.succeed(run, T0 + 1);
    const options = { url: database.url, max: 2, applicationName: 'test', onError: () => {} };
    const given = openDatabase({ ...options, queryTimeoutMs: userTimeoutMs });
    const reader = await database.pool.connect();
    onTestFinished(async () => {
      reader.release(true);
      await given.end();
    });
    await reader.query('begin');
    await reader.query('select count(*) from carillon.run_attempts');
    const adopted = openDatabase({ ...options, pool: given, queryTimeoutMs: 1_000 });
    expect((await prune(adopted, aYearLater)).postponed).toBe('canceling statement due to statement timeout');
    await reader.query('rollback');
    await eventually(async () => {
      await dropOldRuns(adopted, aYearLater).catch(() => {});
      return (await months()).length === 0;
    });
  },
);

it('a prune gives up quickly if an open transaction has read the detached partition of an old month, and a later prune drops the partition', async () => {
  await insertSchedules(database, [once()], { nowAt: T0 });
  const [run] = (await engine.claim(T0)) as [ClaimedRun];
  await engine.succeed(run, T0 + 1);
  for (const table of ['attempts', 'runs'])
    await database.pool.query(`alter table carillon.${table} detach partition carillon.${table}_2020_02`);
  const reader = await database.pool.connect();
  await reader.query('begin');
  await reader.query(
    'select count(*) from carillon.attempts_2020_02; select count(*) from carillon.runs_2020_02',
  );
  const beganAt = performance.now();
  expect((await prune(database.pool, aYearLater)).postponed).toBe('canceling statement due to lock timeout');
  expect(performance.now() - beganAt).toBeLessThan(4_000);
  expect(await months()).toEqual(['attempts_2020_02', 'runs_2020_02']);
  await reader.query('rollback');
  reader.release();
  await dropOldRuns(database.pool, aYearLater);
  expect(await months()).toEqual([]);
});

it('the drop of a month of finished one-shots adds no row to any table', async () => {
  await insertSchedules(
    database,
    Array.from({ length: 20 }, () => once()),
    { nowAt: T0 },
  );
  for (const run of await engine.claim(T0)) await engine.succeed(run, T0 + 1);
  const tables = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'carillon'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  const countRows = async () => {
    const counts: Record<string, number> = {};
    for (const { name } of tables.rows) {
      const { rows } = await database.pool.query(`select count(*)::int as rows from carillon.${name}`);
      counts[name] = rows[0].rows;
    }
    return counts;
  };
  const before = await countRows();
  expect(await dropOldRuns(database.pool, aYearLater)).toContain('2020_02');
  const after = await countRows();
  expect(after.runs).toBeLessThanOrEqual((before.runs as number) - 20);
  expect(Object.keys(before).filter((name) => (after[name] as number) > (before[name] as number))).toEqual(
    [],
  );
});

it('a finished one-shot still shows its status and the time of its last run after retention has dropped the month that held the run', async () => {
  await insertSchedules(database, [once({ id: 'old' })], { nowAt: T0 });
  const [run] = (await engine.claim(T0)) as [ClaimedRun];
  await engine.succeed(run, T0 + 1);
  const before = await readSchedule(database.pool, database.projectId, 'old');
  expect(before).toMatchObject({ status: 'finished', runsTotal: 1, lastRunAt: T0, lastClaimedAt: T0 });
  expect(await dropOldRuns(database.pool, aYearLater)).toContain('2020_02');
  expect(await readSchedule(database.pool, database.projectId, 'old')).toEqual(before);
});

it('a run that a pause has held for longer than the retention is not deleted, and runs after the resume', async () => {
  const [id] = (await insertSchedules(database, [{ rule: { every: 'P1D' } }], { nowAt: T0 - DAY_MS })) as [
    number,
  ];
  const [run] = (await engine.claim(T0)) as [ClaimedRun];
  await engine.fail(run, T0 + 1);
  const request = { ref: { id }, actor: 'ops' };
  await pauseSchedule(database.pool, { ...request, now: T0 + 2 }, { note: null, untilAt: null });
  expect(await dropOldRuns(database.pool, aYearLater)).toContain('2020_02');
  expect(await engine.runsOf(id)).toMatchObject([{ status: 'retrying', occurrenceAt: T0 }]);
  await resumeSchedule(database.pool, { ...request, now: aYearLater.now });
  const again = (await engine.claim(aYearLater.now)).filter(({ scheduleId }) => scheduleId === id);
  expect(again).toMatchObject([{ occurrenceAt: T0, attempt: 2 }]);
});

it('the row of a worker that has been gone for a week is deleted, and the row of a live worker is kept', async () => {
  const { workerId } = await registerTestWorker(database);
  const exists = async () =>
    (await database.pool.query('select from carillon.workers where id = $1', [workerId])).rowCount === 1;
  await forgetOld(database.pool, { now: null, only: ['workers'] });
  expect(await exists()).toBe(true);
  await database.pool.query(
    `update carillon.workers set heartbeat_at = clock_timestamp() - interval '8 days' where id = $1`,
    [workerId],
  );
  await forgetOld(database.pool, { now: null, only: ['workers'] });
  expect(await exists()).toBe(false);
});

it('the deferrals of a run are deleted only after the run itself was dropped', async () => {
  const [id] = await insertSchedules(database, [once()], { nowAt: T0 });
  const [run] = (await engine.claim(T0)) as [ClaimedRun];
  const deferred = {
    kind: 'deferred',
    retryInMs: 1_000,
    reasonCode: 'origin_busy',
    reason: 'busy now',
  } as const;
  await engine.closeAll([{ run, outcome: deferred }], T0);
  const [again] = (await engine.claim(T0 + 2_000)) as [ClaimedRun];
  await engine.succeed(again, T0 + 2_000);
  const count = async () =>
    (await database.pool.query('select from carillon.deferrals where schedule_id = $1', [id])).rowCount;
  await prune(database.pool, { keepDays: 400, now: aYearLater.now });
  expect(await count()).toBe(1);
  await prune(database.pool, aYearLater);
  expect(await count()).toBe(0);
});

it('the counters of a minute are deleted when no window of /v1/system includes that minute any more', async () => {
  const drift = { name: 'carillon_drift_total', labels: 'kind="overdue"', value: 1 };
  await addMetrics(database.pool, [drift], T0);
  await addMetrics(database.pool, [drift], T0 + DAY_MS);
  await forgetOld(database.pool, { now: T0 + DAY_MS + 2 * 3_600_000, only: ['metric_minutes'] });
  const { rows } = await database.pool.query('select minute from carillon.metric_minutes');
  expect(rows).toEqual([{ minute: T0 + DAY_MS }]);
});
