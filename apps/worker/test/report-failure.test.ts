import { triggerSchedule } from '@carillon/db';
import { insertSchedules, useDatabase } from '@carillon/testkit';
import { beforeEach, expect, it } from 'vitest';
import { sweep } from '../src/loops/sweep.js';
import { claimAll, insertDue, onlyOne, readRun, useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);

beforeEach(() => {
  worker.messages.length = 0;
  worker.context.metrics.take();
});

const logged = () => worker.messages.filter((message) => message.startsWith('Run failed for good'));
const counted = () =>
  worker.context.metrics.take().filter(({ name }) => name === 'carillon_runs_failed_total');

it('a run whose worker is lost during its last attempt is logged and counted as failed once, by the sweep that takes it back', async () => {
  const id = await insertDue(database, { retry: { maxAttempts: 1 } });
  onlyOne((await claimAll(worker.context)).flights);
  // Simulates the loss of the worker: the lease has expired and belongs to a worker that does not exist.
  await database.pool.query(
    `update carillon.leases set worker_id = 0, held_until = now() - interval '1 second'`,
  );
  for (let n = 0; n < 2; n++) await sweep(worker.context, { epochs: [] }, async () => {});
  expect(await readRun(database, id)).toMatchObject({ status: 'failed', errorCode: 'worker_lost' });
  expect(logged()).toHaveLength(1);
  expect(counted()).toEqual([
    { name: 'carillon_runs_failed_total', labels: 'target="handler",reason="worker_lost"', value: 1 },
  ]);
});

it('a manually triggered run that cannot be claimed, because the definition of its schedule cannot be read, is logged and counted as failed once', async () => {
  const [id] = (await insertSchedules(database, [{ rule: { cron: '0 0 1 1 *' } }])) as [number];
  await triggerSchedule(database.pool, { ref: { id }, actor: 'test' });
  await database.pool.query(`update carillon.schedules set plan = '{' where id = $1`, [id]);
  for (let n = 0; n < 2; n++) expect((await claimAll(worker.context)).flights).toEqual([]);
  expect(await readRun(database, id)).toMatchObject({ status: 'failed', reasonCode: 'unclaimable' });
  expect(logged()).toHaveLength(1);
  expect(counted()).toEqual([
    { name: 'carillon_runs_failed_total', labels: 'target="handler",reason="unclaimable"', value: 1 },
  ]);
});
