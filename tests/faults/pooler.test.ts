import { setTimeout as sleep } from 'node:timers/promises';
import {
  ensurePgbouncer,
  type OwnServers,
  Pgbouncer,
  poolerSettings,
  startOwnServers,
} from '@carillon/testkit';
import { afterAll, it } from 'vitest';
import { isChosen, SEEDS } from './config.js';
import { Installation } from './harness/installation.js';
import { leaveOut, play, type Scenario } from './harness/play.js';
import { createThroughout, seeAccepted, seeFire } from './harness/traffic.js';

let servers: OwnServers | undefined;
let installation: Installation | undefined;
let pgbouncer: Pgbouncer | undefined;

const pooled: Scenario = {
  number: 27,
  fault:
    'PgBouncer in transaction mode, between Carillon and Postgres, is killed, and started again after a while',
  holds: 'the API answers each new schedule with 201 or 503',
  async play(stage) {
    await stage.load({ seconds: 4 });
    await createThroughout(stage, async (statuses) => {
      // Some runs are due while PgBouncer is away.
      const awayMs = stage.scaled({ short: 1_000, long: stage.random.integer(1_000, 4_000), full: 10_000 });
      stage.inject();
      await pgbouncer?.kill();
      await sleep(awayMs);
      await pgbouncer?.startAgain();
      stage.heal();
      await seeAccepted(statuses);
    });
    await seeFire(stage);
  },
};

afterAll(async () => {
  await installation?.stop();
  await pgbouncer?.stop();
  await servers?.stop();
}, 60_000);

it.runIf(isChosen(pooled.number))(
  `fault 27, ${pooled.fault}: ${pooled.holds}`,
  { timeout: 240_000 * SEEDS.length },
  async ({ skip }) => {
    if (!ensurePgbouncer()) {
      await leaveOut(pooled, 'PgBouncer is not installed, and could not be');
      return skip('PgBouncer is not installed, and could not be');
    }
    servers = await startOwnServers();
    pgbouncer = await Pgbouncer.start(servers.databaseUrl);
    installation = await Installation.prepare(servers, { name: 'pooled', env: poolerSettings });
    installation.proxies.postgres.leadTo(pgbouncer.url);
    installation.proxies.apiPostgres.leadTo(pgbouncer.url);
    await installation.startAll();
    for (const seed of SEEDS) await play(installation, pooled, seed);
  },
);
