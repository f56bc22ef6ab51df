import { eventually, type TestProcess, useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { useHttp } from './http.js';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();
let api: TestProcess & { url: string };
const workers: TestProcess[] = [];
const ask = useHttp(() => api.url);

beforeAll(async () => {
  const env = {
    LOG_LEVEL: 'debug',
    RETRY_MAX_ATTEMPTS: '3',
    RETRY_BASE_DELAY_SECONDS: '0.4',
    VAPI_BASE_URL: receiver.url('created/call_77'),
    VAPI_API_KEY: 'key',
    VAPI_ASSISTANT_ID: 'assistant',
    VAPI_PHONE_NUMBER_ID: 'phone',
  };
  api = await processes.api({ env });
  workers.push(await processes.worker({ env }), await processes.worker({ env }));
});

const soon = (ms = 200) => new Date(Date.now() + ms).toISOString();

async function remind(path: string | null, more: object = {}): Promise<string> {
  const target = path === null ? {} : { target: { type: 'webhook', url: receiver.url(path) } };
  const reminder = { message: 'Take your medicine', recipient: 'Ada', at: soon(), ...target, ...more };
  const { status, body } = await ask('POST', '/v1/reminders', reminder);
  expect(status).toBe(201);
  return body.id;
}

const read = async (id: string) => (await ask('GET', `/v1/reminders/${id}`)).body;
const untilStatus = (id: string, status: string) =>
  eventually(
    async () => {
      const reminder = await read(id);
      return reminder.status === status && reminder;
    },
    { what: `reminder ${status}` },
  );
const linesOf = (id: string) =>
  workers
    .flatMap(({ lines }) => lines)
    .filter(({ reminder }) => reminder === id)
    .sort((a, b) => Number(a.time) - Number(b.time))
    .map(({ level, msg }) => [level, String(msg).replace(id, '#')]);
const [INFO, WARN, ERROR, DEBUG] = [30, 40, 50, 20];

describe('Reminders', () => {
  it('a new reminder is scheduled for its local time in the requested time zone', async () => {
    const { status, body } = await ask('POST', '/v1/reminders', {
      message: 'Take your medicine',
      recipient: 'Ada',
      at: '2099-07-01T08:00:00',
      timezone: 'Europe/London',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      message: 'Take your medicine',
      recipient: 'Ada',
      at: '2099-07-01T07:00:00.000Z',
      local: '2099-07-01T08:00:00+01:00',
      status: 'scheduled',
      attemptCount: 0,
      maxAttempts: 3,
      nextRetryAt: null,
      lastError: null,
      idempotencyKey: null,
      externalId: null,
    });
    expect((await ask('GET', '/v1/reminders')).body.items[0]).toEqual(body);
  });

  it('a reminder whose delivery succeeds is completed, and stores the receiver’s id as externalId', async () => {
    const id = await remind('created/call_42/reminder');
    const reminder = await untilStatus(id, 'completed');
    expect(reminder).toMatchObject({
      attemptCount: 1,
      externalId: 'call_42',
      lastError: null,
      nextRetryAt: null,
    });
    const [received] = receiver.to('created/call_42/reminder');
    expect(received?.headers['x-attempt-key']).toBe(reminder.idempotencyKey);
    expect(JSON.parse(received?.body ?? '').payload).toEqual({
      reminderId: id,
      message: 'Take your medicine',
      recipient: 'Ada',
    });
    await eventually(() => linesOf(id).length === 2);
    expect(linesOf(id)).toEqual([
      [INFO, 'Processing reminder # (attempt 1/3)'],
      [INFO, 'Call initiated for reminder #'],
    ]);
  });

  it('a reminder has the status processing while its attempt is under way', async () => {
    const id = await remind('slow/1200/reminder');
    const { attemptCount, idempotencyKey, runId } = await untilStatus(id, 'processing');
    expect(attemptCount).toBe(1);
    expect(idempotencyKey).toMatch(new RegExp(`^${runId}-1-[0-9a-z]+$`));
    await untilStatus(id, 'completed');
  });

  it('a reminder that fails waits for its retry with the error, and is completed when a retry succeeds', async () => {
    const id = await remind('flaky/1/reminder');
    const waiting = await untilStatus(id, 'pending_retry');
    expect(waiting).toMatchObject({ attemptCount: 1, lastError: expect.stringContaining('500') });
    const [first] = receiver.to('flaky/1/reminder');
    expect(Date.parse(waiting.nextRetryAt)).toBeGreaterThan(first?.at ?? Number.NaN);
    const completed = await untilStatus(id, 'completed');
    expect(completed).toMatchObject({ attemptCount: 2, nextRetryAt: null, lastError: waiting.lastError });
    await eventually(() => linesOf(id).length === 4);
    expect(linesOf(id)).toEqual([
      [INFO, 'Processing reminder # (attempt 1/3)'],
      [WARN, 'Reminder # failed, scheduling retry'],
      [INFO, 'Processing reminder # (attempt 2/3)'],
      [INFO, 'Call initiated for reminder #'],
    ]);
  });

  it('a reminder that keeps failing is retried after doubling delays, each time with a new idempotency key, and then fails for good', async () => {
    const id = await remind('status/503/reminder');
    const reminder = await untilStatus(id, 'failed');
    expect(reminder).toMatchObject({
      attemptCount: 3,
      nextRetryAt: null,
      lastError: expect.stringContaining('503'),
    });
    const received = receiver.to('status/503/reminder');
    const keys = received.map(({ headers }) => headers['x-attempt-key']);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe(reminder.idempotencyKey);
    const [first = 0, second = 0, third = 0] = received.map(({ at }) => at);
    expect(second - first).toBeGreaterThanOrEqual(400);
    expect(third - second).toBeGreaterThanOrEqual(800);
    await eventually(() => linesOf(id).length === 6);
    expect(linesOf(id).at(-1)).toEqual([ERROR, 'Reminder # permanently failed']);
  });

  it('a reminder with the target `call` sends its message together with the idempotency key of the attempt', async () => {
    const id = await remind(null, { target: { type: 'call', number: '+4930123456' } });
    const reminder = await untilStatus(id, 'completed');
    expect(reminder.externalId).toBe('call_77');
    const [received] = receiver.to('created/call_77/call');
    expect(JSON.parse(received?.body ?? '')).toMatchObject({
      customer: { number: '+4930123456' },
      metadata: { idempotency_key: reminder.idempotencyKey },
      assistantOverrides: { variableValues: { message: 'Take your medicine', recipient: 'Ada' } },
    });
  });

  it('a reminder without a target is sent to the built-in handler named log', async () => {
    const id = await remind(null);
    expect((await untilStatus(id, 'completed')).target).toEqual({ type: 'handler', name: 'log' });
  });

  it('two workers deliver thirty reminders that are due at the same instant, each exactly once', async () => {
    const at = soon(1_000);
    const paths = Array.from({ length: 30 }, (_, i) => `status/200/once-${i}`);
    const ids = await Promise.all(paths.map((path) => remind(path, { at })));
    await Promise.all(ids.map((id) => untilStatus(id, 'completed')));
    expect(paths.map((path) => receiver.to(path).length)).toEqual(paths.map(() => 1));
  });

  it('a reminder that already has a run is not sent again, and the worker logs that at debug level', async () => {
    const at = soon(700);
    const id = await remind('status/200/contended', { at });
    // The run exists before the reminder is due.
    await database.pool.query(
      `insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, status, due_at, recorded_at,
                                  happened_at, finished_at)
       select s.id, a.occurrence_at, 'rule', date_trunc('month', a.due_at at time zone 'UTC'), s.project_id,
              s.definition_version, 'succeeded', a.due_at, now(), now(), now()
       from carillon.schedules s join carillon.agenda a on a.schedule_id = s.id where s.key = $1`,
      [id],
    );
    await eventually(() => linesOf(id).length === 1);
    expect(linesOf(id)).toEqual([[DEBUG, 'Reminder # already being processed']]);
    expect(receiver.to('status/200/contended')).toEqual([]);
  });

  it('a reminder can be cancelled before its time or while it waits for a retry, but not after it is completed', async () => {
    const early = await remind('status/200/cancelled', { at: '2099-01-01T00:00:00Z' });
    expect((await ask('DELETE', `/v1/reminders/${early}`)).body.status).toBe('cancelled');
    const late = await remind('retry-after/60/reminder');
    await untilStatus(late, 'pending_retry');
    expect((await ask('DELETE', `/v1/reminders/${late}`)).body.status).toBe('cancelled');
    const done = await remind('status/200/done');
    await untilStatus(done, 'completed');
    expect((await ask('DELETE', `/v1/reminders/${done}`)).status).toBe(409);
    expect((await ask('DELETE', '/v1/reminders/rem_nothing')).status).toBe(404);
  });

  it('a reminder with an invalid time is refused, and the error names the field', async () => {
    const { status, body } = await ask('POST', '/v1/reminders', {
      message: 'x',
      recipient: 'y',
      at: 'tomorrow',
    });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ field: 'at' }]);
  });

  it('the four reminder counters in /metrics match the reminders that were sent', async () => {
    const figures = async () => {
      const lines: string[] = (await ask('GET', '/metrics')).body.split('\n');
      const value = (name: string) =>
        Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1]);
      return {
        completed: value('carillon_reminders_total{outcome="completed"}'),
        failed: value('carillon_reminders_total{outcome="failed"}'),
        // The number of reminders that needed a retry. Each is counted once.
        retried: value('carillon_reminders_retried_total'),
        contended: value('carillon_reminders_contended_total'),
      };
    };
    const { rows } = await database.pool.query(
      `select count(*) as count from carillon.runs r join carillon.schedules s on s.id = r.schedule_id
       where s.key like 'rem\\_%' and r.outcome = 'succeeded'`,
    );
    const expected = { completed: rows[0]?.count, failed: 1, retried: 3, contended: 1 };
    // Workers store their counters with their next heartbeat (the regular sign of life in Postgres).
    await eventually(async () => JSON.stringify(await figures()) === JSON.stringify(expected)).catch(
      () => {},
    );
    expect(await figures()).toEqual(expected);
  });
});
