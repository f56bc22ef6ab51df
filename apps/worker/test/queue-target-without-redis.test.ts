import { connectProducer } from '@carillon/queue';
import { eventually, TcpProxy, useDatabase } from '@carillon/testkit';
import { Queue } from 'bullmq';
import { expect, it, onTestFinished } from 'vitest';
import { awaitRun, hasEnded, insertDue, startTestWorker } from './support.js';

const database = useDatabase();

it('a run with a queue target and a single attempt is deferred while Redis is away, and its job is added once Redis is back', async () => {
  const redis = connectProducer(database.redisUrl, () => {});
  const queue = new Queue('back', { connection: redis, prefix: database.prefix });
  const proxy = await TcpProxy.before(database.redisUrl);
  const worker = await startTestWorker(database, { REDIS_URL: proxy.url(database.redisUrl) });
  onTestFinished(async () => {
    await worker.stop();
    await proxy.close();
    await queue.close();
    redis.disconnect();
  });
  proxy.refuse();
  const target = { type: 'queue' as const, queue: 'back' };
  const id = await insertDue(database, { target, retry: { maxAttempts: 1 } });
  const deferrals = await eventually(async () => {
    const { rows } = await database.pool.query(
      'select attempt, reason_code as "reasonCode" from carillon.deferrals where schedule_id = $1',
      [id],
    );
    return rows.length > 0 && rows;
  });
  expect(deferrals).toEqual([{ attempt: 1, reasonCode: 'redis_unavailable' }]);
  expect(await queue.getJobCountByTypes('waiting')).toBe(0);

  proxy.pass();
  expect(await awaitRun(database, id, hasEnded)).toMatchObject({ status: 'succeeded', attempt: 1 });
  expect(await queue.getJobCountByTypes('waiting')).toBe(1);
});
