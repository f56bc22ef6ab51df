import { eventually, useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { awaitBells, awaitLoad, insertLoad, seeRecovery } from './load.js';
import { startSentinels } from './native-redis.js';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();

it('if Sentinel replaces a frozen Redis master under load, every run is delivered, bells (wake-ups) ring on the new master, and each worker warns at most once', async () => {
  const password = 'secret';
  const { master, replica, sentinels } = await startSentinels({ sentinels: 1, password });
  const onReplica = replica.connect({ password });

  // The first address does not answer, so the worker has to ask the Sentinel at the second one.
  const hosts = `127.0.0.1:1,127.0.0.1:${sentinels[0]?.port}`;
  const env = { REDIS_URL: `redis-sentinel://:${password}@${hosts}/carillon` };
  const workers = await Promise.all([1, 2].map(() => processes.worker({ env })));
  const load = { name: 'sentinel', count: 300, fromMs: 1_000, spanMs: 8_000 };
  const paths = await insertLoad(database, receiver, load);
  await eventually(() => receiver.received.length > 30, { what: 'the load' });
  master.child.kill('SIGSTOP');
  await eventually(async () => (await onReplica.info('replication')).includes('role:master'), {
    what: 'the failover',
  });
  // The first load may be over by now, and only something that is due has a bell. So this one lasts as long as the wait.
  const later = { name: 'after', count: 400, fromMs: 1_000, spanMs: 40_000 };
  await insertLoad(database, receiver, later);
  await awaitBells(database, 'bells on the new master');
  master.child.kill('SIGCONT');
  await awaitLoad(receiver, paths);
  const deliveries = paths.flatMap((path) => receiver.to(path));
  const ids = new Set(deliveries.map(({ headers }) => headers['webhook-id']));
  expect(ids.size).toBe(load.count);
  for (const worker of workers) {
    expect(await seeRecovery(() => worker.lines)).toBeLessThanOrEqual(1);
    await worker.end();
  }
}, 120_000);
