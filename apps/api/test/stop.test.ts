import { ADMIN_KEY, TcpProxy, useDatabase, useProcesses } from '@carillon/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { scheduleBody } from './use-api.js';

const database = useDatabase();
const processes = useProcesses(database);

/** The time after which `docker stop` kills a process. It is the shortest of the usual limits. */
const GRACE_MS = 10_000;

it('an API that has counters to store ends on SIGTERM before `docker stop` would kill it, although Postgres does not answer', async () => {
  const proxy = await TcpProxy.before(database.url);
  onTestFinished(() => proxy.close());
  const api = await processes.api({ env: { DATABASE_URL: proxy.url(database.url) } });
  const { status } = await fetch(`${api.url}/v1/schedules`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(scheduleBody()),
  });
  expect(status).toBe(201);
  proxy.silence();
  const kill = setTimeout(() => api.child.kill('SIGKILL'), GRACE_MS);
  await api.end('SIGTERM');
  clearTimeout(kill);
  expect([api.child.exitCode, api.child.signalCode]).toEqual([0, null]);
});
