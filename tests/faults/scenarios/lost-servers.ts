import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@carillon/testkit';
import type { Scenario } from '../harness/play.js';
import type { Stage } from '../harness/stage.js';
import { createThroughout, seeAccepted, seeFire } from '../harness/traffic.js';

const redisKilled: Scenario = {
  number: 4,
  fault: 'Redis is killed without having persisted anything, and stays away for a while',
  holds:
    'the sweep (a periodic query of Postgres) fires due schedules meanwhile, and bells (wake-ups in Redis) work again afterwards',
  async play(stage) {
    const { servers, proxies, redis } = stage.installation;
    await stage.load({ seconds: 5 });
    proxies.redis.refuse();
    await servers.killRedis();
    stage.inject();
    const backAt =
      performance.now() +
      stage.scaled({
        short: stage.random.integer(2_500, 4_000),
        long: stage.random.integer(2_500, 8_000),
        full: 15_000,
      });
    await seeFire(stage);
    await sleep(Math.max(0, backAt - performance.now()));
    proxies.redis.pass();
    // The supervisor waits before it starts Redis again, and longer with each kill in a row.
    await eventually(() => redis.status === 'ready', { what: 'Redis after its restart' });
    stage.heal();
    await seeRepeatingSweep(stage);
  },
};

const flushed: Scenario = {
  number: 5,
  fault: 'Redis is emptied by FLUSHALL under load',
  holds: 'Redis again holds every bell (the wake-up for what is due) and the job that repeats the sweep',
  async play(stage) {
    const { redis } = stage.installation;
    const times = stage.random.integer(1, 3);
    for (let count = 0; count < times; count++) {
      await stage.load({ seconds: 3 });
      await sleep(stage.random.integer(0, 1_000));
      await redis.flushall();
      stage.inject();
    }
    stage.heal();
    await seeRepeatingSweep(stage);
    await seeFire(stage);
  },
};

async function seeRepeatingSweep({ installation: { redis, prefix } }: Stage): Promise<void> {
  await eventually(async () => (await redis.exists(`${prefix}:carillon-ticks:repeat`)) === 1, {
    withinMs: 40_000,
    what: 'the repeatable sweep job',
  });
}

const postgresCrashed: Scenario = {
  number: 6,
  fault: 'Postgres crashes and is started again',
  holds: 'the API answers 503 until Postgres is back, and no change that it acknowledged is lost',
  async play(stage) {
    const { servers, proxies } = stage.installation;
    await stage.load({ seconds: 5 });
    await createThroughout(stage, async (statuses) => {
      await servers.crashPostgres();
      stage.inject();
      // Postgres may be back before any request has failed, so the proxies refuse connections for a moment longer.
      proxies.apiPostgres.refuse();
      proxies.postgres.refuse();
      await eventually(() => statuses.includes(503), { what: 'a 503' });
      await sleep(stage.random.integer(0, 1_500));
      proxies.apiPostgres.pass();
      proxies.postgres.pass();
      stage.heal();
      await seeAccepted(statuses);
    });
  },
};

export const lostServers = [redisKilled, flushed, postgresCrashed];
