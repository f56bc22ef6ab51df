import { randomBytes } from 'node:crypto';
import { WebhookAlert } from '@carillon/shared';
import {
  AS_DESCRIBED,
  eventually,
  headersUnlikeDescribed,
  type TestProcess,
  useDatabase,
  useProcesses,
  useReceiver,
} from '@carillon/testkit';
import { Webhook } from 'standardwebhooks';
import { beforeAll, expect, it } from 'vitest';
import { useHttp } from './http.js';
import { useSmtpReceiver } from './smtp-receiver.js';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();
const smtp = useSmtpReceiver();
const CARILLON_ENCRYPTION_KEY = randomBytes(32).toString('base64');
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const ROUTING_KEY = 'pagerduty-routing-key';
let api: TestProcess & { url: string };
let worker: TestProcess;
const ask = useHttp(() => api.url);

beforeAll(async () => {
  api = await processes.api({ env: { CARILLON_ENCRYPTION_KEY } });
  worker = await processes.worker({
    env: {
      CARILLON_ENCRYPTION_KEY,
      SMTP_URL: smtp.url,
      SMTP_FROM: 'carillon@example.com',
      PUBLIC_URL: 'https://carillon.example.com',
      ALERT_GROUPING_MS: '200',
      HEARTBEAT_URL: receiver.url('status/200/monitor'),
      HEARTBEAT_INTERVAL_SECONDS: '1',
    },
  });
  for (const channel of [
    { id: 'hook', type: 'webhook', url: receiver.url('status/200/hook'), secret: SECRET },
    { id: 'chat', type: 'slack', url: receiver.url('status/200/chat-secret-path') },
    { id: 'mail', type: 'email', to: ['on-call@example.com'] },
    { id: 'pager', type: 'pagerduty', routingKey: ROUTING_KEY, url: receiver.url('status/202/pager') },
  ])
    expect(await ask('POST', '/v1/alert-channels', channel)).toMatchObject({ status: 201 });
});

// biome-ignore lint/suspicious/noExplicitAny: the test looks at messages field by field.
type Message = any;

const hookMessages = (): Message[] => receiver.to('status/200/hook').map(({ body }) => JSON.parse(body));
const openedOf = (scheduleId: string) =>
  hookMessages().flatMap(({ opened = [] }) =>
    opened.filter((alert: Message) => alert.scheduleId === scheduleId),
  );
const resolvedOf = (scheduleId: string) =>
  hookMessages().flatMap(({ resolved = [] }) =>
    resolved.filter((alert: Message) => alert.scheduleId === scheduleId),
  );

it('each alert channel gets one message when a schedule breaches an objective and one when it recovers, with a sentence and a link, and webhook messages are signed', async () => {
  await ask('POST', '/v1/schedules', {
    id: 'flaky-export',
    name: 'Export <nightly>',
    rule: { every: 'PT1S' },
    retry: { maxAttempts: 1 },
    slo: { successRate: { percent: 100, last: 1 } },
    target: { type: 'webhook', url: receiver.url('flaky/1/export') },
  });
  const [recovery] = await eventually(
    () => resolvedOf('flaky-export').length > 0 && resolvedOf('flaky-export'),
  );
  const [breach, ...more] = openedOf('flaky-export');
  expect(more).toEqual([]);
  expect(recovery.id).toBe(breach.id);
  expect(breach.sentence).toMatch(
    /^Export <nightly> \(flaky-export\) should have succeeded in its last run\. The run of/,
  );
  expect(breach.sentence).toContain('Breached since');
  expect(breach.link).toBe('https://carillon.example.com/schedules/flaky-export');
  expect(recovery.resolution).toContain('Recovered at');

  for (const { headers, body } of receiver.to('status/200/hook')) {
    new Webhook(SECRET).verify(body, headers as Record<string, string>);
    // The OpenAPI document describes exactly these fields.
    expect(WebhookAlert.strict().parse(JSON.parse(body))).toEqual(JSON.parse(body));
    expect(headersUnlikeDescribed('alert', headers)).toEqual(AS_DESCRIBED);
  }

  const chat = await eventually(() => {
    const texts = receiver
      .to('status/200/chat-secret-path')
      .map(({ body }) => JSON.parse(body).text as string);
    return texts.length >= 2 && texts;
  });
  expect(chat[0]).toContain('Export &lt;nightly&gt; (flaky-export) should have succeeded');

  const events = await eventually(() => {
    const bodies = receiver.to('status/202/pager').map(({ body }) => JSON.parse(body));
    return bodies.length >= 2 && bodies;
  });
  expect(events.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve']);
  expect(new Set(events.map(({ dedup_key }) => dedup_key))).toEqual(new Set([breach.id]));
  expect(events[0]).toMatchObject({
    routing_key: ROUTING_KEY,
    payload: { severity: 'error', component: 'flaky-export' },
  });

  const mails = await eventually(() => smtp.mails.length >= 2 && smtp.mails);
  expect(mails[0]).toMatchObject({ from: 'carillon@example.com', to: ['on-call@example.com'] });
  expect(mails[0]?.data).toContain('Subject: Carillon: Export <nightly> needs attention');
  expect(mails[1]?.data).toContain('has recovered');

  const { body } = await ask('GET', '/v1/alerts?schedule=flaky-export');
  expect(body.items).toMatchObject([{ id: breach.id, state: 'resolved', kind: 'success_rate' }]);
});

/** Returns the sentence with which the ledger explains one occurrence. */
async function ledgerSentence(scheduleId: string, occurrenceAt: string): Promise<string> {
  const range = `from=${encodeURIComponent(occurrenceAt)}&to=${encodeURIComponent(occurrenceAt)}`;
  const { body } = await ask('GET', `/v1/schedules/${scheduleId}/ledger?${range}`);
  return body.items.find(({ at, until }: Message) => at === occurrenceAt || until === occurrenceAt).why;
}

/** Decodes the text of a mail (quoted-printable). */
const unfold = (data: string) =>
  data
    .replaceAll('=\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

it('in every kind of alert channel, the messages about a breach of an objective and the recovery have the ledger’s explanation of the occurrence and a link to the schedule', async () => {
  const [breach] = openedOf('flaky-export');
  const why = await ledgerSentence('flaky-export', breach.occurrenceAt);
  expect(why).toMatch(/^began \d+ ms late, failed: .*500/);
  const link = 'https://carillon.example.com/schedules/flaky-export';
  expect(breach).toMatchObject({ why, link });
  expect(resolvedOf('flaky-export')[0]).toMatchObject({ why, link });

  const chat = receiver.to('status/200/chat-secret-path').map(({ body }) => JSON.parse(body).text as string);
  const mails = smtp.mails.map(({ data }) => unfold(data));
  for (const texts of [chat, mails])
    for (const text of texts.slice(0, 2)) {
      expect(text).toContain(why);
      expect(text).toContain(link);
    }
  const events = receiver.to('status/202/pager').map(({ body }) => JSON.parse(body));
  for (const event of events.slice(0, 2)) {
    expect(event.payload.custom_details).toEqual({ occurrenceAt: breach.occurrenceAt, why });
    expect(event.links).toEqual([{ href: link, text: 'Schedule' }]);
  }
  const { body } = await ask('GET', '/v1/alerts?schedule=flaky-export');
  expect(body.items).toMatchObject([{ why }]);
});

it('schedules that breach their objectives at the same time are reported in one message that lists them', async () => {
  const at = new Date(Date.now() + 3_000).toISOString();
  const ids = ['together-1', 'together-2', 'together-3'];
  for (const id of ids) {
    const target = { type: 'handler', name: 'no-worker-has-it' };
    await ask('POST', '/v1/schedules', { id, rule: { at }, target, slo: { startWithin: 'PT1S' } });
  }
  await eventually(() => ids.every((id) => openedOf(id).length > 0));
  const telling = hookMessages().filter(({ opened = [] }) =>
    opened.some(({ scheduleId }: Message) => ids.includes(scheduleId)),
  );
  expect(telling).toHaveLength(1);
  expect(telling[0].summary).toBe('Carillon: 3 breaches');
  expect(telling[0].opened[0].sentence).toContain('No worker has claimed it');
  const { scheduleId, occurrenceAt, why } = telling[0].opened[0];
  expect(why).toBe('waiting: no live worker has the handler no-worker-has-it');
  expect(await ledgerSentence(scheduleId, occurrenceAt)).toBe(why);
});

it('a breach of an objective within a maintenance window is recorded, and is sent to the alert channels only if it outlasts the window', async () => {
  const silent = 'in-maintenance';
  await ask('POST', '/v1/schedules', {
    id: silent,
    rule: { at: new Date(Date.now() + 86_400_000).toISOString() },
    target: { type: 'handler', name: 'no-worker-has-it' },
    slo: { startWithin: 'PT1S' },
  });
  const endAt = new Date(Date.now() + 3_600_000).toISOString();
  const window = await ask('POST', '/v1/maintenance-windows', { schedule: silent, endAt, note: 'upgrade' });
  expect(window).toMatchObject({ status: 201, body: { schedule: silent, note: 'upgrade' } });
  await ask('POST', `/v1/schedules/${silent}/reschedule`, { at: new Date(Date.now() + 100).toISOString() });
  await eventually(async () => {
    const { body } = await ask('GET', `/v1/alerts?schedule=${silent}`);
    return body.items.length > 0;
  });
  // A later breach of another schedule, which is not in maintenance, is sent. By then the breach within the maintenance
  // window would have been sent too.
  await ask('POST', '/v1/schedules', {
    id: 'outside',
    rule: { at: new Date().toISOString() },
    target: { type: 'handler', name: 'no-worker-has-it' },
    slo: { startWithin: 'PT1S' },
  });
  await eventually(() => openedOf('outside').length > 0);
  expect(openedOf(silent)).toEqual([]);
  expect(await ask('DELETE', `/v1/maintenance-windows/${window.body.id}`)).toMatchObject({ status: 200 });
  await eventually(() => openedOf(silent).length > 0);
});

it('a breach of an objective that began and ended within a maintenance window is never sent to the alert channels, and has silenced: true', async () => {
  const recovered = 'recovered-in-maintenance';
  await ask('POST', '/v1/schedules', {
    id: recovered,
    rule: { at: new Date(Date.now() + 86_400_000).toISOString() },
    target: { type: 'handler', name: 'no-worker-has-it' },
    slo: { startWithin: 'PT1S' },
  });
  const endAt = new Date(Date.now() + 3_600_000).toISOString();
  const window = await ask('POST', '/v1/maintenance-windows', { schedule: recovered, endAt });
  const at = new Date(Date.now() + 100).toISOString();
  await ask('POST', `/v1/schedules/${recovered}/reschedule`, { at });
  const alerts = async (): Promise<Message[]> =>
    (await ask('GET', `/v1/alerts?schedule=${recovered}`)).body.items;
  await eventually(async () => (await alerts()).some(({ state }) => state === 'open'));
  expect(await ask('DELETE', `/v1/schedules/${recovered}`)).toMatchObject({ status: 200 });
  await eventually(async () => (await alerts()).some(({ silenced }) => silenced));
  expect(await ask('DELETE', `/v1/maintenance-windows/${window.body.id}`)).toMatchObject({ status: 200 });
  // A later breach of another schedule is sent. By then the silenced breach would have been sent too.
  await ask('POST', '/v1/schedules', {
    id: 'after-the-window',
    rule: { at: new Date().toISOString() },
    target: { type: 'handler', name: 'no-worker-has-it' },
    slo: { startWithin: 'PT1S' },
  });
  await eventually(() => openedOf('after-the-window').length > 0);
  expect(openedOf(recovered)).toEqual([]);
  expect(resolvedOf(recovered)).toEqual([]);
  expect(await alerts()).toMatchObject([{ state: 'resolved', silenced: true }]);
});

it('an alert message that a channel refuses is sent again with the same id, and the API shows why the channel refused it', async () => {
  await ask('POST', '/v1/alert-channels', {
    id: 'flaky',
    type: 'webhook',
    url: receiver.url('flaky/1/channel'),
  });
  const test = await ask('POST', '/v1/alert-channels/flaky/test');
  expect(test).toMatchObject({ status: 200, body: { status: 'pending', tries: 1 } });
  expect(test.body.error).toContain('500');
  await database.pool.query(
    'update carillon.alert_messages set next_try_at = now() where next_try_at is not null',
  );
  await eventually(async () => {
    const { body } = await ask('GET', '/v1/alert-channels/flaky');
    return body.lastMessage.status === 'sent';
  });
  const ids = receiver.to('flaky/1/channel').map(({ headers }) => headers['webhook-id']);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
  expect(await ask('DELETE', '/v1/alert-channels/flaky')).toMatchObject({ status: 200 });
});

it('an alert e-mail that the server refuses for good is not sent again', async () => {
  await ask('POST', '/v1/alert-channels', { id: 'refused', type: 'email', to: ['refused@example.com'] });
  const { body } = await ask('POST', '/v1/alert-channels/refused/test');
  expect(body).toMatchObject({ status: 'failed', tries: 1 });
  expect(body.error).toContain('550');
  await ask('DELETE', '/v1/alert-channels/refused');
});

it('the secrets of alert channels are neither shown, nor stored in plain text, nor logged', async () => {
  const { body } = await ask('GET', '/v1/alert-channels');
  const { rows } = await database.pool.query('select settings::text, sealed from carillon.alert_channels');
  const audit = await ask('GET', '/v1/audit?action=alert_channel.created');
  expect(audit.body.items).not.toHaveLength(0);
  const stored = rows.map(({ settings, sealed }) => `${settings} ${sealed?.toString('latin1')}`).join();
  const logged = [...api.lines, ...worker.lines].map((line) => JSON.stringify(line)).join();
  for (const secret of [SECRET, ROUTING_KEY, 'chat-secret-path'])
    for (const text of [JSON.stringify(body), JSON.stringify(audit.body), stored, logged])
      expect(text).not.toContain(secret);
});

it('a worker with HEARTBEAT_URL sends requests to the outside monitor at that URL', async () => {
  await eventually(() => receiver.to('status/200/monitor').length > 0);
});
