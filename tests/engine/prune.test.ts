import { dropOldRuns, forgetWorkers, readSchedule, registerWorker } from '@carillon/db';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);

const DAY = 86_400_000;
const months = async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'runs'::regclass order by 1`,
  );
  return rows.map((row) => row.name);
};

it('History is dropped by whole months once it is old enough, but not while a run in it is open', async () => {
  const [thisMonth] = await months();
  const [id] = await insertSchedules(database, [{ rule: { at: new Date().toISOString() } }]);
  const [run] = await engine.claim(Date.now() + 1);
  if (!run) throw new Error('not claimed');
  const inAYear = { keepDays: 30, now: Date.now() + 365 * DAY };

  expect(await dropOldRuns(database.pool, { keepDays: 30, now: null })).toEqual([]);
  expect(await dropOldRuns(database.pool, inAYear)).not.toContain(thisMonth?.slice(5));
  expect(await months()).toContain(thisMonth);

  await engine.succeed(run, Date.now());
  const before = await readSchedule(database.pool, database.projectId, run.scheduleKey);
  expect(await dropOldRuns(database.pool, inAYear)).toContain(thisMonth?.slice(5));
  expect(await months()).toEqual(['runs_default']);
  expect(await engine.runsOf(id as number)).toEqual([]);
  // Until now, its run alone told when it had fired.
  expect(before).toMatchObject({ status: 'finished', lastRunAt: new Date(run.occurrenceAt) });
  expect(await readSchedule(database.pool, database.projectId, run.scheduleKey)).toEqual(before);
});

it('Workers that have long been gone are forgotten', async () => {
  const id = await registerWorker(database.pool, { host: 'test', pid: 99 });
  const exists = async () =>
    (await database.pool.query('select from workers where id = $1', [id])).rowCount === 1;
  await forgetWorkers(database.pool, null);
  expect(await exists()).toBe(true);
  await forgetWorkers(database.pool, Date.now() + 8 * DAY);
  expect(await exists()).toBe(false);
});
