import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@carillon/testkit';
import { expect } from 'vitest';
import type { Scenario } from '../harness/play.js';
import { createMeanwhile, seeBell, seeFire } from '../harness/traffic.js';

const redisStalled: Scenario = {
  number: 7,
  fault: 'Redis stops answering while its connections stay open',
  holds: 'the API goes on accepting new schedules (201)',
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

/** The bytes of a COMMIT, as node-postgres sends it. */
const COMMIT = Buffer.from('commit\0');

const resetAtCommit: Scenario = {
  number: 8,
  fault: 'connections to Postgres are reset at COMMIT, before or after it took effect',
  holds: 'a create that is repeated with the same Idempotency-Key makes one schedule',
  async play(stage) {
    const { random, clients, installation } = stage;
    const proxy = installation.proxies.apiPostgres;
    const names = Array.from({ length: random.integer(4, 10) }, () => stage.id('once'));
    for (const name of names) {
      // The request names no id for the schedule. So without the Idempotency-Key, a repeated request would create a
      // second schedule.
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
      const { rows } = await installation.pool.query('select key from carillon.schedules where name = $1', [
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
  fault: 'Redis reaches its maxmemory under noeviction',
  holds: 'the API still accepts new schedules, and their missing bells (wake-ups in Redis) are added later',
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

const readOnly: Scenario = {
  number: 26,
  fault: 'Redis answers every write with READONLY, as a demoted master does',
  holds:
    'the API still accepts new schedules, the sweep (a periodic query of Postgres) fires them meanwhile, and bells (wake-ups in Redis) work again afterwards',
  async play(stage) {
    const { redis } = stage.installation;
    await stage.load({ seconds: 4 });
    // As a replica of an unreachable master, Redis serves reads and refuses writes.
    await redis.replicaof('127.0.0.1', '1');
    stage.inject();
    const { random } = stage;
    const forMs = stage.scaled({ short: 2_500, long: random.integer(2_500, 8_000), full: 30_000 });
    try {
      await expect(redis.set('one-more', '1')).rejects.toThrow(/READONLY/);
      await createMeanwhile(stage, Promise.all([sleep(forMs), seeFire(stage)]));
    } finally {
      await redis.replicaof('NO', 'ONE');
    }
    stage.heal();
    await seeBell(stage);
  },
};

export const sickServers = [redisStalled, resetAtCommit, outOfMemory, readOnly];
