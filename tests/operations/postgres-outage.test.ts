import {
  ADMIN_KEY,
  eventually,
  TcpProxy,
  type TestProcess,
  useDatabase,
  useProcesses,
} from '@carillon/testkit';
import { expect, it, onTestFinished } from 'vitest';

const database = useDatabase();
const processes = useProcesses(database);

const WARN = 40;
const linesFrom = (program: TestProcess, level: number) =>
  program.lines.filter((line) => Number(line.level) >= level).map(({ msg }) => msg);
const isBack = (program: TestProcess) => program.lines.some(({ msg }) => msg === 'Postgres is back');

it('the API and a worker log one warning per outage of Postgres and one line at its end; failed requests are debug lines with method and route', async () => {
  const proxy = await TcpProxy.before(database.url);
  onTestFinished(() => proxy.close());
  const env = {
    DATABASE_URL: proxy.url(database.url),
    CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    LOG_LEVEL: 'debug',
  };
  const [api, worker] = await Promise.all([processes.api({ env }), processes.worker({ env })]);
  const list = () =>
    fetch(`${api.url}/v1/schedules`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } }).then(
      ({ status }) => status,
    );
  await eventually(async () => (await list()) === 200);

  proxy.refuse();
  for (let request = 0; request < 5; request++) expect(await list()).toBe(503);
  const failures = () => worker.lines.filter(({ msg }) => msg === 'Heartbeat failed').length;
  await eventually(() => failures() >= 3, { what: 'three failed heartbeats' });
  proxy.pass();
  await eventually(() => isBack(api) && isBack(worker), { what: 'the end of the outage in both logs' });

  expect(linesFrom(api, WARN)).toEqual(['Postgres is away: requests are answered with 503 until it is back']);
  expect(api.lines.find(({ msg }) => msg === 'Request failed')).toMatchObject({
    method: 'GET',
    route: '/v1/schedules',
  });
  expect(linesFrom(worker, WARN)).toEqual([
    'Postgres is away: this worker claims nothing and keeps its results until Postgres is back',
  ]);
  expect(await list()).toBe(200);
});
