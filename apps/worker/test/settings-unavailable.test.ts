import { TcpProxy, useDatabase } from '@carillon/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { awaitRun, insertDue, startTestWorker } from './support.js';

const database = useDatabase();

/** The name of the statement by which a delivery reads the settings of its project. */
const READ_SETTINGS = Buffer.from('read-delivery-settings');

it('a run whose delivery can’t read Carillon’s settings from Postgres is deferred, and its single attempt is not used up', async () => {
  const proxy = await TcpProxy.before(database.url);
  const worker = await startTestWorker(database, { DATABASE_URL: proxy.url(database.url) });
  onTestFinished(async () => {
    await worker.stop();
    await proxy.close();
  });
  proxy.ambush({ bytes: READ_SETTINGS, isDelivered: false, times: 1 });
  const id = await insertDue(database, { retry: { maxAttempts: 1 } });

  const run = await awaitRun(database, id, ({ status }) => status === 'succeeded' || status === 'failed');

  expect(proxy.ambushesLeft).toBe(0);
  expect(run).toMatchObject({ status: 'succeeded', attempt: 1 });
  const { rows } = await database.pool.query(
    'select attempt, reason_code as "reasonCode", count from carillon.deferrals where schedule_id = $1',
    [id],
  );
  expect(rows).toEqual([{ attempt: 1, reasonCode: 'postgres_unavailable', count: 1 }]);
});
