import { randomBytes } from 'node:crypto';
import { type ClaimedRun, inTransaction, SecretBox, setProjectSecret } from '@carillon/db';
import { spellSecret, WebhookDelivery } from '@carillon/shared';
import {
  AS_DESCRIBED,
  eventually,
  headersUnlikeDescribed,
  insertSchedules,
  useDatabase,
  useReceiver,
} from '@carillon/testkit';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { Poster } from '../src/delivery/targets/post.js';
import { Flight, InFlight } from '../src/pipeline/in-flight.js';
import { awaitRun, ENCRYPTION_KEY, insertDue, onlyOne, useWorker } from './support.js';

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
/** A short time-out, for receivers that never answer. */
const SOON = { timeout: 'PT2S' };

/** The delay from the end of an attempt to the next attempt, in seconds. */
const delayOf = ({
  nextAttemptAt,
  finishedAt,
}: {
  nextAttemptAt: number | null;
  finishedAt: number | null;
}) =>
  nextAttemptAt !== null && finishedAt !== null ? Math.round((nextAttemptAt - finishedAt) / 100) / 10 : null;

/**
 * Throws unless the request carries a valid signature of its body. The `verify` of the Standard Webhooks library
 * accepts only JSON bodies, so the signature is computed again and compared.
 */
function verifySignature(
  secret: string,
  { headers, body }: { headers: Record<string, unknown>; body: string },
): void {
  const signed = new Webhook(secret).sign(
    String(headers['webhook-id']),
    new Date(Number(headers['webhook-timestamp']) * 1_000),
    body,
  );
  expect(headers['webhook-signature']).toBe(signed);
}

describe('Webhook receivers that answer', () => {
  it.each([200, 201, 202, 204])('a webhook that is answered %i succeeds', async (status) => {
    expect(await outcomeOf(`status/${status}`)).toMatchObject({
      status: 'succeeded',
      httpStatus: status,
      errorCode: null,
    });
  });

  it('a webhook that is answered 201 with an id stores the id as externalId', async () => {
    expect(await outcomeOf('created/ext_42')).toMatchObject({
      status: 'succeeded',
      httpStatus: 201,
      externalId: 'ext_42',
    });
  });

  it.each([301, 302, 307, 308])(
    'a webhook that is answered %i fails at once, and the redirect is not followed',
    async (status) => {
      const before = receiver.to('status/200').length;
      expect(await outcomeOf(`redirect/${status}`)).toMatchObject({
        status: 'failed',
        httpStatus: status,
        attempt: 1,
      });
      expect(receiver.to('status/200')).toHaveLength(before);
    },
  );

  it.each([400, 401, 404, 422])('a webhook that is answered %i fails at once', async (status) => {
    expect(await outcomeOf(`status/${status}`)).toMatchObject({
      status: 'failed',
      httpStatus: status,
      attempt: 1,
    });
  });

  it('a webhook that is answered 410 fails, and a recurring schedule is paused with a note', async () => {
    const id = await deliver('status/410');
    expect(await awaitRun(database, id)).toMatchObject({ status: 'failed', httpStatus: 410 });
    const [recurring] = await insertSchedules(database, [
      {
        rule: { every: 'PT1S' },
        target: { type: 'webhook', url: receiver.url('status/410/again'), headers: {} },
      },
    ]);
    const paused = await eventually(async () => {
      const { rows } = await database.pool.query(
        `select status, pause_note from carillon.schedules where id = $1`,
        [recurring],
      );
      return rows[0].status === 'paused' && rows[0];
    });
    expect(paused.pause_note).toContain('410');
  });

  it.each([408, 425, 429, 500, 502, 503])(
    'a webhook that is answered %i is retried after the base delay',
    async (status) => {
      const run = await outcomeOf(`status/${status}`);
      expect(run).toMatchObject({
        status: 'retrying',
        httpStatus: status,
        attempt: 1,
        errorCode: `http_${status}`,
      });
      expect(delayOf(run)).toBe(60);
    },
  );

  it('a webhook that is answered 429 with Retry-After in seconds is retried at that time', async () => {
    expect(delayOf(await outcomeOf('retry-after/7'))).toBe(7);
  });

  it('a webhook that is answered 429 with Retry-After as a date is retried at that time', async () => {
    const delay = delayOf(await outcomeOf('retry-date/300'));
    expect(delay).toBeGreaterThan(240);
    expect(delay).toBeLessThanOrEqual(300);
  });

  it('a webhook whose response is a gigabyte long succeeds, and 16 KiB of the response are stored', async () => {
    const run = await outcomeOf('huge');
    expect(run).toMatchObject({ status: 'succeeded', httpStatus: 200 });
    expect(run.response).toBe('x'.repeat(16 * 1_024));
  });

  it('a webhook whose response is a gzip bomb succeeds, and the response is stored compressed', async () => {
    const run = await outcomeOf('bomb');
    expect(run).toMatchObject({ status: 'succeeded', httpStatus: 200 });
    expect(Buffer.byteLength(run.response ?? '')).toBeLessThanOrEqual(16 * 1_024);
    expect(run.response?.startsWith('\u001f')).toBe(true);
  });

  it('a webhook whose response is binary succeeds, and at most 16 KiB of the response are stored', async () => {
    const run = await outcomeOf('binary');
    expect(run).toMatchObject({ status: 'succeeded' });
    expect(Buffer.byteLength(run.response ?? '')).toBeLessThanOrEqual(16 * 1_024);
  });
});

describe('Webhooks whose lease is lost', () => {
  it('if the lease of a run is lost while its webhook waits for a connection, the webhook is not sent, and the attempt does not count as begun', async () => {
    const inFlight = new InFlight({ places: 1, bytes: 1 }, () => {});
    const run = { epoch: 1, projectId: 1, payload: null, plan: { timeoutMs: 60_000 } } as ClaimedRun;
    const flight = onlyOne(inFlight.add([run], performance.now() + 60_000));
    const names = { resolve: async () => ({ kind: 'busy' as const }) };
    const poster = new Poster({ allowPrivate: true, connectionsPerOrigin: 1, names });
    const url = receiver.url('status/200/too-late');
    const posting = poster.post({
      projectId: 1,
      url,
      headers: {},
      body: '{}',
      signal: flight,
      onConnect() {
        flight.connect(Date.now());
        inFlight.extend(1, performance.now() - 1);
      },
      onSend: () => flight.begin(Date.now()),
    });
    await expect(posting).rejects.toBe('lease_lost');
    expect(flight.sentAt).toBeNull();
    // The next request uses the same connection. So if the first request were sent late, the receiver would get it
    // before the next one.
    await poster.post({
      projectId: 1,
      url: receiver.url('status/200/next'),
      headers: {},
      body: '',
      signal: new Flight(run),
    });
    expect(receiver.to('status/200/too-late')).toHaveLength(0);
    await poster.close();
  });
});

describe('Webhook receivers that do not answer', () => {
  it.each([
    ['reset', 'connection_lost'],
    ['reset-midway', 'connection_lost'],
    ['garbage', 'bad_answer'],
    ['headers', 'bad_answer'],
    ['hang', 'timeout'],
    ['drip', 'timeout'],
  ])(
    'a webhook whose receiver misbehaves (%s) is retried with the error code %s',
    async (path, errorCode) => {
      expect(await outcomeOf(path, SOON)).toMatchObject({
        status: 'retrying',
        outcome: 'failed',
        errorCode,
        attempt: 1,
      });
    },
  );

  it('a webhook to a closed port is retried with the error code connection_refused', async () => {
    const id = await insertDue(database, {
      target: { type: 'webhook', url: 'http://127.0.0.1:1/', headers: {} },
      retry: RETRY,
    });
    expect(await awaitRun(database, id)).toMatchObject({
      status: 'retrying',
      errorCode: 'connection_refused',
    });
  });

  it('a webhook to an unknown host name is retried with the error code name_not_found', async () => {
    const url = 'http://does-not-exist.invalid/';
    const id = await insertDue(database, { target: { type: 'webhook', url, headers: {} }, retry: RETRY });
    expect(await awaitRun(database, id)).toMatchObject({ status: 'retrying', errorCode: 'name_not_found' });
  });

  it('if the receiver of a webhook hangs, the worker closes the connection when the time-out of the webhook is over', async () => {
    await outcomeOf('hang/deadline', SOON);
    await eventually(() => receiver.to('hang/deadline').length === 1 && receiver.open === 0);
  });
});

describe('Webhook requests', () => {
  it('a webhook has the documented body and headers, and the payload exactly as it was stored', async () => {
    const payload = '{"amount": 1.0,  "big":12345678901234567890, "b":1,"a":"é\\u00e9"}';
    const id = await deliver('status/200/body', {
      id: 'body-1',
      target: { type: 'webhook', url: receiver.url('status/200/body?x=1'), headers: { 'X-Tenant': 'acme' } },
    });
    await awaitRun(database, id);
    await database.pool.query('update carillon.schedules set payload = $2 where id = $1', [id, payload]);
    await database.pool.query(
      `update carillon.runs set status = 'retrying', next_attempt_at = now() where schedule_id = $1`,
      [id],
    );
    const [first, second] = await eventually(() => {
      const requests = receiver.to('status/200/body?x=1');
      return requests.length === 2 && requests;
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
    // The OpenAPI document describes exactly these fields.
    expect(WebhookDelivery.strict().parse(body)).toEqual(body);
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
    expect(headersUnlikeDescribed('scheduleDue', headers, ['x-tenant'])).toEqual(AS_DESCRIBED);
    expect(second?.headers['webhook-id']).toBe(body.runId);
    expect(second?.headers['x-attempt-key']).not.toBe(headers['x-attempt-key']);
    expect(Number(headers['webhook-timestamp'])).toBeCloseTo(Date.now() / 1_000, -2);
  });

  it('a webhook is sent with the method and body that its target chooses, and its signature covers that body', async () => {
    const secret = spellSecret(randomBytes(32));
    const sealed = new SecretBox(ENCRYPTION_KEY).seal(secret, database.projectId);
    const payload = { b: 1, a: ['ü', null] };
    const send = async (path: string, target: object, more: object = {}) => {
      const schedule = {
        rule: { at: new Date().toISOString() },
        target: { type: 'webhook', url: receiver.url(path), headers: {}, ...target },
        payload,
        ...more,
      } as const;
      // The schedule and its secret are inserted in one transaction: otherwise the worker could send the webhook before
      // the schedule has its secret.
      const id = await inTransaction(database.pool, async (tx) => {
        const { projectId } = database;
        const [inserted] = await insertSchedules({ projectId, pool: tx }, [schedule]);
        await tx.query(
          'insert into carillon.webhook_secrets (project_id, schedule_id, sealed) values ($1, $2, $3)',
          [projectId, inserted, sealed],
        );
        await tx.query(
          `update carillon.schedules set plan = (plan::jsonb || '{"hasSecret":true}')::text where id = $1`,
          [inserted],
        );
        return inserted;
      });
      await awaitRun(database, id as number);
      const got = receiver.to(path).at(-1) as NonNullable<ReturnType<typeof receiver.to>[0]>;
      verifySignature(secret, got);
      return got;
    };
    expect(await send('status/200/put', { method: 'PUT', body: 'payload' })).toMatchObject({
      method: 'PUT',
      body: JSON.stringify(payload),
      headers: { 'content-type': 'application/json', 'webhook-id': expect.any(String) },
    });
    const patched = await send('status/200/patch', { method: 'PATCH' });
    expect(patched.method).toBe('PATCH');
    expect(JSON.parse(patched.body)).toMatchObject({ type: 'schedule.due', payload });
    const got = await send('status/200/get', { method: 'GET', headers: { accept: 'text/plain' } });
    expect(got).toMatchObject({ method: 'GET', body: '', headers: { accept: 'text/plain' } });
    expect(got.headers['content-type']).toBeUndefined();
    expect((await send('status/200/delete', { method: 'DELETE', body: 'payload' })).body).not.toBe('');
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const text = await send('status/200/form', { body: 'payload', headers: form }, { payload: 'a=1&b=ü' });
    expect(text).toMatchObject({
      method: 'POST',
      body: 'a=1&b=ü',
      headers: { 'content-type': form['Content-Type'] },
    });
    const json = { 'content-type': 'application/vnd.api+json' };
    expect((await send('status/200/json', { body: 'payload', headers: json }, { payload: 'x' })).body).toBe(
      '"x"',
    );
    expect((await send('status/200/none', { body: 'payload' }, { payload: undefined })).body).toBe('');
  });

  it('a webhook is signed with the secret of its project, and while that secret is being rotated, with the old and the new one', async () => {
    const box = new SecretBox(ENCRYPTION_KEY);
    const [older, newer] = [spellSecret(randomBytes(24)), spellSecret(randomBytes(32))];
    for (const secret of [older, newer]) {
      const sealed = box.seal(secret, database.projectId);
      await setProjectSecret(database.pool, { projectId: database.projectId, sealed, actor: 'test' });
    }
    const path = 'status/200/signed';
    // The worker caches the project's settings for a while, so the delivery is repeated until it is signed.
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
