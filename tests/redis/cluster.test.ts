import { eventually, useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { awaitLoad, insertLoad, readBellsRung } from './load.js';
import { startCluster } from './native-redis.js';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();

it('two workers on a Redis Cluster of three nodes deliver 300 schedules, each once', async () => {
  const nodes = await startCluster();
  // The first address does not answer. The worker must find the cluster by the others.
  const hosts = ['127.0.0.1:1', ...nodes.slice(1).map(({ server }) => `127.0.0.1:${server.port}`)];
  const env = {
    REDIS_URL: `redis-cluster://${hosts}`,
    REDIS_PREFIX: '{carillon}',
    SWEEP_INTERVAL_MS: '3000',
    // A lease so long that a worker on a busy machine does not lose it. A lost lease would cause a second delivery.
    LEASE_MS: '15000',
  };
  const workers = await Promise.all([1, 2].map(() => processes.worker({ env })));
  const load = { name: 'cluster', count: 300, fromMs: 3_500, spanMs: 4_000 };
  const paths = await insertLoad(database, receiver, load);
  const deliveries = await awaitLoad(receiver, paths);
  expect(deliveries.filter((count) => count !== 1)).toEqual([]);
  await eventually(async () => (await readBellsRung(database)) > 100, { what: 'rung bells' });
  for (const worker of workers) await worker.end();
}, 60_000);

it('a worker whose REDIS_URL names a cluster node as a single server warns once that Redis is a cluster', async () => {
  const [node] = await startCluster();
  const env = { REDIS_URL: `redis://127.0.0.1:${node?.server.port}` };
  const worker = await processes.worker({ env });
  const line = await worker.logged(TROUBLE);
  expect(line).toMatchObject({ level: 40, redis: 'cross_slot' });
  const path = 'status/200/single';
  await insertLoad(database, receiver, { name: 'single', count: 1, fromMs: 0, spanMs: 1 });
  await eventually(() => receiver.to(`${path}/0`).length === 1);
  expect(worker.lines.filter(({ msg }) => msg === TROUBLE)).toHaveLength(1);
  await worker.end();
}, 60_000);

const TROUBLE = 'Redis takes no writes: due runs are found by the sweep, some seconds late';
