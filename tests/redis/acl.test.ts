import { readFileSync } from 'node:fs';
import { connectProducer, QUEUES, REQUESTS, type RedisServer } from '@carillon/queue';
import { ADMIN_KEY, eventually, useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { Queue } from 'bullmq';
import { expect, it, onTestFinished } from 'vitest';
import { allowDocumentedUser, expectNothingDenied, expectOthersDenied } from './documented-rules.js';
import { awaitLoad, insertLoad } from './load.js';
import { addReplicas, makeCertificates, type NativeRedis, startCluster, startRedis } from './native-redis.js';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();

it('with the Redis ACL rule of docs/redis.md, deliveries, queue targets, requests over a queue and Bull Board work, and Redis denies no command', async () => {
  const server = await startRedis();
  await useAsDocumentedUser({ name: 'acl', place: ['redis', [server]], prefix: 'bull', env: {} });
}, 60_000);

it('on a Redis Cluster of three masters and a replica with TLS, the ACL rule of docs/redis.md with the prefix of the cluster is enough for everything, and no node denies a command', async () => {
  const certificates = makeCertificates();
  const { ca, cert, key } = certificates;
  const masters = await startCluster(startRedis, certificates);
  const replicas = await addReplicas(masters, masters.slice(0, 1), startRedis, certificates);
  await useAsDocumentedUser({
    name: 'acl-cluster',
    place: ['rediss-cluster', [...masters, ...replicas].map(({ server }) => server)],
    // The default of REDIS_PREFIX on a cluster.
    prefix: '{bull}',
    env: { REDIS_CA_FILE: ca, REDIS_CERT_FILE: cert, REDIS_KEY_FILE: key },
    tls: { ca: readFileSync(ca, 'utf8'), cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') },
  });
}, 120_000);

interface Installation {
  /** The name of the schedules that are due, because the tests share a database. */
  name: string;
  place: [scheme: string, servers: NativeRedis[]];
  prefix: string;
  env: Record<string, string>;
  tls?: RedisServer['tls'];
}

/** Runs everything that uses Redis as the documented user, and checks that the rule allows that and nothing else. */
async function useAsDocumentedUser({ name, place, prefix, env, tls }: Installation): Promise<void> {
  const [scheme, servers] = place;
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const admins = servers.map((server) => server.connect());
  await Promise.all(admins.map((admin) => allowDocumentedUser(admin, prefix)));
  const settings = { ...env, REDIS_URL: `${scheme}://carillon:secret@${hosts}`, REDIS_PREFIX: prefix };
  const [worker, api] = await Promise.all([
    processes.worker({ env: settings }),
    processes.api({ env: settings }),
  ]);
  const paths = await insertLoad(database, receiver, { name, count: 40, fromMs: 500, spanMs: 1_500 });
  const connection = connectProducer({ url: `${scheme}://${hosts}`, ...(tls && { tls }) }, () => {});
  const requests = new Queue(QUEUES.requests, { connection, prefix });
  const due = new Queue(QUEUES.due, { connection, prefix });
  onTestFinished(async () => {
    await Promise.all([requests.close(), due.close()]);
    connection.disconnect();
  });
  const at = new Date(Date.now() + 500).toISOString();
  await requests.add(REQUESTS.schedule, { id: `by-queue-${name}`, at });
  await requests.add(REQUESTS.cancel, { id: 'not-there' });
  await eventually(async () => (await due.getWaitingCount()) === 1, { what: 'a run in the queue' });
  await readBullBoard(api.url);
  expect(await awaitLoad(receiver, paths)).toEqual(paths.map(() => 1));
  await Promise.all([worker.end(), api.end()]);
  await expectNothingDenied(admins);
  await expectOthersDenied(servers[0] as NativeRedis);
}

async function readBullBoard(url: string): Promise<void> {
  const body = new URLSearchParams({ key: ADMIN_KEY });
  const signedIn = await fetch(`${url}/sign-in`, { method: 'POST', body, redirect: 'manual' });
  const cookie = signedIn.headers.getSetCookie().map((each) => each.split(';')[0]);
  const headers = { cookie: cookie.join('; ') };
  const answer = await fetch(`${url}/queues/api/queues?activeQueue=${QUEUES.bells}&page=1`, { headers });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toHaveProperty('queues');
}
