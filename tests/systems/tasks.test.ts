import { QUEUES, TICKS } from '@carillon/queue';
import { HOUR_MS } from '@carillon/shared';
import { eventually, useDatabase, useReceiver } from '@carillon/testkit';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, usePrograms } from '../use-programs.js';
import { useHttp } from './http.js';

const database = useDatabase();
const programs = usePrograms(database);
const receiver = useReceiver();
let api: Program & { url: string };
const ask = useHttp(() => api.url);
const workers: Program[] = [];
const redis = new Redis(database.redisUrl, { maxRetriesPerRequest: null });
const ticks = new Queue(QUEUES.ticks, { connection: redis, prefix: database.prefix });

beforeAll(async () => {
  api = await programs.api();
  workers.push(await programs.worker(), await programs.worker());
});
afterAll(async () => {
  await ticks.close();
  redis.disconnect();
});

const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString();

describe('Tasks', () => {
  it('/v1/tasks creates, reads, lists, edits and deletes tasks', async () => {
    const dueAt = '2099-01-01T12:00:00.000Z';
    const { status, body } = await ask('POST', '/v1/tasks', { title: 'File the return', dueAt });
    expect(status).toBe(201);
    expect(body).toMatchObject({ title: 'File the return', dueAt, target: null, reminderSentAt: null });
    expect((await ask('GET', `/v1/tasks/${body.id}`)).body).toEqual(body);
    expect((await ask('GET', '/v1/tasks')).body.items).toContainEqual(body);
    const edited = await ask('PUT', `/v1/tasks/${body.id}`, { title: 'File it at last' });
    expect(edited.body).toMatchObject({ title: 'File it at last', dueAt });
    expect((await ask('DELETE', `/v1/tasks/${body.id}`)).status).toBe(200);
    expect((await ask('GET', `/v1/tasks/${body.id}`)).status).toBe(404);
    expect((await ask('POST', '/v1/tasks', { title: 'x', dueAt: 'soon' })).status).toBe(400);
  });

  it('a task scan delivers the reminder of a task through the engine to the task’s own target, once', async () => {
    const target = { type: 'webhook', url: receiver.url('status/200/task') };
    const task = (await ask('POST', '/v1/tasks', { title: 'Call back', dueAt: inAnHour(), target })).body;
    const scan = await ask('POST', '/v1/tasks/scan');
    expect(scan).toMatchObject({ status: 200, body: { due: 1, sent: 1, skipped: 0, failed: 0 } });
    const [received] = await eventually(() => {
      const got = receiver.to('status/200/task');
      return got.length > 0 && got;
    });
    expect(JSON.parse(received?.body ?? '').payload).toMatchObject({
      taskId: task.id,
      title: 'Call back',
      dueAt: task.dueAt,
      workerRunId: scan.body.workerRunId,
    });
    expect((await ask('GET', `/v1/tasks/${task.id}`)).body.reminderSentAt).not.toBeNull();
    expect((await ask('POST', '/v1/tasks/scan')).body).toMatchObject({ due: 0, sent: 0 });
  });

  it('as soon as a worker has started, a repeating job exists that scans for due task reminders every hour at minute 0 UTC', async () => {
    const scheduler = await eventually(() => ticks.getJobScheduler(TICKS.tasks));
    expect(scheduler).toMatchObject({ pattern: '0 * * * *', tz: 'UTC' });
    expect(new Date(scheduler?.next ?? 0).toISOString()).toMatch(/:00:00\.000Z$/);
  });

  it('if two workers and the API scan for due task reminders at the same time, one reminder of each task is sent', async () => {
    const titles = Array.from({ length: 40 }, (_, i) => `race ${i}`);
    await Promise.all(titles.map((title) => ask('POST', '/v1/tasks', { title, dueAt: inAnHour() })));
    const ticked = Array.from({ length: 6 }, () =>
      ticks.add(TICKS.tasks, {}, { removeOnComplete: true, removeOnFail: true }),
    );
    const scans = await Promise.all([
      ...Array.from({ length: 3 }, () => ask('POST', '/v1/tasks/scan')),
      ...ticked,
    ]);
    expect(scans.slice(0, 3).map((scan) => (scan as { status: number }).status)).toEqual([200, 200, 200]);
    const ended = () => workers.flatMap(({ lines }) => lines.filter(({ msg }) => msg === 'Task scan ended'));
    await eventually(() => ended().length >= 6);
    const { rows } = await database.pool.query<{ title: string; count: number }>(
      `select payload ->> 'title' as title, count(*) as count from carillon.schedules
       where payload ->> 'title' like 'race %' group by 1`,
    );
    expect(rows).toHaveLength(40);
    expect(rows.every(({ count }) => count === 1)).toBe(true);
    await eventually(async () => {
      const runs = await database.pool.query(
        `select from carillon.runs r join carillon.schedules s on s.id = r.schedule_id
         where s.payload ->> 'title' like 'race %' and r.status = 'succeeded'`,
      );
      return runs.rowCount === 40;
    });
  });

  it('a worker scans for due task reminders at the times of the cron expression in TASK_SCAN_CRON', async () => {
    const often = await programs.worker({ env: { TASK_SCAN_CRON: '* * * * * *' } });
    await ask('POST', '/v1/tasks', { title: 'every second', dueAt: inAnHour() });
    await eventually(async () => {
      const { items } = (await ask('GET', '/v1/tasks?limit=1')).body;
      return items[0].title === 'every second' && items[0].reminderSentAt !== null;
    });
    await often.end();
  });
});
