import { QUEUES, REQUESTS } from '@carillon/queue';
import { eventually, useDatabase } from '@carillon/testkit';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Program, usePrograms } from '../use-programs.js';
import { useHttp } from './http.js';

const database = useDatabase();
const programs = usePrograms(database);
const redis = new Redis(database.redisUrl, { maxRetriesPerRequest: null });
const requests = new Queue(QUEUES.requests, { connection: redis, prefix: database.prefix });
const rejected = new Queue(QUEUES.rejected, { connection: redis, prefix: database.prefix });
let api: Program & { url: string };
const ask = useHttp(() => api.url);

beforeAll(async () => {
  api = await programs.api();
  await programs.worker();
});
afterAll(async () => {
  await Promise.all([requests.close(), rejected.close()]);
  redis.disconnect();
});

const read = async (id: string) => (await ask('GET', `/v1/schedules/${id}`)).body;
const runsOf = async (id: string) => (await ask('GET', `/v1/runs?schedule=${id}`)).body.items;

const target = { type: 'handler', name: 'log' };

describe('Schedules by name', () => {
  it('a schedule shows when it runs next, when it last ran, and when its last run was claimed', async () => {
    await ask('POST', '/v1/schedules', { id: 'email-digest', rule: { every: 'PT1S' }, target });
    const ran = await eventually(async () => {
      const schedule = await read('email-digest');
      return schedule.runsTotal > 0 && schedule;
    });
    expect(Date.parse(ran.nextRunAt)).toBeGreaterThan(Date.parse(ran.lastRunAt));
    expect(ran.lastEnqueuedAt).not.toBeNull();
  });

  it('a paused schedule does not run, and runs again after it is resumed', async () => {
    const paused = await ask('POST', '/v1/schedules/email-digest/pause', { note: 'maintenance' });
    expect(paused.body.status).toBe('paused');
    const { runsTotal } = paused.body;
    // The second schedule has the same rule. Once it has run twice, the first schedule would have run too if it were
    // not paused.
    await ask('POST', '/v1/schedules', { id: 'not-paused', rule: { every: 'PT1S' }, target });
    await eventually(async () => (await read('not-paused')).runsTotal >= 2);
    await ask('DELETE', '/v1/schedules/not-paused');
    expect((await read('email-digest')).runsTotal).toBe(runsTotal);
    await ask('POST', '/v1/schedules/email-digest/resume');
    await eventually(async () => (await read('email-digest')).runsTotal > runsTotal);
    await ask('DELETE', '/v1/schedules/email-digest');
  });

  it('a manual start (POST /v1/schedules/:id/trigger) runs a schedule at once and does not move its next run', async () => {
    await ask('POST', '/v1/schedules', { id: 'cleanup', rule: { cron: '0 3 1 1 *' }, target });
    const before = await read('cleanup');
    const { body } = await ask('POST', '/v1/schedules/cleanup/trigger');
    await eventually(async () => (await ask('GET', `/v1/runs/${body.runId}`)).body.status === 'succeeded');
    expect((await read('cleanup')).nextRunAt).toBe(before.nextRunAt);
  });

  it('a reschedule moves the next run of a schedule, and later runs keep their times', async () => {
    await ask('POST', '/v1/schedules/cleanup/reschedule', { at: new Date(Date.now() + 300).toISOString() });
    await eventually(async () => (await read('cleanup')).runsTotal === 1);
    expect((await read('cleanup')).nextRunAt).toMatch(/-01-01T03:00:00\.000Z$/);
  });

  it('a run shows when it was claimed and by which worker, when it was enqueued, how long it took and how it ended', async () => {
    const run = await eventually(async () => {
      const [latest] = await runsOf('cleanup');
      return latest.status === 'succeeded' && latest;
    });
    const { body } = await ask('GET', `/v1/runs/${run.id}`);
    expect(body).toMatchObject({
      status: 'succeeded',
      claimedAt: expect.any(String),
      claimedBy: expect.any(Number),
      enqueuedAt: expect.any(String),
      durationMs: expect.any(Number),
      lastError: null,
    });
    await ask('POST', '/v1/schedules', {
      id: 'broken',
      rule: { in: 'PT0S' },
      target: { type: 'webhook', url: 'http://127.0.0.1:1/' },
      retry: { maxAttempts: 1 },
    });
    const failed = await eventually(async () =>
      (await runsOf('broken')).find(({ status }: { status: string }) => status === 'failed'),
    );
    expect(failed).toMatchObject({
      claimedBy: expect.any(Number),
      lastError: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe('Templates', () => {
  it('an installation has four built-in templates', async () => {
    const { items } = (await ask('GET', '/v1/templates')).body;
    expect(items.map(({ id, rule }: { id: string; rule: object }) => [id, rule])).toEqual([
      ['hourly', { cron: '0 * * * *' }],
      ['daily-midnight', { cron: '0 0 * * *' }],
      ['weekdays-nine', { cron: '0 9 * * 1-5' }],
      ['weekly-monday-eight', { cron: '0 8 * * 1' }],
    ]);
    expect(items[2]).toMatchObject({ builtIn: true, text: expect.stringContaining('09:00') });
  });

  it('a schedule can be created from a template', async () => {
    const request = { id: 'by-template', template: 'weekdays-nine', timezone: 'Asia/Tokyo', target };
    const { status, body } = await ask('POST', '/v1/schedules', request);
    expect(status).toBe(201);
    expect(body).toMatchObject({ rule: { cron: '0 9 * * 1-5' }, timezone: 'Asia/Tokyo' });
    expect((await ask('POST', '/v1/schedules', request)).status).toBe(200);
  });

  it('a project can have templates of its own, and their time zone applies to schedules without a time zone', async () => {
    const own = {
      id: 'month-end',
      rule: { cron: '0 18 L * *' },
      timezone: 'Europe/Berlin',
      description: 'Closing',
    };
    const made = await ask('POST', '/v1/templates', own);
    expect(made).toMatchObject({ status: 201, body: { ...own, builtIn: false } });
    expect((await ask('POST', '/v1/templates', own)).status).toBe(409);
    const { body } = await ask('POST', '/v1/schedules', { template: 'month-end', target });
    expect(body).toMatchObject({ rule: own.rule, timezone: 'Europe/Berlin' });
    const edited = await ask('PUT', '/v1/templates/month-end', { rule: { cron: '0 17 L * *' } });
    expect(edited.body).toMatchObject({
      rule: { cron: '0 17 L * *' },
      timezone: 'Europe/Berlin',
      description: 'Closing',
    });
    // A schedule that was created from the template keeps its rule after the template is changed.
    expect((await read(body.id)).rule).toEqual(own.rule);
    expect((await ask('DELETE', '/v1/templates/month-end')).status).toBe(200);
    expect((await ask('GET', '/v1/templates/month-end')).status).toBe(404);
  });

  it('a built-in template can be neither changed, deleted nor replaced', async () => {
    for (const method of ['PUT', 'DELETE']) {
      const { status } = await ask(method, '/v1/templates/hourly', method === 'PUT' ? {} : undefined);
      expect(status).toBe(409);
    }
    expect((await ask('POST', '/v1/templates', { id: 'hourly', rule: { every: 'PT1H' } })).status).toBe(409);
  });

  it.each([
    [{ template: 'no-such' }, 'template'],
    [{ template: 'hourly', rule: { every: 'PT1H' } }, 'template'],
    [{}, 'rule'],
  ])('creating a schedule from %j is refused, and the error names the field %s', async (request, field) => {
    const { status, body } = await ask('POST', '/v1/schedules', request);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ field }]);
  });

  it('schedules can be created from templates in bulk creates and in requests by queue', async () => {
    const bulk = await ask('POST', '/v1/schedules/bulk', {
      items: [
        { id: 'bulk-1', template: 'hourly', target },
        { id: 'bulk-2', template: 'no-such' },
      ],
    });
    expect(bulk.body.items).toMatchObject([
      { id: 'bulk-1', result: 'created' },
      { result: 'invalid', errors: [{ field: 'template' }] },
    ]);
    await requests.add(REQUESTS.schedule, { id: 'queued-1', template: 'hourly', target });
    await requests.add(REQUESTS.schedule, { id: 'queued-2', template: 'no-such' });
    await eventually(async () => (await read('queued-1')).rule?.cron === '0 * * * *');
    const refused = await eventually(async () => (await rejected.getJobs())[0]);
    expect(refused.data).toMatchObject({
      data: { id: 'queued-2' },
      reason: expect.stringContaining('template'),
    });
  });
});
