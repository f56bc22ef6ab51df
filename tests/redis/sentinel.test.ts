import { eventually, freePort, useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { awaitBells, awaitLoad, endAfterFailover, insertLoad } from './load.js';
import { startRedis } from './native-redis.js';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();

it('if Sentinel replaces a frozen Redis master under load, every run is delivered, bells ring on the new master, and each worker warns at most once', async () => {
  const login = { requirepass: 'secret', masterauth: 'secret' };
  const master = await startRedis(login);
  const replica = await startRedis({ ...login, replicaof: `127.0.0.1 ${master.port}` });
  const password = 'secret';
  const onReplica = replica.connect({ password });
  await eventually(async () => (await onReplica.info('replication')).includes('master_link_status:up'));
  const sentinel = await startRedis(
    {
      port: await freePort(),
      'sentinel monitor carillon 127.0.0.1': `${master.port} 1`,
      'sentinel auth-pass carillon': password,
      'sentinel down-after-milliseconds carillon': 1_000,
      'sentinel failover-timeout carillon': 3_000,
    },
    { isSentinel: true },
  );
  await eventually(async () => (await sentinel.connect().info('sentinel')).includes('slaves=1'), {
    what: 'a Sentinel that knows the replica',
  });

  // The first Sentinel does not answer, so the worker has to ask the second one.
  const hosts = `127.0.0.1:1,127.0.0.1:${sentinel.port}`;
  const env = { REDIS_URL: `redis-sentinel://:${password}@${hosts}/carillon` };
  const workers = await Promise.all([1, 2].map(() => processes.worker({ env })));
  const load = { name: 'sentinel', count: 300, fromMs: 1_000, spanMs: 8_000 };
  const paths = await insertLoad(database, receiver, load);
  await eventually(() => receiver.received.length > 30, { what: 'the load' });
  master.child.kill('SIGSTOP');
  await eventually(async () => (await onReplica.info('replication')).includes('role:master'), {
    what: 'the failover',
  });
  await awaitBells(database, 'bells on the new master');
  master.child.kill('SIGCONT');
  await awaitLoad(receiver, paths);
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  expect(ids.size).toBe(load.count);
  await endAfterFailover(workers);
}, 60_000);
