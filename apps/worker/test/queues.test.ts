import { type ClaimedRun, replayRun } from '@carillon/db';
import { connectProducer, DUE_JOB, PostgresClock, QUEUES, REQUESTS } from '@carillon/queue';
import { decodeRunId, type RunIdentity } from '@carillon/shared';
import { eventually, insertSchedules, testServers, useDatabase } from '@carillon/testkit';
import { type Job, Queue } from 'bullmq';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DueQueues } from '../src/delivery/targets/queue.js';
import { Flight } from '../src/pipeline/in-flight.js';
import { awaitRun, hasEnded, insertDue, useWorker } from './support.js';

const database = useDatabase();
const queues = new Map<string, Queue>();
let redis: ReturnType<typeof connectProducer>;
beforeAll(async () => {
  redis = connectProducer(database.redisUrl, () => {});
  await eventually(() => redis.status === 'ready');
});
useWorker(database);
afterAll(async () => {
  for (const queue of queues.values()) await queue.close();
  redis.disconnect();
});

function queueOf(name: string): Queue {
  const queue = queues.get(name) ?? new Queue(name, { connection: redis, prefix: database.prefix });
  queues.set(name, queue);
  return queue;
}

const waitingIn = (name: string) => queueOf(name).getJobs(['waiting']);
const scheduleOf = async (key: string) => {
  const { rows } = await database.pool.query(
    `select id, status, plan::json -> 'target' as target, rule from carillon.schedules where key = $1`,
    [key],
  );
  return rows[0];
};
const rejectionOf = (key: string) =>
  eventually(async () => (await waitingIn(QUEUES.rejected)).find((job) => job.data.data?.id === key));

describe('Queue target', () => {
  it('a queue target adds a ScheduleDue job whose job id is the run’s id', async () => {
    const id = await insertDue(database, {
      id: 'q-1',
      target: { type: 'queue', queue: 'orders' },
      payload: { a: [1, 'ü'] },
    });
    expect(await awaitRun(database, id)).toMatchObject({ status: 'succeeded' });
    const [job] = (await waitingIn('orders')) as [Job];
    expect(job.name).toBe(DUE_JOB);
    expect(Object.keys(job.data)).toEqual(['id', 'projectId', 'runId', 'occurrenceAt', 'firedAt', 'payload']);
    expect(job.data).toMatchObject({ id: 'q-1', payload: { a: [1, 'ü'] } });
    expect(job.id).toBe(job.data.runId);
  });

  it('1,200 runs with a queue target that are due at one instant add 1,200 jobs, one each', async () => {
    const at = new Date().toISOString();
    const ids = await insertSchedules(
      database,
      Array.from({ length: 1_200 }, () => ({
        rule: { at },
        target: { type: 'queue' as const, queue: 'herd' },
      })),
    );
    await eventually(async () => (await queueOf('herd').getWaitingCount()) === ids.length);
    const jobs = await queueOf('herd').getJobs(['waiting'], 0, 2_000);
    expect(new Set(jobs.map((job) => job.data.runId)).size).toBe(ids.length);
  });

  it('the replay of a run with a queue target adds a job under a new job id', async () => {
    const id = await insertDue(database, { id: 'q-2', target: { type: 'queue', queue: 'replayed' } });
    await awaitRun(database, id, hasEnded);
    const [first] = (await waitingIn('replayed')) as [Job];
    const run = decodeRunId(first.data.runId) as RunIdentity;
    await replayRun(database.pool, { projectId: database.projectId, run, actor: 'test' });
    const second = await eventually(async () =>
      (await waitingIn('replayed')).find((job) => job.id !== first.id),
    );
    expect(second.id).toBe(`${first.id}-r1`);
  });
});

const NOW = Date.parse('2026-05-01T10:00:00Z');

/** A claimed run with a queue target, with only the fields that the target reads. */
const flightTo = (queue: string, more: object = {}) =>
  new Flight({
    scheduleId: 1,
    occurrenceAt: 0,
    origin: 'rule',
    scheduleKey: queue,
    replays: 0,
    payload: null,
    plan: { target: { type: 'queue', queue } },
    ...more,
  } as unknown as ClaimedRun);

describe('Bytes in Redis', () => {
  const payload = JSON.stringify('x'.repeat(100_000));
  const open = (maxWaitingBytes?: number) =>
    new DueQueues({
      redis,
      prefix: database.prefix,
      clock: new PostgresClock(Date.now),
      ...(maxWaitingBytes === undefined ? {} : { maxWaitingBytes }),
    });

  it('a run with a queue target fails with a transient error while the waiting jobs of its queue exceed the byte limit', async () => {
    const queues = open(250_000);
    const outcomes = [];
    for (let i = 0; i < 3; i++)
      outcomes.push(await queues.deliver(flightTo('hoarder', { payload, occurrenceAt: i })));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['succeeded', 'succeeded', 'failed']);
    expect(outcomes[2]).toMatchObject({ isTransient: true, errorCode: 'queue_full' });
    expect(await waitingIn('hoarder')).toHaveLength(2);
    await queues.close();
  });

  it('60 large jobs that are delivered together are each added to their queue once', async () => {
    const queues = open();
    const flights = Array.from({ length: 60 }, (_, i) => flightTo('heavy', { payload, occurrenceAt: i }));
    const outcomes = await Promise.all(flights.map(queues.deliver));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['succeeded']));
    expect(await queueOf('heavy').getWaitingCount()).toBe(60);
    await queues.close();
  });

  it('a queue target keeps fewer completed jobs in Redis if the jobs are large', async () => {
    const queues = open();
    await queues.deliver(flightTo('kept', { payload }));
    const [job] = (await waitingIn('kept')) as [Job];
    expect(job.opts.removeOnComplete).toMatchObject({ count: 671 });
    await queues.close();
  });
});

describe('Lost leases', () => {
  it('if every run of a batch for a queue target has lost its lease, no command is sent to Redis', async () => {
    const watched = connectProducer(database.redisUrl, () => {});
    await eventually(() => watched.status === 'ready');
    const sent: string[] = [];
    const send = watched.sendCommand.bind(watched) as (...call: unknown[]) => unknown;
    const sendCommand = (command: { name: string }, ...rest: unknown[]) => {
      sent.push(command.name);
      return send(command, ...rest);
    };
    Object.assign(watched, { sendCommand });
    const queues = new DueQueues({
      redis: watched,
      prefix: database.prefix,
      clock: new PostgresClock(Date.now),
    });
    expect(await queues.deliver(flightTo('refused'))).toEqual({ kind: 'succeeded' });
    sent.splice(0);
    const lost = flightTo('refused', { occurrenceAt: 1 });
    lost.abort('lease_lost');
    await expect(queues.deliver(lost)).rejects.toBe('lease_lost');
    expect(await queues.deliver(flightTo('refused', { occurrenceAt: 2 }))).toEqual({ kind: 'succeeded' });
    // The lost run has sent no command. The only command adds the job of the last delivery.
    expect(sent).toEqual(['evalsha']);
    watched.disconnect();
    await queues.close();
  });
});

describe('While Redis is away', () => {
  it.each([
    ['for the first time, waits a second for the next try', null, 1_000],
    ['since 4 s, waits another 4 s for the next try', 4_000, 4_000],
    ['since an hour, waits 10 s for the next try', 3_600_000, 10_000],
  ])('a run with a queue target that is deferred because Redis is away, %s', async (_, forMs, retryInMs) => {
    const away = connectProducer('redis://127.0.0.1:1', () => {});
    const queues = new DueQueues({
      redis: away,
      prefix: database.prefix,
      clock: new PostgresClock(() => NOW),
    });
    const flight = flightTo('away', { deferredFromAt: forMs === null ? null : NOW - forMs });
    expect(await queues.deliver(flight)).toMatchObject({
      kind: 'deferred',
      retryInMs,
      reasonCode: 'redis_unavailable',
    });
    expect(flight.sentAt).toBeNull();
    away.disconnect();
  });
});

describe('The queue schedule-requests', () => {
  it.each([
    ['{ id, at }', 'short-at', { at: new Date(Date.now() + 3_600_000).toISOString() }],
    ['{ id, rrule }', 'short-rrule', { rrule: 'FREQ=DAILY;BYHOUR=9' }],
  ])(
    'a request %s in the queue schedule-requests creates a schedule whose target is the queue schedule-due',
    async (_, id, rule) => {
      await queueOf(QUEUES.requests).add(REQUESTS.schedule, { id, ...rule });
      const made = await eventually(() => scheduleOf(id));
      expect(made).toMatchObject({
        status: 'active',
        target: { type: 'queue', queue: 'schedule-due' },
        rule,
      });
    },
  );

  it('a schedule that was requested by the queue schedule-requests adds a job to the queue schedule-due when it fires', async () => {
    await queueOf(QUEUES.requests).add(REQUESTS.schedule, {
      id: 'soon',
      at: new Date(Date.now() + 300).toISOString(),
      payload: 7,
    });
    const due = await eventually(async () =>
      (await waitingIn(QUEUES.due)).find((job) => job.data.id === 'soon'),
    );
    expect(due.data).toMatchObject({ id: 'soon', payload: 7 });
    expect(Date.parse(due.data.firedAt)).toBeGreaterThanOrEqual(Date.parse(due.data.occurrenceAt));
  });

  it('a request in the queue schedule-requests with all fields creates one schedule, even if it is repeated with its fields in another order', async () => {
    const request = {
      id: 'whole',
      rule: { cron: '0 9 * * *' },
      timezone: 'Europe/Berlin',
      target: { type: 'handler', name: 'noop' },
      tags: ['x'],
    };
    const turnedAround = Object.fromEntries(Object.entries(request).reverse());
    await queueOf(QUEUES.requests).addBulk(
      [request, request, turnedAround].map((data) => ({ name: REQUESTS.schedule, data })),
    );
    expect(await eventually(() => scheduleOf('whole'))).toMatchObject({
      target: { type: 'handler', name: 'noop' },
    });
    await eventually(
      async () => (await queueOf(QUEUES.requests).getJobCounts('waiting', 'active')).active === 0,
    );
    expect((await waitingIn(QUEUES.rejected)).filter((job) => job.data.data.id === 'whole')).toEqual([]);
  });

  it.each([
    ['no-rule', { id: 'no-rule' }, /rule/],
    ['no-target', { id: 'no-target', rule: { cron: '0 9 * * *' } }, /target: is missing/],
    ['two-rules', { id: 'two-rules', at: '2030-01-01T00:00:00Z', rrule: 'FREQ=DAILY' }, /exactly one/],
    ['bad-rrule', { id: 'bad-rrule', rrule: 'FREQ=SOMETIMES' }, /rule/],
    ['never', { id: 'never', rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, /rule/],
    ['strange', { id: 'strange', at: '2030-01-01T00:00:00Z', colour: 'red' }, /colour/],
    ['nul', { id: 'nul', at: '2030-01-01T00:00:00Z', name: 'a\0b' }, /NUL/],
    [
      'header',
      {
        id: 'header',
        at: '2030-01-01T00:00:00Z',
        target: { type: 'webhook', url: 'https://example.com', headers: { host: 'x' } },
      },
      /host/,
    ],
    ['whole', { id: 'whole', at: '2030-01-01T00:00:00Z' }, /exists already/],
  ])('the queued request %s (%j) is rejected with the reason %s', async (id, data, reason) => {
    await queueOf(QUEUES.requests).add(REQUESTS.schedule, data);
    const rejected = await rejectionOf(id);
    expect(rejected.data).toMatchObject({ name: REQUESTS.schedule, data });
    expect(rejected.data.reason).toMatch(reason);
  });

  it.each([null, 'text', 7, [1]])(
    'a job with the data %j in the queue schedule-requests is rejected',
    async (data) => {
      const job = await queueOf(QUEUES.requests).add(REQUESTS.schedule, data);
      const rejected = await eventually(async () =>
        (await waitingIn(QUEUES.rejected)).find((each) => each.id === `rejected-${job.id}`),
      );
      expect(rejected.data.reason).toMatch(/request|id/);
    },
  );

  it('a request in the queue schedule-requests beyond the project’s limit of schedules is rejected, but the repeat of an earlier request is not', async () => {
    const target = { type: 'handler', name: 'noop' };
    const request = (id: string) => ({ id, rule: { cron: '0 9 * * *' }, target });
    const ask = (id: string) => queueOf(QUEUES.requests).add(REQUESTS.schedule, request(id));
    const rejected = async () =>
      (await waitingIn(QUEUES.rejected)).filter(({ data }) => data.data?.id?.startsWith('room-'));
    await ask('room-first');
    await eventually(() => scheduleOf('room-first'));
    await database.pool.query(
      `update carillon.projects set limits = '{"schedules": 1}' where key = 'default'`,
    );
    // The worker caches the project's settings for a while, so the request is repeated until the new limit applies.
    let asked = 0;
    const askOnUntil = (condition: () => Promise<unknown>) =>
      eventually(
        async () => {
          await ask(`room-${++asked}`);
          return condition();
        },
        { everyMs: 500 },
      );
    await askOnUntil(async () => (await rejected()).length > 0);
    expect((await rejected())[0]?.data.reason).toMatch(/has reached its limit of 1 schedules/);

    await ask('room-first');
    await ask('room-last');
    await eventually(async () => (await rejected()).some(({ data }) => data.data.id === 'room-last'));
    expect((await rejected()).map(({ data }) => data.data.id)).not.toContain('room-first');
    await database.pool.query(`update carillon.projects set limits = '{}' where key = 'default'`);
    const accepted = asked + 1;
    await askOnUntil(async () => {
      const keys = Array.from({ length: asked - accepted + 1 }, (_, i) => `room-${accepted + i}`);
      return (await Promise.all(keys.map(scheduleOf))).some(Boolean);
    });
  });

  it('a job with an unknown name in the queue schedule-requests is rejected', async () => {
    const job = await queueOf(QUEUES.requests).add('Other', { id: 'other' });
    const rejected = await eventually(async () =>
      (await waitingIn(QUEUES.rejected)).find((each) => each.id === `rejected-${job.id}`),
    );
    expect(rejected.data.reason).toContain(REQUESTS.cancel);
  });

  it('a cancel request in the queue schedule-requests may be repeated, and one for an unknown schedule is rejected', async () => {
    await queueOf(QUEUES.requests).add(REQUESTS.schedule, { id: 'to-cancel', rrule: 'FREQ=DAILY' });
    await eventually(() => scheduleOf('to-cancel'));
    for (let n = 0; n < 2; n++) await queueOf(QUEUES.requests).add(REQUESTS.cancel, { id: 'to-cancel' });
    await eventually(async () => (await scheduleOf('to-cancel')).status === 'cancelled');
    await queueOf(QUEUES.requests).add(REQUESTS.cancel, { id: 'no-such' });
    expect((await rejectionOf('no-such')).data.reason).toContain('no-such');
    expect((await waitingIn(QUEUES.rejected)).filter((job) => job.data.data?.id === 'to-cancel')).toEqual([]);
  });

  it('a thousand requests that arrive in the queue schedule-requests at once are all carried out', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const jobs = Array.from({ length: 1_000 }, (_, n) => ({
      name: REQUESTS.schedule,
      data: { id: `many-${n}`, at },
    }));
    await queueOf(QUEUES.requests).addBulk(jobs);
    await eventually(async () => {
      const { rows } = await database.pool.query(
        `select count(*) from carillon.schedules where key like 'many-%'`,
      );
      return Number(rows[0].count) === 1_000;
    });
  });
});

describe('While Postgres is away', () => {
  it('a request that arrives in the queue schedule-requests while Postgres is unreachable waits, and is carried out afterwards', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const elsewhere = new pg.Client({ connectionString: testServers().databaseUrl });
    await elsewhere.connect();
    await elsewhere.query(`alter database ${name} allow_connections false`);
    await elsewhere.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [
      name,
    ]);

    const job = await queueOf(QUEUES.requests).add(REQUESTS.schedule, { id: 'patient', rrule: 'FREQ=DAILY' });
    await eventually(() => job.isActive());
    await eventually(
      async () => (await database.pool.query('select 1').catch((error) => error)) instanceof Error,
    );
    expect(await job.isActive()).toBe(true);

    await elsewhere.query(`alter database ${name} allow_connections true`);
    await elsewhere.end();
    expect(await eventually(() => scheduleOf('patient').catch(() => null))).toMatchObject({
      status: 'active',
    });
    await eventually(() => job.isCompleted());
  });
});
