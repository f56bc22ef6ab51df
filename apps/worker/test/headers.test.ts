import { createProject, createSchedules, SecretBox } from '@carillon/db';
import { DUE_JOB, openQueue } from '@carillon/queue';
import { draft, eventually, useDatabase, useReceiver } from '@carillon/testkit';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { awaitRun, ENCRYPTION_KEY, insertDue, useWorker } from './support.js';

const database = useDatabase();
const receiver = useReceiver();
useWorker(database);

describe('Delivery', () => {
  it('a webhook is sent with the decrypted values of its headers', async () => {
    const box = new SecretBox(ENCRYPTION_KEY);
    const headers = {
      Authorization: box.sealText('Bearer token', database.projectId),
      'X-Plain': 'as it is',
    };
    const url = receiver.url('status/200/headers');
    await awaitRun(database, await insertDue(database, { target: { type: 'webhook', url, headers } }));
    expect(receiver.to('status/200/headers')[0]?.headers).toMatchObject({
      authorization: 'Bearer token',
      'x-plain': 'as it is',
    });
  });

  it('a header that was encrypted for another project cannot be decrypted', async () => {
    const stolen = new SecretBox(ENCRYPTION_KEY).sealText('Bearer token', database.projectId + 1);
    const url = receiver.url('status/200/stolen');
    const target = { type: 'webhook', url, headers: { Authorization: stolen } } as const;
    const run = await awaitRun(database, await insertDue(database, { target, retry: { maxAttempts: 1 } }));
    expect(run.status).toBe('failed');
    expect(receiver.to('status/200/stolen')).toEqual([]);
  });

  it('the BullMQ job that a queue target adds names the project of the schedule', async () => {
    const project = await createProject(database.pool, {
      draft: { key: 'billing', name: 'Billing', defaultTarget: null, limits: {} },
      actor: 'test',
      seal: null,
      sealTarget: () => null,
    });
    const nowAt = Date.now();
    const target = { type: 'queue', queue: 'billing.due' } as const;
    const due = draft({ id: 'due', rule: { at: new Date(nowAt).toISOString() }, target }, nowAt);
    await createSchedules(database.pool, { projectId: project?.id ?? 0, drafts: [due], actor: 'test' });
    const redis = new Redis(database.redisUrl, { maxRetriesPerRequest: null });
    onTestFinished(() => redis.disconnect());
    const queue = openQueue('billing.due', { redis, prefix: database.prefix });
    const job = await eventually(async () => (await queue.getJobs())[0]);
    expect(job).toMatchObject({ name: DUE_JOB, data: { id: 'due', projectId: 'billing' } });
    await queue.close();
  });
});
