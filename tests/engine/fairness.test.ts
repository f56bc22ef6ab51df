import { backfillSchedule, claimDue, claimWaiting, type ProjectShare, readProjectsWith } from '@carillon/db';
import { insertSchedules, registerTestWorker, useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();
const T0 = Date.parse('2026-03-02T10:00:00Z');

it('each project gets its share of a claimed batch, so that a backlog of one project does not hold up another', async () => {
  for (const key of ['two', 'three', 'idle']) {
    await database.pool.query('insert into carillon.projects (key, name) values ($1, $1)', [key]);
  }
  const due = (ms: number) => ({ rule: { at: new Date(T0 + ms).toISOString() } });
  // All rows of the first project are due before the rows of the other projects.
  await insertSchedules(
    database,
    Array.from({ length: 500 }, () => due(0)),
    { nowAt: T0, projectId: 1 },
  );
  await insertSchedules(database, [due(1), due(2)], { nowAt: T0, projectId: 2 });
  await insertSchedules(database, [due(3)], { nowAt: T0, projectId: 3 });
  await insertSchedules(database, [due(3_600_000)], { nowAt: T0, projectId: 4 });
  const holder = await registerTestWorker(database);
  const claim = async (fairTo: ProjectShare[]) => {
    const options = { ...holder, leaseMs: 15_000, limit: 30, now: T0 + 1_000 };
    const { runs } = await claimDue(database.pool, { ...options, fairTo });
    return runs.map((run) => run.projectId);
  };

  const fairTo = await readProjectsWith('due', database.pool, T0 + 1_000);
  expect(fairTo.map(({ id }) => id).toSorted()).toEqual([1, 2, 3]);
  const first = await claim([]);
  expect(new Set(first)).toEqual(new Set([1]));
  const second = await claim(fairTo);
  expect(second.filter((id) => id === 2).length).toBe(2);
  expect(second.filter((id) => id === 3).length).toBe(1);
  expect(second.filter((id) => id === 1).length).toBe(10);
});

it('projects share a claimed batch of waiting runs by their weights, so that backfills of one project do not hold up those of another', async () => {
  const nowAt = T0 + 86_400_000;
  await database.pool.query(`update carillon.projects set limits = '{"weight":2}' where id = 3`);
  const every = (id: string) => ({ id, rule: { every: 'PT1M' } });
  for (const [projectId, minutes] of [
    [1, 500],
    [2, 100],
    [3, 100],
  ] as const) {
    await insertSchedules(database, [every(`every-${projectId}`)], { nowAt, projectId });
    const request = {
      ref: { projectId, key: `every-${projectId}` },
      actor: 'test',
      ifMatch: null,
      now: nowAt,
    };
    const range = { fromAt: nowAt, toAt: nowAt + minutes * 60_000 };
    expect(await backfillSchedule(database.pool, request, range)).toMatchObject({ value: minutes });
  }
  const holder = await registerTestWorker(database);
  const fairTo = await readProjectsWith('waiting', database.pool, nowAt);
  expect(fairTo.toSorted((a, b) => a.id - b.id)).toEqual([
    { id: 1, weight: 1 },
    { id: 2, weight: 1 },
    { id: 3, weight: 2 },
  ]);
  const { runs } = await claimWaiting(database.pool, {
    ...holder,
    leaseMs: 15_000,
    limit: 40,
    fairTo,
    now: nowAt,
  });
  const counts = [1, 2, 3].map((id) => runs.filter(({ projectId }) => projectId === id).length);
  expect(counts).toEqual([10, 10, 20]);
});

it('a claim stops when the payloads of its runs reach its byte limit, but takes at least one run', async () => {
  const at = T0 + 2 * 86_400_000;
  const inputs = Array.from({ length: 5 }, () => ({
    rule: { at: new Date(at).toISOString() },
    payload: 'x'.repeat(998),
  }));
  await database.pool.query('delete from carillon.agenda');
  await insertSchedules(database, inputs, { nowAt: at });
  const holder = await registerTestWorker(database);
  const claim = async (maxBytes: number) => {
    const options = { ...holder, leaseMs: 15_000, limit: 5, fairTo: [], now: at + 1_000 };
    const { runs, isFull } = await claimDue(database.pool, { ...options, maxBytes });
    return { claimed: runs.length, isFull, areWhole: runs.every(({ payload }) => payload?.length === 1_000) };
  };
  expect(await claim(1)).toEqual({ claimed: 1, isFull: true, areWhole: true });
  expect(await claim(1_500)).toMatchObject({ claimed: 2, areWhole: true });
  expect(await claim(1_500)).toMatchObject({ claimed: 2, areWhole: true });
});

it('if more than 1,000 projects have due schedules, each batch is shared by some of them at random, so that every project gets its turn', async () => {
  const at = T0 + 3 * 86_400_000;
  await database.pool.query('delete from carillon.agenda');
  await database.pool.query(
    `insert into carillon.projects (key, name) select 'many-' || n, 'many' from generate_series(1, 1100) n`,
  );
  await insertSchedules(
    database,
    Array.from({ length: 1_100 }, () => ({ rule: { at: new Date(at).toISOString() } })),
    { nowAt: at },
  );
  // Each of the new projects gets one of the due schedules.
  await database.pool.query(
    `with project as (select id, row_number() over (order by id) as n from carillon.projects where key like 'many-%'),
          due as (select schedule_id, row_number() over (order by schedule_id) as n from carillon.agenda)
     update carillon.agenda a set project_id = project.id from due join project using (n) where a.schedule_id = due.schedule_id`,
  );
  const seen = new Set<number>();
  // A read returns 1,000 of the 1,100 projects at random, so it leaves a project out with a probability of 1 in 11.
  for (let reads = 0; reads < 30 && seen.size < 1_100; reads++)
    for (const { id } of await readProjectsWith('due', database.pool, at)) seen.add(id);
  expect(seen.size).toBe(1_100);
});
