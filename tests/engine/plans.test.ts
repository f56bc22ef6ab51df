import { claimDue, openDatabase, registerWorker, warmUp } from '@carillon/db';
import { insertSchedules, useDatabase } from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const database = useDatabase();
let engine: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  // One connection, as a worker opens it: what is planned on it is what it goes on with.
  engine = openDatabase({
    url: database.url,
    max: 1,
    applicationName: 'test',
    byIndex: true,
    onError: () => {},
  });
  await insertSchedules(database, [1, 2].map(dueLately));
  await database.pool.query('analyze');
  const workerId = await registerWorker(engine, { host: 'test', pid: 1 });
  const { runs } = await claimDue(engine, { workerId, leaseMs: 5_000, limit: 100, fairTo: [], now: null });
  expect(runs).toHaveLength(2);
});
afterAll(() => engine.end());

const dueLately = () => ({ rule: { at: new Date(Date.now() - 1_000).toISOString() } });

it('A worker has planned what a fire takes on each connection that it keeps, before anything is due', async () => {
  const options = { url: database.url, applicationName: 'test', byIndex: true, onError: () => {} };
  const pool = openDatabase({ ...options, max: 4, kept: 2 });
  await warmUp(pool, 2);
  const clients = await Promise.all([pool.connect(), pool.connect()]);
  for (const client of clients) {
    const { rows } = await client.query('select name from pg_prepared_statements order by name');
    expect(rows.map(({ name }) => name)).toEqual(['close-runs', 'read-due', 'start-runs']);
    client.release();
  }
  await pool.end();
});

async function planOf(statement: string): Promise<string> {
  const { rows } = await engine.query<{ 'QUERY PLAN': string }>(`explain execute ${statement}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

/** Read the other way round, each would go through the whole table, and for each of its rows through the batch. */
describe('Plans that were made while there was next to nothing look each row of a batch up by its key', () => {
  it('when schedules are read', async () => {
    expect(await planOf('"read-due"(1000, null)')).toMatch(/Index Cond: \(\(schedule_id = due\.id\)/);
  });

  it('when runs are started', async () => {
    const nothing = Array.from({ length: 8 }, () => `'{}'`).join();
    const plan = await planOf(`"start-runs"(${nothing}, 1, 1, 1, 1, '{}')`);
    // Those that go, and those that move on.
    expect(plan.match(/Index Cond: \(\(id >= input(_\d)?\.id\)/g)).toHaveLength(2);
  });
});
