import { useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { awaitLoad, insertLoad, readBellsRung } from './load.js';
import { makeCertificates, startRedis, tlsSettings } from './native-redis.js';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();

it('a worker connects to a Redis with TLS and a private CA if REDIS_CA_FILE names that CA, and otherwise its log blames the certificate', async () => {
  const certificates = makeCertificates();
  const { ca, cert, key } = certificates;
  const { port } = await startRedis(await tlsSettings(certificates));
  const REDIS_URL = `rediss://127.0.0.1:${port}`;
  // By default, Redis with TLS also demands a certificate of the client. Here the client uses the one of the server.
  const files = { REDIS_CA_FILE: ca, REDIS_CERT_FILE: cert, REDIS_KEY_FILE: key };
  const [worker, stranger] = await Promise.all([
    processes.worker({ env: { REDIS_URL, ...files } }),
    processes.worker({ env: { REDIS_URL } }),
  ]);
  const line = await stranger.logged(
    'Redis takes no writes: due runs are found by the sweep, some seconds late',
  );
  expect(line).toMatchObject({ redis: 'down', err: { message: expect.stringContaining('certificate') } });
  await stranger.end();
  const load = { name: 'tls', count: 20, fromMs: 1_500, spanMs: 1_000 };
  const paths = await insertLoad(database, receiver, load);
  expect(await awaitLoad(receiver, paths)).toEqual(paths.map(() => 1));
  await worker.end();
  expect(await readBellsRung(database)).toBeGreaterThan(0);
}, 60_000);
