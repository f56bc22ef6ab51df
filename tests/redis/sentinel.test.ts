import { eventually, useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { allowDocumentedSentinelUser, allowDocumentedUser, expectNothingDenied } from './documented-rules.js';
import { awaitBells, awaitLoad, insertLoad, seeRecovery } from './load.js';
import { makeCertificates, SENTINEL_MASTER, startSentinels } from './native-redis.js';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();

it('if a Sentinel with a password replaces a frozen Redis master under load, every run is delivered, bells (wake-ups) ring on the new master, and each worker warns at most once', async () => {
  const password = 'secret';
  const sentinelPassword = 'another-secret';
  const { master, replica, sentinels } = await startSentinels({ sentinels: 1, password, sentinelPassword });
  const onReplica = replica.connect({ password });

  // The first address does not answer, so the worker has to ask the Sentinel at the second one.
  const hosts = `127.0.0.1:1,127.0.0.1:${sentinels[0]?.port}`;
  const env = {
    REDIS_URL: `redis-sentinel://:${password}@${hosts}/carillon`,
    REDIS_SENTINEL_PASSWORD: sentinelPassword,
  };
  const workers = await Promise.all([1, 2].map(() => processes.worker({ env })));
  const load = { name: 'sentinel', count: 300, fromMs: 1_000, spanMs: 8_000 };
  const paths = await insertLoad(database, receiver, load);
  await eventually(() => receiver.received.length > 30, { what: 'the load' });
  master.child.kill('SIGSTOP');
  await eventually(async () => (await onReplica.info('replication')).includes('role:master'), {
    what: 'the failover',
  });
  // The first load may be over by now, and Redis holds bells only while due times are still to come. So this load lasts
  // as long as the wait for bells.
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

it('with TLS and separate logins for Redis and Sentinel, bells ring after a failover; without the Sentinel login, a worker warns that access is denied', async () => {
  const certificates = makeCertificates();
  const { ca, cert, key } = certificates;
  const passwords = { password: 'of-the-servers', sentinelPassword: 'of-the-sentinels' };
  const set = await startSentinels({ sentinels: 1, ...passwords, certificates });
  const admins = [set.master, set.replica].map((server) => server.connect({ password: passwords.password }));
  await Promise.all(admins.map((admin) => allowDocumentedUser(admin, 'bull')));
  const [sentinel] = set.sentinels.map((each) => each.connect({ password: passwords.sentinelPassword }));
  if (!sentinel) throw new Error('no Sentinel was started');
  await allowDocumentedSentinelUser(sentinel, { username: 'scout', password: 'p@ss:word/%' });

  const env = {
    REDIS_URL: `rediss-sentinel://carillon:secret@127.0.0.1:${set.sentinels[0]?.port}/${SENTINEL_MASTER}`,
    REDIS_PREFIX: 'bull',
    REDIS_CA_FILE: ca,
    REDIS_CERT_FILE: cert,
    REDIS_KEY_FILE: key,
  };
  const login = { REDIS_SENTINEL_USERNAME: 'scout', REDIS_SENTINEL_PASSWORD: 'p@ss:word/%' };
  const worker = await processes.worker({ env: { ...env, ...login } });
  const paths = await insertLoad(database, receiver, { name: 'tls', count: 20, fromMs: 500, spanMs: 1_000 });
  expect(await awaitLoad(receiver, paths)).toEqual(paths.map(() => 1));

  await sentinel.call('SENTINEL', 'FAILOVER', SENTINEL_MASTER);
  const [, replica] = admins;
  await eventually(async () => (await replica?.info('replication'))?.includes('role:master'), {
    what: 'the failover',
  });
  await insertLoad(database, receiver, { name: 'tls-after', count: 400, fromMs: 500, spanMs: 40_000 });
  await awaitBells(database, 'bells on the new master');
  await seeRecovery(() => worker.lines);
  await worker.end();
  await expectNothingDenied([...admins, sentinel]);

  const stranger = await processes.worker({ env });
  // The first check of Redis may find no connection yet, and only the next one that access is denied.
  const warned = () => stranger.lines.some((line) => line.level === 40 && line.redis === 'access_denied');
  await eventually(warned, { what: 'the warning that access is denied' });
  await stranger.end();
}, 120_000);
