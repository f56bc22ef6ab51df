import { claimDue, readDueProjects, registerWorker } from '@carillon/db';
import { insertSchedules, useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();
const T0 = Date.parse('2026-03-02T10:00:00Z');

it('A project with a backlog does not hold up the others: each has its share of a batch', async () => {
  for (const key of ['two', 'three', 'idle']) {
    await database.pool.query('insert into projects (key, name) values ($1, $1)', [key]);
  }
  const due = (ms: number) => ({ rule: { at: new Date(T0 + ms).toISOString() } });
  // The first project's rows are all due before the others'.
  await insertSchedules(
    database,
    Array.from({ length: 500 }, () => due(0)),
    { nowAt: T0, projectId: 1 },
  );
  await insertSchedules(database, [due(1), due(2)], { nowAt: T0, projectId: 2 });
  await insertSchedules(database, [due(3)], { nowAt: T0, projectId: 3 });
  await insertSchedules(database, [due(3_600_000)], { nowAt: T0, projectId: 4 });
  const workerId = await registerWorker(database.pool, { host: 'test', pid: 1 });
  const claim = async (fairTo: number[]) => {
    const options = { workerId, leaseMs: 15_000, limit: 30, now: T0 + 1_000 };
    const { runs } = await claimDue(database.pool, { ...options, fairTo });
    return runs.map((run) => run.projectId);
  };

  const fairTo = await readDueProjects(database.pool, T0 + 1_000);
  expect(fairTo).toEqual([1, 2, 3]);
  const first = await claim([]);
  expect(new Set(first)).toEqual(new Set([1]));
  const second = await claim(fairTo);
  expect(second.filter((id) => id === 2).length).toBe(2);
  expect(second.filter((id) => id === 3).length).toBe(1);
  expect(second.filter((id) => id === 1).length).toBe(10);
});
