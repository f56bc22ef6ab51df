import { once } from 'node:events';
import { connect } from 'node:net';
import { ADMIN_KEY, eventually, TcpProxy, useDatabase, useProcesses } from '@carillon/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { scheduleBody } from './use-api.js';

const database = useDatabase();
const processes = useProcesses(database);

/** The time after which `docker stop` kills a process. It is the shortest of the usual limits. */
const GRACE_MS = 10_000;

it('an API with counters to store ends within 10 s of SIGTERM, the limit of `docker stop`, even if Postgres does not answer', async () => {
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

it('a request whose last bytes arrive while the API stops is answered with the problem `stopping`', async () => {
  const { url, child } = await processes.api({});
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let said = '';
  socket.on('data', (chunk) => {
    said += chunk;
  });
  // One write holds a whole request and the start of another, so the API has the start once it answers the first.
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/templates HTTP/1.1\r\nHost: x\r\n');
  await eventually(() => said.endsWith('{"status":"ok"}'));
  said = '';
  child.kill('SIGTERM');
  const isListening = () =>
    fetch(`${url}/health/live`).then(
      () => true,
      () => false,
    );
  await eventually(async () => !(await isListening()));
  socket.write('\r\n');
  await once(socket, 'close');
  expect(said).toMatch(/^HTTP\/1\.1 503 /);
  expect(said).toMatch(/^content-type: application\/problem\+json/im);
  expect(said).toMatch(/^retry-after: 1\r$/im);
  expect(said).toContain('"type":"/problems/stopping","code":"stopping"');
});
