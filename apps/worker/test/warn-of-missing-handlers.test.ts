import { cancelSchedule } from '@carillon/db';
import { insertSchedules, registerTestWorker, useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { sweep } from '../src/loops/sweep.js';
import { useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);

const sweepOnce = () => sweep(worker.context, { epochs: [] }, async () => {});
const count = (text: string) => worker.messages.filter((message) => message.startsWith(text)).length;
const warnings = () => count('Due runs wait for handlers that no live worker has');
const ends = () => count('No due run waits for a missing handler any more');

it('the sweep warns once while due runs wait for a handler that no live worker has, logs once when the wait is over, and does not count these runs as overdue', async () => {
  const { workerId } = await registerTestWorker(database);
  const setHandlers = (handlers: string[]) =>
    database.pool.query(
      `update carillon.workers set handlers = $2, alive_until = now() + interval '1 hour' where id = $1`,
      [workerId, handlers],
    );
  await setHandlers(['noop']);
  const dueNow = (id: string, name: string) =>
    insertSchedules(database, [
      { id, rule: { at: new Date(Date.now() - 60_000).toISOString() }, target: { type: 'handler', name } },
    ]);
  await dueNow('delivered', 'noop');
  await sweepOnce();
  expect([warnings(), ends()]).toEqual([0, 0]);

  const [id] = (await dueNow('waits', 'unheard-of')) as [number];
  await sweepOnce();
  // Only the run whose handler exists counts as overdue, because no sweep can start the other run.
  expect(await sweepOnce()).toMatchObject({ overdue: 1 });
  expect([warnings(), ends()]).toEqual([1, 0]);

  await setHandlers(['noop', 'unheard-of']);
  await sweepOnce();
  await sweepOnce();
  expect([warnings(), ends()]).toEqual([1, 1]);

  await setHandlers(['noop']);
  await sweepOnce();
  expect(warnings()).toBe(2);
  await cancelSchedule(database.pool, { ref: { id }, actor: 'ops' });
  await sweepOnce();
  expect(ends()).toBe(2);
});
