import { insertSchedules, TcpProxy, useDatabase, useProcesses } from '@carillon/testkit';
import { expect, it, onTestFinished } from 'vitest';

const database = useDatabase();
const processes = useProcesses(database);

it.each([
  ['begins to refuse connections', true],
  ['has refused connections since before the start', false],
])('a worker whose Redis %s ends within its deadline after SIGTERM', async (_, isUpAtStart) => {
  const proxy = await TcpProxy.before(database.redisUrl);
  onTestFinished(() => proxy.close());
  if (!isUpAtStart) proxy.refuse();
  const worker = await processes.worker({
    env: { REDIS_URL: proxy.url(database.redisUrl), STOP_DEADLINE_MS: '500' },
  });
  proxy.refuse();
  await worker.logged('Redis takes no writes: due runs are found by the sweep, some seconds late');
  await insertSchedules(database, [{ rule: { every: 'PT1S' } }]);
  const beganAt = performance.now();
  await worker.end('SIGTERM');
  // A stop takes at most STOP_DEADLINE_MS plus 15 s (docs/monitoring.md). A busy machine may add to that.
  expect(performance.now() - beganAt).toBeLessThan(30_000);
  expect(worker.child.exitCode).toBe(0);
  const problems = worker.lines.filter(({ msg }) => /Unhandled error|open runs/.test(msg ?? ''));
  expect(problems).toEqual([]);
});
