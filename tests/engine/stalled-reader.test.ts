import { inTransaction, openDatabase } from '@carillon/db';
import { eventually, useDatabase } from '@carillon/testkit';
import { expect, it, onTestFinished } from 'vitest';

const database = useDatabase();

it('Postgres ends a transaction whose client has stopped reading in the middle of a large result, so that its rows do not stay locked', async () => {
  const pool = openDatabase({
    url: database.url,
    max: 1,
    applicationName: 'stalled-reader',
    transactionTimeoutMs: 2_000,
    queryTimeoutMs: 600_000,
    onError: () => {},
  });
  const stopReading = { now: () => {} };
  const stalled = inTransaction(pool, async (tx) => {
    await tx.query('select from carillon.installation for update');
    const { stream } = tx.connection;
    stream.pause();
    stopReading.now = () => stream.destroy();
    // More than all buffers between the server and the client can hold.
    return tx.query(`select repeat('x', 100000000)`);
  });
  onTestFinished(async () => {
    stopReading.now();
    await stalled.catch(() => {});
    await pool.end();
  });
  const tryLock = () => database.pool.query('select from carillon.installation for update skip locked');
  await eventually(async () => (await tryLock()).rowCount === 0);
  await eventually(async () => (await tryLock()).rowCount === 1, { withinMs: 30_000 });
  expect((await tryLock()).rowCount).toBe(1);
});
