import { readEngineFacts } from '@carillon/db';
import { judgeHealth } from '@carillon/shared';
import { registerTestWorker, useDatabase } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { keepTzdata, TZDATA_VERSION } from '../src/loops/keep-tzdata.js';
import { useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);
const WARNING =
  'Workers have different time zone data: update them all, so that the agenda can be recomputed';
const warnings = () => worker.messages.filter((message) => message === WARNING).length;

const codes = async () => {
  const engine = await readEngineFacts(database.pool, null);
  return judgeHealth({ isPostgresUp: true, engine, redis: 'up' }).reasons.map(({ code }) => code);
};

/** Registers another live worker with this version of the time zone data. */
async function another(version: string): Promise<void> {
  const { workerId } = await registerTestWorker(database);
  await database.pool.query(
    `update carillon.workers set tzdata = $2, alive_until = now() + interval '1 hour' where id = $1`,
    [workerId, version],
  );
}

describe('workers with different time zone data', () => {
  beforeAll(() => keepTzdata(worker.context));

  it('a worker does not warn if all workers have the same time zone data', async () => {
    await another(TZDATA_VERSION);
    await keepTzdata(worker.context);
    expect(warnings()).toBe(0);
    expect(await codes()).not.toContain('tzdata_differs');
  });

  it('a worker warns once if another worker has different time zone data, and the health status gives the reason tzdata_differs', async () => {
    await another('2001a');
    await keepTzdata(worker.context);
    await keepTzdata(worker.context);
    expect(warnings()).toBe(1);
    expect(await codes()).toContain('tzdata_differs');
  });

  it('a worker warns again if time zone data differs, then agrees, and then differs once more', async () => {
    await database.pool.query(`update carillon.workers set alive_until = now() where tzdata = '2001a'`);
    await keepTzdata(worker.context);
    await another('2001a');
    await keepTzdata(worker.context);
    expect(warnings()).toBe(2);
  });
});
