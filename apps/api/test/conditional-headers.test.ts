import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, NOOP, scheduleBody, useApi } from './use-api.js';

interface Described {
  operationId: string;
  parameters?: { name: string; in: string }[];
  responses: Record<string, unknown>;
}

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));
const api = useApi({ RATE_LIMIT_PER_MINUTE: '60000' });

const operations = Object.entries(document.paths as Record<string, Record<string, Described>>)
  .filter(([path]) => path.startsWith('/v1/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: operation.operationId,
      method: method.toUpperCase(),
      path,
      takes: (header: string) => operation.parameters?.some(({ name }) => name === header) ?? false,
      statuses: Object.keys(operation.responses),
    })),
  );
const changing = operations.filter(({ method }) => method !== 'GET');

/** The parts of a request that succeeds, and a different body for the same path. */
interface Prepared {
  path?: Record<string, string>;
  body?: object;
  otherBody?: object;
}

let number = 0;
const unused = () => `c-${++number}`;
const expectMade = async (answer: Promise<Answer>) => {
  const { status, body, text } = await answer;
  if (status >= 300) throw new Error(text);
  return body;
};
const post = (path: string, body?: object) => expectMade(api.call('POST', path, body ? { body } : {}));

const schedule = async (more: object = {}) =>
  (await post('/v1/schedules', scheduleBody({ id: unused(), rule: { every: 'PT1H' }, ...more })))
    .id as string;
const onSchedule =
  (body: object = {}, otherBody?: object) =>
  async () => ({
    path: { id: await schedule() },
    ...(otherBody ? { body, otherBody } : {}),
  });
const run = async () => (await post(`/v1/schedules/${await schedule()}/trigger`)).runId as string;
const endedRun = async () => {
  const id = await run();
  await post(`/v1/runs/${id}/cancel`);
  return { path: { id } };
};
const PERSON = { firstName: 'Ada', lastName: 'Lovelace', dateOfBirth: '1990-12-10', timezone: 'UTC' };
const user = async () => (await post('/v1/users', { ...PERSON, target: NOOP })).id as string;
const task = async () =>
  (await post('/v1/tasks', { title: 'x', dueAt: '2040-01-01T00:00:00Z' })).id as string;
const REMINDER = { message: 'x', recipient: 'a@example.com', at: '2040-01-01T00:00:00Z', target: NOOP };
const reminder = async () => (await post('/v1/reminders', REMINDER)).id as string;
const template = async () =>
  (await post('/v1/templates', { id: unused(), rule: { every: 'PT1H' } })).id as string;
const channel = async () =>
  (await post('/v1/alert-channels', { id: unused(), type: 'webhook', url: 'http://127.0.0.1:9/' }))
    .id as string;
const WINDOW = { endAt: '2099-01-01T00:00:00Z' };
const calendar = async () => {
  const name = unused();
  await expectMade(api.call('PUT', `/v1/calendars/${name}`, { body: { dates: ['2030-01-01'] } }));
  return { path: { name } };
};
const EVENT = { name: 'anniversary', date: '2015-06-20', message: 'x' };
const ICS = 'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20270101\nEND:VEVENT\nEND:VCALENDAR\n';

/** For each operation, a function that prepares a request that succeeds. */
const PREPARE: Record<string, () => Prepared | Promise<Prepared>> = {
  createSchedule: () => ({ body: scheduleBody({ id: unused() }), otherBody: scheduleBody({ id: unused() }) }),
  putSchedule: onSchedule(scheduleBody({ id: undefined }), scheduleBody({ id: undefined, name: 'other' })),
  editSchedule: onSchedule({ name: 'edited' }, { name: 'other' }),
  cancelSchedule: onSchedule(),
  pauseSchedule: onSchedule({ note: 'x' }, { note: 'other' }),
  resumeSchedule: async () => {
    const id = await schedule();
    await post(`/v1/schedules/${id}/pause`);
    return { path: { id } };
  },
  triggerSchedule: onSchedule(),
  rescheduleNext: onSchedule({ at: '2040-01-01T00:00:00Z' }, { at: '2041-01-01T00:00:00Z' }),
  skipNext: onSchedule(),
  backfillSchedule: onSchedule(
    { from: '2026-01-01T00:00:00Z', to: '2026-01-01T03:00:00Z' },
    { from: '2026-01-01T00:00:00Z', to: '2026-01-01T04:00:00Z' },
  ),
  rotateHeartbeat: async () => ({ path: { id: await schedule({ target: { type: 'heartbeat' } }) } }),
  createSchedules: () => ({
    body: { items: [scheduleBody({ id: unused() })] },
    otherBody: { items: [scheduleBody({ id: unused() })] },
  }),
  planSchedules: () => ({ body: { items: [scheduleBody({ id: unused() })] } }),
  actOnSchedules: () => ({
    body: { action: 'pause', filter: { tag: 'none' } },
    otherBody: { action: 'pause', filter: { tag: 'other' } },
  }),
  setCalendar: () => ({ path: { name: unused() }, body: { dates: ['2030-01-01'] } }),
  removeCalendar: calendar,
  importCalendar: () => ({ path: { name: unused() }, body: { ics: ICS } }),
  previewRule: () => ({ body: { rule: { every: 'PT1H' } } }),
  simulate: () => ({ body: { schedules: [] } }),
  createFeed: () => ({ body: { name: unused() } }),
  revokeFeed: async () => ({ path: { id: String((await post('/v1/feeds', { name: unused() })).id) } }),
  replayRun: endedRun,
  cancelRun: async () => ({ path: { id: await run() } }),
  replayFailedRuns: () => ({}),
  signIn: async () => ({ body: { key: await api.keyFor({ scopes: ['read'] }) } }),
  signOut: () => ({}),
  signOutEverywhere: () => ({}),
  createKey: () => ({ body: { name: unused(), scopes: ['read'] } }),
  revokeKey: async () => ({
    path: { id: String((await post('/v1/keys', { name: unused(), scopes: ['read'] })).id) },
  }),
  createProject: () => ({ body: { id: unused() } }),
  editProject: () => ({ path: { id: 'default' }, body: { name: 'Default' } }),
  rotateProjectSecret: async () => ({ path: { id: (await post('/v1/projects', { id: unused() })).id } }),
  createUser: () => ({
    body: { ...PERSON, target: NOOP },
    otherBody: { ...PERSON, firstName: 'Eva', target: NOOP },
  }),
  editUser: async () => ({
    path: { id: await user() },
    body: { firstName: 'Eva' },
    otherBody: { firstName: 'Ida' },
  }),
  deleteUser: async () => ({ path: { id: await user() } }),
  addUserEvent: async () => ({
    path: { id: await user() },
    body: EVENT,
    otherBody: { ...EVENT, name: 'other' },
  }),
  removeUserEvent: async () => {
    const id = await user();
    await post(`/v1/users/${id}/events`, EVENT);
    return { path: { id, name: EVENT.name } };
  },
  createReminder: () => ({ body: REMINDER, otherBody: { ...REMINDER, message: 'other' } }),
  cancelReminder: async () => ({ path: { id: await reminder() } }),
  createTask: () => ({
    body: { title: 'x', dueAt: '2040-01-01T00:00:00Z' },
    otherBody: { title: 'other', dueAt: '2040-01-01T00:00:00Z' },
  }),
  editTask: async () => ({ path: { id: await task() }, body: { title: 'y' }, otherBody: { title: 'z' } }),
  deleteTask: async () => ({ path: { id: await task() } }),
  scanTasks: () => ({}),
  createTemplate: () => ({
    body: { id: unused(), rule: { every: 'PT1H' } },
    otherBody: { id: unused(), rule: { every: 'PT2H' } },
  }),
  editTemplate: async () => ({
    path: { id: await template() },
    body: { description: 'y' },
    otherBody: { description: 'z' },
  }),
  deleteTemplate: async () => ({ path: { id: await template() } }),
  createMaintenanceWindow: () => ({ body: WINDOW, otherBody: { endAt: '2098-01-01T00:00:00Z' } }),
  deleteMaintenanceWindow: async () => ({ path: { id: (await post('/v1/maintenance-windows', WINDOW)).id } }),
  createAlertChannel: () => ({
    body: { id: unused(), type: 'email', to: ['a@example.com'] },
    otherBody: { id: unused(), type: 'email', to: ['a@example.com'] },
  }),
  editAlertChannel: async () => ({ path: { id: await channel() }, body: { enabled: false } }),
  deleteAlertChannel: async () => ({ path: { id: await channel() } }),
  testAlertChannel: async () => ({ path: { id: await channel() } }),
};

/** The operations other than GET that ignore `Idempotency-Key` on purpose, and why. */
const IGNORES_KEY: Record<string, string> = {
  planSchedules: 'changes nothing',
  previewRule: 'changes nothing',
  simulate: 'changes nothing',
  setCalendar: 'a repeat has the same result',
  removeCalendar: 'a repeat has the same result',
  importCalendar: 'a repeat has the same result',
  revokeFeed: 'a repeat has the same result',
  replayFailedRuns: 'a repeat takes only runs that are failed by then',
  signOut: 'a repeat has the same result',
  signOutEverywhere: 'a repeat has the same result',
  revokeKey: 'a repeat has the same result',
  createProject: 'a repeat answers 409, because the client chooses the id',
  editProject: 'a repeat has the same result',
  scanTasks: 'a repeat finds only tasks that were not reminded yet',
  deleteMaintenanceWindow: 'a repeat has the same result',
  editAlertChannel: 'a repeat has the same result',
  deleteAlertChannel: 'a repeat has the same result',
  testAlertChannel: 'a repeat sends one more test message',
  signIn: 'the answer holds a secret, which is not stored',
  createFeed: 'the answer holds a secret, which is not stored',
  createKey: 'the answer holds a secret, which is not stored',
  rotateProjectSecret: 'the answer holds a secret, which is not stored',
  rotateHeartbeat: 'the answer holds a secret, which is not stored',
};

const prepared = async ({ name, method, path }: (typeof operations)[number]) => {
  const prepare = PREPARE[name];
  if (!prepare) throw new Error(`add ${name} to PREPARE, so that its headers are tested`);
  const { path: parts = {}, body, otherBody } = await prepare();
  const url = path.replaceAll(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(parts[part] ?? 'x'));
  const otherId = name.endsWith('Run') ? 'run_r1_mi1k8qo0' : unused();
  const elsewhere = path.replace(/\{\w+\}/, otherId).replace(/\{\w+\}/, 'x');
  const send = (headers: Record<string, string>, sent = body) =>
    api.call(method, url, { headers, ...(sent ? { body: sent } : {}) });
  /** Sends a request that differs in its body or, if the operation has none, in the id of its path. */
  const sendOther = (headers: Record<string, string>) =>
    otherBody ? send(headers, otherBody) : api.call(method, elsewhere, { headers });
  return { url, send, sendOther };
};

beforeAll(async () => {
  await api.call('POST', '/v1/alert-channels', {
    body: { id: 'first', type: 'email', to: ['a@example.com'] },
  });
});

describe('Idempotency-Key', () => {
  it('each operation other than a GET either takes Idempotency-Key according to the OpenAPI document, or is listed in this test with the reason why not', () => {
    const takes = changing.filter((operation) => operation.takes('Idempotency-Key')).map(({ name }) => name);
    const all = changing.map(({ name }) => name).sort();
    expect([...takes, ...Object.keys(IGNORES_KEY)].sort()).toEqual(all);
    expect(Object.keys(PREPARE).sort()).toEqual(all);
    expect(
      operations.filter(({ method }) => method === 'GET').filter((each) => each.takes('Idempotency-Key')),
    ).toEqual([]);
  });

  it.each(
    changing
      .filter((operation) => operation.takes('Idempotency-Key'))
      .map((each) => [each.name, each] as const),
  )(
    'a repeat of %s with the same Idempotency-Key gets the same answer, and another request with that key is refused',
    async (_name, operation) => {
      const { send, sendOther } = await prepared(operation);
      const headers = { 'idempotency-key': randomUUID() };
      const first = await send(headers);
      expect([first.status, first.headers.get('idempotency-replayed')], first.text).toEqual([
        expect.toSatisfy((status: number) => status >= 200 && status < 300),
        null,
      ]);
      const again = await send(headers);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      for (const name of ['etag', 'location']) expect(again.headers.get(name)).toBe(first.headers.get(name));
      const other = await sendOther(headers);
      expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
      expect((await send({ 'idempotency-key': 'a b' })).body.code).toBe('invalid_header');
    },
  );

  it.each(Object.keys(IGNORES_KEY))('%s ignores Idempotency-Key', async (name) => {
    const operation = changing.find((each) => each.name === name) as (typeof changing)[number];
    const { send } = await prepared(operation);
    const headers = { 'idempotency-key': 'not a valid key' };
    const first = await send(headers);
    expect(first.status, first.text).toBeLessThan(300);
    expect((await send(headers)).headers.get('idempotency-replayed')).toBeNull();
  });
});

describe('If-Match', () => {
  it.each(
    changing.filter((operation) => operation.takes('If-Match')).map((each) => [each.name, each] as const),
  )(
    '%s with a stale If-Match answers 412 and changes nothing, and with the current ETag it succeeds',
    async (_name, operation) => {
      const { url, send } = await prepared(operation);
      const key = url.split('/')[3];
      const read = () => api.call('GET', `/v1/schedules/${key}`);
      const before = await read();
      const etag = before.headers.get('etag') as string;
      const stale = await send({ 'if-match': '"999"' });
      expect([stale.status, stale.body.code]).toEqual([412, 'stale_version']);
      expect((await read()).text).toBe(before.text);
      expect((await send({ 'if-match': 'x' })).body.code).toBe('invalid_header');
      const done = await send({ 'if-match': etag });
      expect(done.status, done.text).toBeLessThan(300);
      expect(done.headers.get('etag')).toMatch(/^"\d+"$/);
    },
  );

  it.each(
    changing.filter((operation) => !operation.takes('If-Match')).map((each) => [each.name, each] as const),
  )('%s, which takes no If-Match, refuses the header instead of ignoring it', async (_name, operation) => {
    const { send } = await prepared(operation);
    const refused = await send({ 'if-match': '"1"' });
    expect([refused.status, refused.body?.code]).toEqual([400, 'invalid_header']);
    expect(operation.statuses).toContain('400');
    const done = await send({});
    expect(done.status, done.text).toBeLessThan(300);
  });

  it('no operation that only reads takes If-Match', () => {
    expect(
      operations.filter(({ method }) => method === 'GET').filter((each) => each.takes('If-Match')),
    ).toEqual([]);
  });
});
