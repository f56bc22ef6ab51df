import { migrate, readInstallationState } from '@carillon/db';
import { eventually, type OwnServers, ReplicatedPostgres, startOwnServers } from '@carillon/testkit';
import { afterAll, expect, it } from 'vitest';
import { Installation } from './harness/installation.js';
import { Random } from './harness/random.js';
import { Stage } from './harness/stage.js';
import { seeArrive } from './harness/traffic.js';

let postgres: ReplicatedPostgres | undefined;
let servers: OwnServers | undefined;
let installation: Installation | undefined;

afterAll(async () => {
  await installation?.stop();
  await servers?.stop();
  await postgres?.stop();
}, 60_000);

it('if a failover loses only transactions after the last heartbeat, the worker whose claim was lost notices the loss before its next claim', async () => {
  postgres = await ReplicatedPostgres.start();
  servers = await startOwnServers({ databaseUrl: postgres.url });
  // The worker writes a heartbeat when it starts, and then one per sweep interval. So the next one comes long after the
  // end of this test.
  const env = () => ({ SWEEP_INTERVAL_MS: '60000', ARM_HORIZON_MS: '180000' });
  installation = await Installation.prepare(servers, { name: 'short_tail', env });
  const { pool, databaseUrl } = installation;
  await migrate(databaseUrl);
  await installation.startApi();
  await installation.startWorker(0);
  const { beats } = await readBeats(pool);
  const stage = await Stage.set(installation, new Random(1), 'short');
  const standby = await postgres.startStandby();
  const [first, second] = [
    stage.webhook('alpha', stage.inMs(3_000)),
    stage.webhook('alpha', stage.inMs(8_000)),
  ];
  await stage.clients.alpha.createMany([first, second]);
  await standby.catchUp(pool);
  standby.cutOff();
  await seeArrive(stage, [first]);
  expect(await readBeats(pool)).toEqual({ beats });
  await postgres.failOverTo(standby);
  const hold = await eventually(async () => (await readInstallationState(pool)).hold, { what: 'the hold' });
  expect(hold).toMatchObject({
    code: 'transactions_lost',
    reason: expect.stringContaining('the run of schedule'),
  });
  const claimed = await pool.query('select from carillon.runs');
  expect(claimed.rowCount, 'runs that were claimed on the new server').toBe(0);
}, 120_000);

async function readBeats(pool: Installation['pool']): Promise<{ beats: number }> {
  const { rows } = await pool.query<{ beats: number }>('select max(beats) as beats from carillon.workers');
  return rows[0] as { beats: number };
}
