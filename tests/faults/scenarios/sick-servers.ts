import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@carillon/testkit';
import { expect } from 'vitest';
import type { Scenario } from '../harness/play.js';
import type { Stage } from '../harness/stage.js';

/** Creates schedules for as long as `until` lasts; every one of them has to be accepted. */
async function createMeanwhile(stage: Stage, until: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = until.then(() => {
    isOver = true;
  });
  let created = 0;
  while (!isOver) {
    const project = stage.random.pick(['alpha', 'beta'] as const);
    const input = stage.webhook(project, stage.inMs(stage.random.integer(300, 4_000)));
    expect((await stage.clients[project].create(input)).status).toBe(201);
    created++;
    await sleep(stage.random.integer(5, 60));
  }
  await over;
  return created;
}

const redisStalled: Scenario = {
  number: 7,
  fault: 'the way to Redis stalls, connections staying open',
  holds: 'the API goes on answering 201',
  async play(stage) {
    const { redis } = stage.installation.proxies;
    await stage.load({ seconds: 4 });
    redis.stall();
    stage.inject();
    const { random } = stage;
    const stallMs = stage.scaled({ short: 3_000, long: random.integer(2_500, 8_000), full: 60_000 });
    const created = await createMeanwhile(stage, sleep(stallMs));
    redis.pass();
    stage.heal();
    expect(created).toBeGreaterThan(0);
  },
};

/** What node-postgres sends to end a transaction. */
const COMMIT = Buffer.from('commit\0');

const resetAtCommit: Scenario = {
  number: 8,
  fault: 'connections to Postgres reset at COMMIT, before or after it was done',
  holds: 'with an idempotency key, one schedule',
  async play(stage) {
    const { random, clients, installation } = stage;
    const proxy = installation.proxies.apiPostgres;
    const names = Array.from({ length: random.integer(4, 10) }, () => stage.id('once'));
    for (const name of names) {
      // No id of the client's choice: a second create would be a second schedule.
      const { id: _, ...input } = stage.webhook('alpha', stage.inMs(random.integer(500, 3_000)));
      const key = { 'idempotency-key': name };
      const resets = random.integer(1, 3);
      proxy.ambush({ bytes: COMMIT, isDelivered: random.isLikely(0.6), times: resets });
      const created = await eventually(
        async () => {
          const answer = await clients.alpha.ask('POST', '/v1/schedules', { ...input, name }, key);
          expect([200, 201, 503]).toContain(answer.status);
          return answer.status === 503 ? null : answer.body;
        },
        { withinMs: 30_000, what: 'the answer to a repeated create' },
      );
      stage.inject(resets - proxy.ambushesLeft);
      const { rows } = await installation.pool.query('select key from every_schedule where name = $1', [
        name,
      ]);
      expect(rows).toEqual([{ key: created.id }]);
    }
    proxy.pass();
    stage.heal();
  },
};

const outOfMemory: Scenario = {
  number: 11,
  fault: 'maxmemory of Redis reached under noeviction',
  holds: 'creating goes on; what was not armed is armed later',
  async play(stage) {
    const { redis } = stage.installation;
    await stage.load({ seconds: 4 });
    await redis.config('SET', 'maxmemory', '1');
    stage.inject();
    try {
      await expect(redis.set('one-more', '1')).rejects.toThrow(/OOM/);
      await createMeanwhile(stage, sleep(stage.random.integer(2_000, 4_000)));
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    stage.heal();
  },
};

export const sickServers = [redisStalled, resetAtCommit, outOfMemory];
