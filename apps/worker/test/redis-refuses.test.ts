import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { connectProducer, RedisWatch } from '@carillon/queue';
import {
  eventually,
  insertSchedules,
  type OwnServers,
  startOwnServers,
  type TestDatabase,
  useDatabase,
} from '@carillon/testkit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { awaitRun, insertDue, keepLog, startTestWorker } from './support.js';

const database = useDatabase();
const moved = useDatabase();
let servers: OwnServers;
let administrator: Redis;

beforeAll(async () => {
  servers = await startOwnServers({ databaseUrl: database.url });
  administrator = new Redis(servers.redisUrl);
});
afterAll(async () => {
  administrator?.disconnect();
  await servers?.stop();
});

const demote = (redis: Redis) => redis.replicaof('127.0.0.1', 1);
const promote = (redis: Redis) => redis.replicaof('NO', 'ONE');
const noop = { target: { type: 'handler' as const, name: 'noop' } };

async function bellsRung({ pool }: TestDatabase): Promise<number> {
  const { rows } = await pool.query(
    `select value from carillon.metrics where name = 'carillon_bells_rung_total'`,
  );
  return rows[0]?.value ?? 0;
}

/** Waits until at least one more bell (a wake-up by Redis) has rung. */
const bellsGoOn = async (of: TestDatabase) => {
  const before = await bellsRung(of);
  await eventually(async () => (await bellsRung(of)) > before, { what: 'more bells' });
};

const TROUBLE = 'Redis takes no writes: due runs are found by the sweep, some seconds late';
const RECOVERY = 'Redis takes writes again';

describe('A Redis that answers but takes no writes', () => {
  it('a worker whose Redis becomes a replica warns once, finds due runs by its sweep, and is woken by Redis again afterwards', async () => {
    const { log, messages } = keepLog();
    const count = (text: string) => messages.filter((message) => message === text).length;
    const worker = await startTestWorker(database, { REDIS_URL: servers.redisUrl }, log);
    onTestFinished(() => worker.stop());
    await insertSchedules(database, [{ ...noop, rule: { every: 'PT1S' } }]);
    await bellsGoOn(database);
    await demote(administrator);
    await eventually(() => count(TROUBLE) === 1);
    for (let delivered = 0; delivered < 5; delivered++) {
      const id = await insertDue(database, noop);
      await awaitRun(database, id, ({ status }) => status === 'succeeded');
    }
    expect([count(TROUBLE), count(RECOVERY)]).toEqual([1, 0]);
    await promote(administrator);
    await eventually(() => count(RECOVERY) === 1);
    await bellsGoOn(database);
    expect([count(TROUBLE), count(RECOVERY)]).toEqual([1, 1]);
  });

  it('a worker finds the new Redis master behind the same address, even if the demoted master keeps its connections open', async () => {
    const next = await startOwnServers({ databaseUrl: moved.url });
    onTestFinished(() => next.stop());
    const nextAdministrator = new Redis(next.redisUrl);
    onTestFinished(() => nextAdministrator.disconnect());
    await nextAdministrator.config('SET', 'requirepass', new URL(servers.redisUrl).password);
    const address = await openAddress(Number(new URL(servers.redisUrl).port));
    const REDIS_URL = Object.assign(new URL(servers.redisUrl), { port: String(address.port) }).toString();
    const worker = await startTestWorker(moved, { REDIS_URL });
    onTestFinished(() => worker.stop());
    await insertSchedules(moved, [{ ...noop, rule: { every: 'PT1S' } }]);
    await bellsGoOn(moved);
    address.pointTo(Number(new URL(next.redisUrl).port));
    await demote(administrator);
    onTestFinished(async () => void (await promote(administrator)));
    await bellsGoOn(moved);
    expect((await nextAdministrator.keys('*')).length).toBeGreaterThan(0);
  });

  it.each([
    ['a wrong password', 'wrong'],
    ['writes of a read-only user', 'secret'],
  ])(
    'a Redis that refuses %s is reported as access_denied, and as up after the access is granted',
    async (_, password) => {
      await administrator.acl(
        'SETUSER',
        'limited',
        'reset',
        'on',
        '>secret',
        '~*',
        '+@read',
        '+@connection',
        '+info',
      );
      const url = Object.assign(new URL(servers.redisUrl), { username: 'limited', password }).toString();
      const redis = connectProducer(url, () => {});
      onTestFinished(() => redis.disconnect());
      const watch = new RedisWatch({ redis, prefix: 'watched', onTrouble: () => {}, onRecovery: () => {} });
      await eventually(async () => (await watch.look()) === 'access_denied');
      await administrator.acl('SETUSER', 'limited', `>${password}`, '+@all');
      await eventually(async () => (await watch.look()) === 'up');
    },
  );

  it('a Redis that has reached its memory limit is reported as out of memory, and not as unreachable', async () => {
    const redis = connectProducer(servers.redisUrl, () => {});
    onTestFinished(() => redis.disconnect());
    const heard: string[] = [];
    const watch = new RedisWatch({
      redis,
      prefix: 'watched',
      onTrouble: (state) => heard.push(state),
      onRecovery: () => heard.push('recovered'),
    });
    await eventually(async () => (await watch.look()) === 'up');
    heard.length = 0;
    await administrator.config('SET', 'maxmemory', '1');
    onTestFinished(async () => void (await administrator.config('SET', 'maxmemory', '0')));
    await watch.look();
    await watch.look();
    await administrator.config('SET', 'maxmemory', '0');
    await watch.look();
    expect(heard).toEqual(['out_of_memory', 'recovered']);
  });
});

/**
 * Opens a TCP address in front of a server. The address can be pointed at another server: new connections go there,
 * existing ones stay.
 */
async function openAddress(firstPort: number) {
  let target = firstPort;
  const listener = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => {});
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  return {
    port: (listener.address() as AddressInfo).port,
    pointTo: (port: number) => {
      target = port;
    },
  };
}
