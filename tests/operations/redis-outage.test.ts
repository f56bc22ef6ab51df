import {
  eventually,
  type OwnServers,
  startOwnServers,
  type TestProcess,
  useDatabase,
  useProcesses,
} from '@carillon/testkit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';

const database = useDatabase();
const processes = useProcesses(database);
let servers: OwnServers;
let administrator: Redis;

beforeAll(async () => {
  servers = await startOwnServers({ databaseUrl: database.url });
  administrator = new Redis(servers.redisUrl);
});
afterAll(async () => {
  await processes.endAll();
  administrator?.disconnect();
  await servers?.stop();
});

/** The level of pino for warnings. */
const WARN = 40;

const deniedOf = (process: TestProcess) =>
  process.lines.filter(({ level, redis }) => redis === 'access_denied' && level === WARN);

it('an API and a worker whose Redis refuses their password warn of it once, do not log the password, and note when Redis accepts it', async () => {
  const password = 'canary-of-a-redis-password';
  await administrator.acl('SETUSER', 'limited', 'reset', 'on', '>another', '~*', '&*', '+@all');
  const url = Object.assign(new URL(servers.redisUrl), { username: 'limited', password });
  const env = { REDIS_URL: url.toString() };
  const both = await Promise.all([processes.api({ env }), processes.worker({ env })]);
  for (const process of both)
    await eventually(() => deniedOf(process).length > 0, { what: 'a warning that Redis denies access' });
  await administrator.acl('SETUSER', 'limited', `>${password}`);
  for (const process of both) {
    await process.logged('Redis takes writes again');
    expect(deniedOf(process)).toHaveLength(1);
    expect(JSON.stringify(process.lines)).not.toContain(password);
  }
});
