import { ADMIN_KEY, eventually, useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();

/** Each is a text that occurs in one kind of confidential value only. */
const CANARIES = {
  payload: 'canary-of-the-payload',
  header: 'canary-of-a-header',
  refused: 'canary-of-a-refused-payload',
  wrongKey: 'ck_canary_of_a_wrong_key_0123456789',
  webhookSecret: `whsec_${Buffer.from('canary-of-a-webhook-secret-012345').toString('base64')}`,
  encryptionKey: Buffer.alloc(32, 'canary').toString('base64'),
};

it('no log line of the API or a worker contains a key, a secret, a header value or a payload, at any level and whatever fails', async () => {
  const env = { LOG_LEVEL: 'trace', CARILLON_ENCRYPTION_KEY: CANARIES.encryptionKey };
  const [api, worker] = await Promise.all([processes.api({ env }), processes.worker({ env })]);
  const call = async (path: string, body?: object, key = ADMIN_KEY) => {
    const response = await fetch(`${api.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as { key?: string; id?: string } };
  };
  const schedule = (path: string, more: object = {}) => ({
    rule: { at: new Date().toISOString() },
    target: { type: 'webhook', url: receiver.url(path), headers: { 'x-token': CANARIES.header } },
    payload: { text: CANARIES.payload },
    retry: { maxAttempts: 1 },
    secret: CANARIES.webhookSecret,
    ...more,
  });
  const { body: created } = await call('/v1/keys', { name: 'canary', scopes: ['write'] });
  for (const path of ['status/200/a', 'status/500/b', 'status/410/c', 'reset/d', 'redirect/302/e'])
    expect((await call('/v1/schedules', schedule(path))).status).toBe(201);
  const failing = { type: 'handler', name: 'no-such-handler' };
  await call('/v1/schedules', schedule('status/200/f', { target: failing }));
  const refused = schedule('status/200/g', { payload: { text: CANARIES.refused }, rule: { cron: 'no' } });
  expect((await call('/v1/schedules', refused)).status).toBe(400);
  expect((await call('/v1/schedules', undefined, CANARIES.wrongKey)).status).toBe(401);
  await eventually(() => receiver.received.length >= 5, { what: 'every delivery' });
  await eventually(async () => {
    const { rowCount } = await database.pool.query(
      `select from carillon.runs where status in ('failed', 'succeeded')`,
    );
    return rowCount === 5;
  });
  await Promise.all([api.end(), worker.end()]);
  const lines = JSON.stringify([...api.lines, ...worker.lines]);
  // The lines are those of the load: runs that failed for good are named in them.
  expect(lines).toContain('http_500');
  const confidential = {
    ...CANARIES,
    adminKey: ADMIN_KEY,
    createdKey: created.key as string,
    databasePassword: new URL(database.url).password,
    redisPassword: new URL(database.redisUrl).password || 'none-is-set',
  };
  const found = Object.entries(confidential).filter(([, text]) => lines.includes(text));
  expect(found.map(([name]) => name)).toEqual([]);
}, 120_000);
