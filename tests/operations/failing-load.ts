import { ADMIN_KEY, eventually, type TestDatabase, type WebhookReceiver } from '@carillon/testkit';
import { useHttp } from '../systems/http.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/**
 * Texts that must not occur in any log line. Each of them is part of one kind of confidential value, and of nothing
 * else.
 */
export const CANARIES = {
  payload: 'canary-of-the-payload',
  header: 'canary-of-a-header',
  refused: 'canary-of-a-refused-payload',
  payloadOfDetail: 'canary-in-a-detail',
  payloadBySql: 'canary-of-a-payload-by-sql',
  refusedBySql: 'canary-of-a-refused-request-by-sql',
  wrongKey: 'ck_canary_of_a_wrong_key_0123456789',
  callKey: 'canary-of-the-key-for-calls',
  channelSecret: `whsec_${base64('canary-of-a-secret-of-a-channel-0')}`,
  channelPath: 'canary-of-the-path-of-a-chat',
  webhookSecret: `whsec_${base64('canary-of-a-webhook-secret-012345')}`,
  encryptionKey: Buffer.alloc(32, 'canary').toString('base64'),
};

/**
 * The load adds a constraint by which Postgres refuses a schedule with this id. The detail of the error quotes the row.
 */
const REFUSED_BY_POSTGRES = 'refused-by-postgres';
const BY_SQL = 'by-sql';
/**
 * One attempt, which is enough for a failure. The short delay is for an attempt that is repeated because its lease was
 * lost on a busy machine.
 */
const RETRY = { maxAttempts: 1, baseDelay: 'PT0.1S' };

/**
 * Plays a load in which most runs fail and several requests are refused, and which contains every kind of confidential
 * value. Returns these values: those of `CANARIES`, and those that Carillon has generated.
 */
export async function playFailingLoad(
  database: TestDatabase,
  { receiver, apiUrl }: { receiver: WebhookReceiver; apiUrl: string },
): Promise<Record<string, string>> {
  const ask = useHttp(() => apiUrl);
  const create = (id: string, more: object, status = 201) => {
    const schedule = { id, rule: { at: new Date().toISOString() }, payload: { text: CANARIES.payload } };
    return expectStatus(ask('POST', '/v1/schedules', { ...schedule, retry: RETRY, ...more }), status);
  };
  const webhook = (path: string) => ({
    target: { type: 'webhook', url: receiver.url(path), headers: { 'x-token': CANARIES.header } },
    secret: CANARIES.webhookSecret,
  });
  const { key: createdKey } = await expectStatus(
    ask('POST', '/v1/keys', { name: 'canary', scopes: ['write'] }),
    201,
  );
  const { secret: rotatedSecret } = await expectStatus(ask('POST', '/v1/projects/default/secret'), 200);

  for (const path of ['status/200/a', 'status/500/b', 'reset/c', 'redirect/302/d'])
    await create(path.replaceAll('/', '-'), webhook(path));
  for (const [id, path] of [
    ['gone', 'status/410/e'],
    ['keeps-failing', 'status/503/f'],
  ] as const) {
    await create(id, { ...webhook(path), rule: { cron: '0 9 1 1 *' }, pauseAfterFailures: 1 });
    await expectStatus(ask('POST', `/v1/schedules/${id}/trigger`), 200);
  }
  await create('unanswered', { ...webhook('status/503/g'), onFailure: receiver.url('status/400/receipt') });
  for (const name of ['throws', 'throws-isolated', 'refuses-payload', 'logs-error'])
    await create(name, { target: { type: 'handler', name }, timeout: 'PT1M' });
  await create('call', {
    target: { type: 'call', number: '+4930123456', assistantId: 'a', phoneNumberId: 'p' },
  });
  await create('queue', { target: { type: 'queue', queue: 'canaries' } });
  await createBySql(database);

  await create(
    'refused',
    { ...webhook('never'), payload: { text: CANARIES.refused }, rule: { cron: 'no' } },
    400,
  );
  await database.pool.query(
    `alter table carillon.schedules add constraint refused_by_test check (key <> '${REFUSED_BY_POSTGRES}')`,
  );
  await create(
    REFUSED_BY_POSTGRES,
    { ...webhook('never'), payload: { text: CANARIES.payloadOfDetail } },
    500,
  );
  await expectStatus(useHttp(() => apiUrl, CANARIES.wrongKey)('GET', '/v1/schedules'), 401);
  const pingToken = await failHeartbeat(apiUrl);
  const sessionCookie = await useSession(apiUrl);
  await failChannels(receiver, apiUrl);

  await eventually(
    async () => {
      const { rows } = await database.pool.query<{ id: string; status: string | null }>(
        `select s.key as id, r.status::text as status from carillon.schedules s
         left join carillon.runs r on r.schedule_id = s.id`,
      );
      const hasBySql = rows.some(({ id }) => id === BY_SQL);
      return hasBySql && rows.every(({ status }) => status === 'succeeded' || status === 'failed');
    },
    { what: 'the end of every run', withinMs: 60_000 },
  );
  await failBulkAction(database, apiUrl);
  await failForecast(database, apiUrl);
  return { ...CANARIES, createdKey, rotatedSecret, pingToken, sessionCookie };
}

/** Asks for a bulk action that Postgres refuses. The detail of the error quotes the row of the schedule. */
async function failBulkAction({ pool }: TestDatabase, apiUrl: string): Promise<void> {
  const ask = useHttp(() => apiUrl);
  const schedule = { id: 'not-pausable', rule: { every: 'P3D' }, tags: ['not-pausable'] };
  const target = { type: 'handler', name: 'throws' };
  const payload = { text: CANARIES.payload };
  await expectStatus(ask('POST', '/v1/schedules', { ...schedule, target, payload }), 201);
  await pool.query(
    `alter table carillon.schedules add constraint not_pausable check (key <> 'not-pausable' or status <> 'paused')`,
  );
  const action = { action: 'pause', filter: { tag: 'not-pausable' } };
  await expectStatus(ask('POST', '/v1/schedules/actions', action), 500);
}

/** Asks for a forecast that fails, because the rule of a schedule can not be read. */
async function failForecast({ pool }: TestDatabase, apiUrl: string): Promise<void> {
  await pool.query(`update carillon.schedules set timing = 'unreadable' where key = 'not-pausable'`);
  await expectStatus(useHttp(() => apiUrl)('GET', '/v1/forecast?hours=168'), 500);
}

async function createBySql({ pool }: TestDatabase): Promise<void> {
  const statement = `select carillon.schedule(id => $1, at => now(), target => '{"type":"handler","name":"throws"}',
    payload => $2, options => $3)`;
  const payload = (text: string) => JSON.stringify({ text });
  await pool.query(statement, [BY_SQL, payload(CANARIES.payloadBySql), { retry: RETRY }]);
  await pool.query(statement, ['bad-by-sql', payload(CANARIES.refusedBySql), { retry: { maxAttempts: -1 } }]);
}

/** Reports that a job which runs elsewhere has failed, by its ping URL. Returns the token in that URL. */
async function failHeartbeat(apiUrl: string): Promise<string> {
  const ask = useHttp(() => apiUrl);
  const rule = { at: new Date().toISOString() };
  const target = { type: 'heartbeat', grace: 'PT1H' };
  await expectStatus(ask('POST', '/v1/schedules', { id: 'heartbeat', rule, target }), 201);
  const { failUrl } = await expectStatus(ask('GET', '/v1/schedules/heartbeat/heartbeat'), 200);
  // Only a ping that arrives while the run already waits ends the run at once, so the failure is reported repeatedly.
  const hasFailed = async () => {
    await fetch(failUrl, { method: 'POST', body: 'the backup failed' });
    const { body } = await ask('GET', '/v1/runs?schedule=heartbeat&status=failed');
    return body.items.length > 0;
  };
  await eventually(hasFailed, { what: 'the failed heartbeat', everyMs: 500 });
  return new URL(failUrl).pathname.split('/')[2] as string;
}

/** Signs in, makes a request that the API refuses, and returns the session token in the cookie. */
async function useSession(apiUrl: string): Promise<string> {
  const headers = { 'sec-fetch-site': 'same-origin' };
  const body = new URLSearchParams({ key: ADMIN_KEY });
  const signedIn = await fetch(`${apiUrl}/sign-in`, { method: 'POST', headers, body, redirect: 'manual' });
  const cookie = (signedIn.headers.get('set-cookie') as string).split(';')[0] as string;
  const refused = await fetch(`${apiUrl}/v1/schedules/absent`, { headers: { ...headers, cookie } });
  if (refused.status !== 404) throw new Error(await refused.text());
  return cookie.split('=')[1] as string;
}

async function failChannels(receiver: WebhookReceiver, apiUrl: string): Promise<void> {
  const ask = useHttp(() => apiUrl);
  const channels = [
    { id: 'hook', type: 'webhook', url: receiver.url('status/410/hook'), secret: CANARIES.channelSecret },
    { id: 'chat', type: 'slack', url: receiver.url(`status/404/${CANARIES.channelPath}`) },
    { id: 'broken', type: 'slack', url: receiver.url(`reset/${CANARIES.channelPath}`) },
  ];
  for (const channel of channels) {
    await expectStatus(ask('POST', '/v1/alert-channels', channel), 201);
    await expectStatus(ask('POST', `/v1/alert-channels/${channel.id}/test`), 200);
  }
}

async function expectStatus<Body>(
  answering: Promise<{ status: number; body: Body }>,
  status: number,
): Promise<Body> {
  const answered = await answering;
  if (answered.status !== status) throw new Error(`${answered.status}: ${JSON.stringify(answered.body)}`);
  return answered.body;
}
