import { randomBytes } from 'node:crypto';
import { createSchedules, editSchedule, SecretBox } from '@carillon/db';
import { spellSecret, WebhookReceipt } from '@carillon/shared';
import {
  AS_DESCRIBED,
  draft,
  eventually,
  headersUnlikeDescribed,
  useDatabase,
  useReceiver,
} from '@carillon/testkit';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { awaitRun, ENCRYPTION_KEY, hasEnded, insertDue, useWorker } from './support.js';

const database = useDatabase();
const receiver = useReceiver();
useWorker(database);

const webhook = (path: string) => ({ type: 'webhook' as const, url: receiver.url(path), headers: {} });
/**
 * The receipts that this path has received. Each receipt must have exactly the fields that the OpenAPI document
 * describes.
 */
const receiptsAt = (path: string) =>
  receiver.to(path).map(({ body }) => WebhookReceipt.strict().parse(JSON.parse(body)));
const leftOver = async () =>
  Number((await database.pool.query(`select count(*) as count from carillon.receipts`)).rows[0].count);

describe('Receipts', () => {
  it('the receipt of a successful run is posted once to onSuccess, and none to onFailure', async () => {
    const id = await insertDue(database, {
      id: 'rcpt-1',
      target: webhook('created/ext_1'),
      onSuccess: receiver.url('status/200/success'),
      onFailure: receiver.url('status/200/failure'),
    });
    await awaitRun(database, id, hasEnded);
    const [receipt] = await eventually(
      () => receiptsAt('status/200/success').length > 0 && receiptsAt('status/200/success'),
    );
    expect(receipt).toMatchObject({
      type: 'run.succeeded',
      scheduleId: 'rcpt-1',
      attempt: 1,
      httpStatus: 201,
      externalId: 'ext_1',
      error: null,
    });
    await eventually(async () => (await leftOver()) === 0);
    expect(receiver.to('status/200/success')).toHaveLength(1);
    const { headers = {} } = receiver.to('status/200/success')[0] ?? {};
    expect(headersUnlikeDescribed('runSucceeded', headers)).toEqual(AS_DESCRIBED);
    expect(receiver.to('status/200/failure')).toHaveLength(0);
  });

  it('the receipt of a failed run is posted to onFailure after its last attempt has failed', async () => {
    const onFailure = receiver.url('status/204/failed');
    const id = await insertDue(database, {
      target: webhook('status/503/rcpt'),
      retry: { maxAttempts: 2, baseDelay: 'PT0.05S' },
      onFailure,
    });
    await awaitRun(database, id, hasEnded);
    const [receipt] = await eventually(
      () => receiptsAt('status/204/failed').length > 0 && receiptsAt('status/204/failed'),
    );
    expect(receipt).toMatchObject({
      type: 'run.failed',
      attempt: 2,
      httpStatus: 503,
      error: 'the receiver answered 503',
    });
  });

  it('a receipt (the message to onSuccess) is sent again with the same id if its receiver fails', async () => {
    const path = 'flaky/1/receipt';
    await insertDue(database, { target: { type: 'handler', name: 'noop' }, onSuccess: receiver.url(path) });
    await eventually(() => receiver.to(path).length === 1);
    // The retry is due in five seconds. The test makes it due now.
    await eventually(async () => {
      await database.pool.query(
        `update carillon.receipts set next_try_at = now() where tries = 1 and next_try_at < now() + interval '10 seconds'`,
      );
      return receiver.to(path).length === 2;
    });
    expect(new Set(receiver.to(path).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    await eventually(async () => (await leftOver()) === 0);
  });

  it('the receipt of a run whose worker was lost during the last attempt is posted to onFailure', async () => {
    const path = 'status/200/lost';
    const id = await insertDue(database, {
      target: webhook('hang/lost'),
      timeout: 'PT60S',
      retry: { maxAttempts: 1 },
      onFailure: receiver.url(path),
    });
    await eventually(() => receiver.to('hang/lost').length === 1);
    // Simulates the loss of the worker: the lease has expired and belongs to a worker that does not exist.
    await database.pool.query(
      `update carillon.leases set worker_id = 0, held_until = now() - interval '1 second'`,
    );
    expect(await awaitRun(database, id, hasEnded)).toMatchObject({
      status: 'failed',
      errorCode: 'worker_lost',
    });
    const [receipt] = await eventually(() => receiptsAt(path).length > 0 && receiptsAt(path));
    expect(receipt).toMatchObject({ type: 'run.failed', attempt: 1, httpStatus: null });
  });

  it('a receipt (the message to onSuccess) that is answered with 404 is not sent again', async () => {
    await insertDue(database, {
      target: { type: 'handler', name: 'noop' },
      onSuccess: receiver.url('status/404/receipt'),
    });
    await eventually(() => receiver.to('status/404/receipt').length === 1);
    await eventually(async () => (await leftOver()) === 0);
  });
});

describe('Secrets of schedules', () => {
  const box = new SecretBox(ENCRYPTION_KEY);
  const [older, newer] = [spellSecret(randomBytes(24)), spellSecret(randomBytes(24))] as [string, string];
  const verify = (secret: string, path: string) => {
    const { body, headers } = receiver.to(path).at(-1) as (typeof receiver.received)[number];
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  };
  const define = (path: string) =>
    draft({ id: 'signed', rule: { every: 'PT1S' }, target: webhook(path), secret: older }, Date.now());

  it('a schedule’s own secret signs its deliveries, and for a while after a change of the secret, they verify with the old and with the new one', async () => {
    const first = define('status/200/own');
    const sealedSecret = box.seal(older, database.projectId);
    await createSchedules(database.pool, {
      projectId: database.projectId,
      drafts: [{ ...first, sealedSecret }],
      actor: 'test',
    });
    await eventually(() => receiver.to('status/200/own').length > 0);
    expect(verify(older, 'status/200/own')).toMatchObject({ scheduleId: 'signed' });

    const ref = { projectId: database.projectId, key: 'signed' };
    const second = define('status/200/rotated');
    await editSchedule(
      database.pool,
      { ref, actor: 'test' },
      {
        ...second,
        sealedSecret: box.seal(newer, database.projectId),
      },
    );
    await eventually(() => receiver.to('status/200/rotated').length > 0);
    for (const secret of [older, newer]) expect(verify(secret, 'status/200/rotated')).toBeTruthy();

    // An edit that does not mention the secret keeps it.
    const third = define('status/200/kept');
    await editSchedule(
      database.pool,
      { ref, actor: 'test' },
      {
        ...third,
        plan: { ...third.plan, hasSecret: false },
      },
    );
    await eventually(() => receiver.to('status/200/kept').length > 0);
    expect(verify(newer, 'status/200/kept')).toBeTruthy();

    const fourth = define('status/200/removed');
    await editSchedule(
      database.pool,
      { ref, actor: 'test' },
      {
        ...fourth,
        sealedSecret: null,
      },
    );
    await eventually(() => receiver.to('status/200/removed').length > 0);
    expect(receiver.to('status/200/removed').at(-1)?.headers['webhook-signature']).toBeUndefined();
  });

  it('webhook secrets are not stored in plain text in Postgres', async () => {
    const { rows } = await database.pool.query(`select sealed from carillon.webhook_secrets`);
    for (const { sealed } of rows) expect(sealed.includes(older.slice(6))).toBe(false);
    const { rows: plans } = await database.pool.query(
      `select plan, rule::text from carillon.schedules union all select plan, rule::text from carillon.schedule_versions`,
    );
    expect(JSON.stringify(plans)).not.toContain(older.slice(6));
  });

  it('an encrypted secret can be decrypted neither for another project nor with another encryption key', () => {
    const sealed = box.seal(older, 1);
    expect(box.open(sealed, 1)).toBe(older);
    expect(() => box.open(sealed, 2)).toThrow();
    expect(() => new SecretBox(randomBytes(32).toString('base64')).open(sealed, 1)).toThrow();
  });
});
