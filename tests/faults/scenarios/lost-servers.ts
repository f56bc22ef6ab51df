import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@carillon/testkit';
import { expect } from 'vitest';
import { PROJECTS } from '../harness/installation.js';
import type { Scenario } from '../harness/play.js';
import type { Stage } from '../harness/stage.js';

/** Waits until something that was created just now has been run. */
async function seeFire(stage: Stage): Promise<void> {
  const input = stage.webhook('beta', stage.inMs(300), 'ok');
  expect((await stage.clients.beta.create(input)).status).toBe(201);
  await eventually(() => stage.receiver.log.some(({ scheduleKey }) => scheduleKey === input.id), {
    withinMs: 40_000,
    what: 'a delivery',
  });
}

const redisKilled: Scenario = {
  number: 4,
  fault: 'kill -9 Redis, nothing persisted, and away for a while',
  holds: 'fires go on by sweep meanwhile; bells resume',
  async play(stage) {
    const { servers, proxies } = stage.installation;
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
    stage.heal();
    await seeRepeatingSweep(stage);
  },
};

const flushed: Scenario = {
  number: 5,
  fault: 'FLUSHALL under load',
  holds: 'all bells and the repeating sweep are there again',
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
    what: 'the repeating sweep',
  });
}

const postgresCrashed: Scenario = {
  number: 6,
  fault: 'Postgres stopped at once and started',
  holds: 'the API answers 503 and recovers by itself; nothing acknowledged is lost',
  async play(stage) {
    const { servers, proxies } = stage.installation;
    await stage.load({ seconds: 5 });
    const statuses: number[] = [];
    let isOver = false;
    const goOnCreating = PROJECTS.map(async (project) => {
      while (!isOver) {
        const input = stage.webhook(project, stage.inMs(stage.random.integer(500, 3_000)));
        statuses.push((await stage.clients[project].create(input)).status);
        await sleep(20);
      }
    });
    try {
      await eventually(() => statuses.includes(201));
      await servers.crashPostgres();
      stage.inject();
      // It may be back before anybody has noticed: the way to it stays closed for a moment longer.
      proxies.apiPostgres.refuse();
      proxies.postgres.refuse();
      await eventually(() => statuses.includes(503), { what: 'a 503' });
      await sleep(stage.random.integer(0, 1_500));
      proxies.apiPostgres.pass();
      proxies.postgres.pass();
      stage.heal();
      const before = statuses.length;
      await eventually(() => statuses.slice(before).includes(201), { withinMs: 40_000, what: 'a 201 again' });
    } finally {
      isOver = true;
      await Promise.all(goOnCreating);
    }
    expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  },
};

export const lostServers = [redisKilled, flushed, postgresCrashed];
