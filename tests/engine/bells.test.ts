import {
  Bells,
  connectProducer,
  PostgresClock,
  type RedisClient,
  SLOT_MS,
  slotEnd,
  untilReady,
} from '@carillon/queue';
import { TcpProxy, useDatabase } from '@carillon/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const database = useDatabase();
let redis: RedisClient;
let bells: Bells;
let other: Bells;
const T0 = Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000;
let now = T0;

const open = (process: string, connection = redis) =>
  new Bells({
    redis: connection,
    prefix: database.prefix,
    clock: new PostgresClock(() => now),
    process,
    horizonMs: 60_000,
    onArmed: () => {},
  });
const held = async () =>
  (await bells.queue.getJobs(['delayed', 'waiting', 'prioritized'])).map((job) => job.id).sort();

beforeAll(async () => {
  redis = connectProducer(database.redisUrl, () => {});
  await new Promise((resolve) => redis.once('ready', resolve));
});
beforeEach(async () => {
  now = T0;
  bells = open('a');
  other = open('b');
  await bells.queue.obliterate({ force: true });
});
afterAll(() => redis.disconnect());

// A slot is a few milliseconds of time. Its bell is a delayed job in Redis that wakes a worker at the end of the slot,
// if anything is due in the slot.
describe('Bells', () => {
  it('a slot ends at or after each instant in it, so when its bell rings, everything in the slot is due', () => {
    for (const at of [0, 1, SLOT_MS - 1, SLOT_MS, SLOT_MS + 1]) {
      expect(slotEnd(at)).toBeGreaterThanOrEqual(at);
      expect(slotEnd(at) - at).toBeLessThan(SLOT_MS);
    }
  });

  it('all rows that are due within one slot (a step of 5 ms) share one bell in Redis, even if several processes add bells for them', async () => {
    await bells.arm([T0 + 5_001, T0 + 5_002, T0 + 5_004]);
    await other.arm([T0 + 5_003]);
    expect(await held()).toEqual([`bell-${T0 + 5_005}`]);
  });

  it('no bell is added to Redis for an instant that is further ahead than the horizon', async () => {
    await bells.arm([T0 + 60_001, T0 + 3_600_000]);
    expect(await held()).toEqual([]);
  });

  it('a bell due within a second gets an id with the name of its process, because the bell that all processes share may be ringing already', async () => {
    await bells.arm([T0 + 500]);
    await bells.arm([T0 + 499]);
    await other.arm([T0 + 500]);
    expect(await held()).toEqual([`bell-${T0 + 500}-a-0`, `bell-${T0 + 500}-b-0`]);
  });

  it('a hundred concurrent requests of one process for a bell at the current instant add at most two bells, one per slot', async () => {
    now = Date.now();
    await Promise.all(Array.from({ length: 100 }, () => bells.arm([now])));
    const ids = await held();
    expect(ids.length).toBeGreaterThanOrEqual(1);
    expect(ids.length).toBeLessThanOrEqual(2);
  });

  it('`rearm` adds a bell that Redis has lost, even if the process has cached that it added this bell before', async () => {
    const ringAt = T0 + 30_000;
    await bells.arm([ringAt]);
    await bells.queue.obliterate({ force: true });
    await bells.arm([ringAt]);
    expect(await held()).toEqual([]);
    expect(await bells.readArmed(now, 60_000)).toEqual(new Set());
    await bells.rearm([ringAt]);
    expect(await bells.readArmed(now, 60_000)).toEqual(new Set([ringAt]));
  });

  it('if a bell could not be added to Redis, the process does not cache it as added, so the next call tries again', async () => {
    const unreachable = connectProducer('redis://127.0.0.1:1', () => {});
    const away = new Bells({
      redis: unreachable,
      prefix: database.prefix,
      clock: new PostgresClock(() => now),
      process: 'c',
      horizonMs: 60_000,
      onArmed: () => {},
    });
    await expect(away.arm([T0 + 30_000])).rejects.toThrow();
    await expect(away.arm([T0 + 30_000])).rejects.toThrow();
    unreachable.disconnect();
  });

  it('a process that started while Redis was unreachable adds bells once Redis is reachable', async () => {
    const proxy = await TcpProxy.before(database.redisUrl);
    proxy.refuse();
    const late = connectProducer(proxy.url(database.redisUrl), () => {});
    const kept = open('late', late);
    try {
      await expect(kept.arm([T0 + 5_000])).rejects.toThrow();
      proxy.pass();
      await untilReady(late);
      await kept.arm([T0 + 5_000]);
      expect(await held()).toEqual([`bell-${T0 + 5_000}`]);
    } finally {
      late.disconnect();
      await proxy.close();
    }
  });
});
