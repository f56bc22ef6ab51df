import { randomBytes } from 'node:crypto';
import { SecretBox, setProjectSecret } from '@carillon/db';
import { spellSecret } from '@carillon/shared';
import { eventually, insertSchedules, useDatabase, useReceiver } from '@carillon/testkit';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { awaitRun, ENCRYPTION_KEY, insertDue, useWorker } from './support.js';

const database = useDatabase();
const receiver = useReceiver();
useWorker(database);

const RETRY = { maxAttempts: 3, baseDelay: 'PT60S', jitter: false };
const deliver = (path: string, more: object = {}) =>
  insertDue(database, {
    target: { type: 'webhook', url: receiver.url(path), headers: {} },
    retry: RETRY,
    timeout: 'PT15S',
    ...more,
  });
const outcomeOf = async (path: string, more: object = {}) => awaitRun(database, await deliver(path, more));
/** For those who never answer: nobody waits for them here longer than it takes to see it. */
const SOON = { timeout: 'PT2S' };

/** How long after its end the run is tried again, in seconds. */
const delayOf = ({ nextAttemptAt, finishedAt }: { nextAttemptAt: Date | null; finishedAt: Date | null }) =>
  nextAttemptAt && finishedAt
    ? Math.round((nextAttemptAt.getTime() - finishedAt.getTime()) / 100) / 10
    : null;

describe('A receiver that answers', () => {
  it.each([200, 201, 202, 204])('%i: succeeded', async (status) => {
    expect(await outcomeOf(`status/${status}`)).toMatchObject({
      status: 'succeeded',
      httpStatus: status,
      errorCode: null,
    });
  });

  it('201 with an id: the id is kept', async () => {
    expect(await outcomeOf('created/ext_42')).toMatchObject({
      status: 'succeeded',
      httpStatus: 201,
      externalId: 'ext_42',
    });
  });

  it.each([301, 302, 307, 308])('%i: failed at once, and nobody follows', async (status) => {
    const before = receiver.to('status/200').length;
    expect(await outcomeOf(`redirect/${status}`)).toMatchObject({
      status: 'failed',
      httpStatus: status,
      attempt: 1,
    });
    expect(receiver.to('status/200')).toHaveLength(before);
  });

  it.each([400, 401, 404, 422])('%i: failed at once', async (status) => {
    expect(await outcomeOf(`status/${status}`)).toMatchObject({
      status: 'failed',
      httpStatus: status,
      attempt: 1,
    });
  });

  it('410: failed, and the schedule pauses with a note', async () => {
    const id = await deliver('status/410');
    expect(await awaitRun(database, id)).toMatchObject({ status: 'failed', httpStatus: 410 });
    const [recurring] = await insertSchedules(database, [
      {
        rule: { every: 'PT1S' },
        target: { type: 'webhook', url: receiver.url('status/410/again'), headers: {} },
      },
    ]);
    const paused = await eventually(async () => {
      const { rows } = await database.pool.query(`select status, pause_note from schedules where id = $1`, [
        recurring,
      ]);
      return rows[0].status === 'paused' && rows[0];
    });
    expect(paused.pause_note).toContain('410');
  });

  it.each([408, 425, 429, 500, 502, 503])('%i: tried again after the base delay', async (status) => {
    const run = await outcomeOf(`status/${status}`);
    expect(run).toMatchObject({
      status: 'retrying',
      httpStatus: status,
      attempt: 1,
      errorCode: `http_${status}`,
    });
    expect(delayOf(run)).toBe(60);
  });

  it('429 with Retry-After in seconds: tried again then', async () => {
    expect(delayOf(await outcomeOf('retry-after/7'))).toBe(7);
  });

  it('429 with Retry-After as a date: tried again then', async () => {
    const delay = delayOf(await outcomeOf('retry-date/300'));
    expect(delay).toBeGreaterThan(240);
    expect(delay).toBeLessThanOrEqual(300);
  });

  it('with more than 16 KiB: no more than that is kept, and it counts', async () => {
    const run = await outcomeOf('huge');
    expect(run).toMatchObject({ status: 'succeeded', httpStatus: 200 });
    expect(run.response).toBe('x'.repeat(16 * 1_024));
  });

  it('with a gzip bomb: what is kept is the gzip, not what it would become', async () => {
    const run = await outcomeOf('bomb');
    expect(run).toMatchObject({ status: 'succeeded', httpStatus: 200 });
    expect(Buffer.byteLength(run.response ?? '')).toBeLessThanOrEqual(16 * 1_024);
    expect(run.response?.startsWith('\u001f')).toBe(true);
  });

  it('with bytes that are no text: succeeded, and no more than 16 KiB are kept', async () => {
    const run = await outcomeOf('binary');
    expect(run).toMatchObject({ status: 'succeeded' });
    expect(Buffer.byteLength(run.response ?? '')).toBeLessThanOrEqual(16 * 1_024);
  });
});

describe('A receiver that does not answer', () => {
  it.each([
    ['reset', 'connection_lost'],
    ['reset-midway', 'connection_lost'],
    ['garbage', 'bad_answer'],
    ['headers', 'bad_answer'],
    ['hang', 'timeout'],
    ['drip', 'timeout'],
  ])('%s: tried again (%s)', async (path, errorCode) => {
    expect(await outcomeOf(path, SOON)).toMatchObject({
      status: 'retrying',
      outcome: 'failed',
      errorCode,
      attempt: 1,
    });
  });

  it('nobody listens: tried again', async () => {
    const id = await insertDue(database, {
      target: { type: 'webhook', url: 'http://127.0.0.1:1/', headers: {} },
      retry: RETRY,
    });
    expect(await awaitRun(database, id)).toMatchObject({
      status: 'retrying',
      errorCode: 'connection_refused',
    });
  });

  it('the name does not exist: tried again', async () => {
    const url = 'http://does-not-exist.invalid/';
    const id = await insertDue(database, { target: { type: 'webhook', url, headers: {} }, retry: RETRY });
    expect(await awaitRun(database, id)).toMatchObject({ status: 'retrying', errorCode: 'name_not_found' });
  });

  it('a hanging one is let go of at the deadline', async () => {
    await outcomeOf('hang/deadline', SOON);
    await eventually(() => receiver.to('hang/deadline').length === 1 && receiver.open === 0);
  });
});

describe('What is sent', () => {
  it('is the contract’s body, with the payload as it is kept, and its headers', async () => {
    const payload = '{"amount": 1.0,  "big":12345678901234567890, "b":1,"a":"é\\u00e9"}';
    const id = await deliver('status/200/body', {
      id: 'body-1',
      target: { type: 'webhook', url: receiver.url('status/200/body?x=1'), headers: { 'X-Tenant': 'acme' } },
    });
    await awaitRun(database, id);
    await database.pool.query(`update schedule_versions set payload = $2 where schedule_id = $1`, [
      id,
      payload,
    ]);
    await database.pool.query(
      `update runs set status = 'retrying', next_attempt_at = now(), open = true where schedule_id = $1`,
      [id],
    );
    const [first, second] = await eventually(() => {
      const found = receiver.to('status/200/body?x=1');
      return found.length === 2 && found;
    });
    const body = JSON.parse(first?.body ?? '');
    expect(Object.keys(body)).toEqual([
      'type',
      'scheduleId',
      'runId',
      'occurrenceAt',
      'firedAt',
      'attempt',
      'payload',
    ]);
    expect(body).toMatchObject({ type: 'schedule.due', scheduleId: 'body-1', attempt: 1, payload: null });
    expect(second?.body.endsWith(`"attempt":2,"payload":${payload}}`)).toBe(true);
    const { headers } = first as NonNullable<typeof first>;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-tenant': 'acme',
      'webhook-id': body.runId,
    });
    expect(headers['x-idempotency-key']).toBe(body.runId);
    expect(headers['x-attempt-key']).toMatch(new RegExp(`^${body.runId}-1-[0-9a-z]+$`));
    expect(headers['webhook-signature']).toBeUndefined();
    expect(second?.headers['webhook-id']).toBe(body.runId);
    expect(second?.headers['x-attempt-key']).not.toBe(headers['x-attempt-key']);
    expect(Number(headers['webhook-timestamp'])).toBeCloseTo(Date.now() / 1_000, -2);
  });

  it('is signed with the project’s secret, and during its rotation with both; a tampered body does not verify', async () => {
    const box = new SecretBox(ENCRYPTION_KEY);
    const [older, newer] = [spellSecret(randomBytes(24)), spellSecret(randomBytes(32))];
    for (const secret of [older, newer]) {
      const sealed = box.seal(secret, database.projectId);
      await setProjectSecret(database.pool, { projectId: database.projectId, sealed, actor: 'test' });
    }
    const path = 'status/200/signed';
    // What was known of the project is believed for a while.
    const { body, headers } = await eventually(
      async () => {
        await awaitRun(database, await deliver(path));
        return receiver.to(path).findLast((each) => each.headers['webhook-signature'] !== undefined);
      },
      { everyMs: 500 },
    );
    for (const secret of [older, newer]) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'schedule.due',
      });
      expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
    }
    await setProjectSecret(database.pool, { projectId: database.projectId, sealed: null, actor: 'test' });
  });
});
