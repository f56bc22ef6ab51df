import { readFileSync } from 'node:fs';
import { QUEUES, REQUESTS } from '@carillon/queue';
import { ADMIN_KEY, eventually, useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { Queue } from 'bullmq';
import { expect, it, onTestFinished } from 'vitest';
import { awaitLoad, insertLoad } from './load.js';
import { startRedis } from './native-redis.js';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();

/** The ACL rule that docs/redis.md gives. */
function documentedRule(): string[] {
  const page = readFileSync(new URL('../../docs/redis.md', import.meta.url), 'utf8');
  const [, rule] = /```\nACL SETUSER carillon ([^`]+)```/.exec(page) ?? [];
  if (rule === undefined) throw new Error('docs/redis.md has no ACL rule');
  return rule.replaceAll('\\\n', ' ').trim().split(/\s+/);
}

it('with the Redis ACL rule of docs/redis.md, deliveries, queue targets, requests over a queue and Bull Board work, and Redis denies no command', async () => {
  const server = await startRedis();
  const admin = server.connect();
  await admin.acl('SETUSER', 'carillon', ...documentedRule());
  const REDIS_URL = `redis://carillon:secret@127.0.0.1:${server.port}`;
  const env = { REDIS_URL, REDIS_PREFIX: 'bull' };
  const [worker, api] = await Promise.all([processes.worker({ env }), processes.api({ env })]);
  const paths = await insertLoad(database, receiver, { name: 'acl', count: 40, fromMs: 500, spanMs: 1_500 });
  const connection = { host: '127.0.0.1', port: server.port };
  const requests = new Queue(QUEUES.requests, { connection });
  const due = new Queue(QUEUES.due, { connection });
  onTestFinished(async () => void (await Promise.all([requests.close(), due.close()])));
  const at = new Date(Date.now() + 500).toISOString();
  await requests.add(REQUESTS.schedule, { id: 'by-queue', at });
  await requests.add(REQUESTS.cancel, { id: 'not-there' });
  await eventually(async () => (await due.getWaitingCount()) === 1, { what: 'a run in the queue' });
  await readBullBoard(api.url);
  expect(await awaitLoad(receiver, paths)).toEqual(paths.map(() => 1));
  await Promise.all([worker.end(), api.end()]);
  const denied = (await admin.acl('LOG')) as unknown[];
  expect(denied.map(String)).toEqual([]);
  const user = server.connect({ username: 'carillon', password: 'secret' });
  for (const command of [['FLUSHALL'], ['CONFIG', 'GET', '*'], ['KEYS', '*'], ['GET', 'of-another-program']])
    await expect(user.call(command[0] as string, command.slice(1)), command[0]).rejects.toThrow('NOPERM');
}, 60_000);

async function readBullBoard(url: string): Promise<void> {
  const body = new URLSearchParams({ key: ADMIN_KEY });
  const signedIn = await fetch(`${url}/sign-in`, { method: 'POST', body, redirect: 'manual' });
  const cookie = signedIn.headers.getSetCookie().map((each) => each.split(';')[0]);
  const headers = { cookie: cookie.join('; ') };
  const answer = await fetch(`${url}/queues/api/queues?activeQueue=${QUEUES.bells}&page=1`, { headers });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toHaveProperty('queues');
}
