import { ADMIN_KEY, eventually, useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { Carillon, CarillonError, type CarillonEvent, verifyWebhook } from '../src/index.js';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();
let url = '';
let carillon: Carillon;

const env = { CARILLON_ENCRYPTION_KEY: btoa('a key of exactly thirty-two byte') };

beforeAll(async () => {
  const [api] = await Promise.all([processes.api({ env }), processes.worker({ env })]);
  ({ url } = api);
  carillon = new Carillon({ url, key: ADMIN_KEY });
});

const target = { type: 'handler', name: 'log' } as const;
const far = { rule: { at: new Date('2099-01-01T00:00:00Z') }, target };
const failure = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error as CarillonError,
  );
const ended = (schedule: string) =>
  eventually(async () => {
    const [run] = await carillon.runs.list({ schedule }).take(1);
    return run?.finishedAt ? run : null;
  });

describe('Schedules', () => {
  it('the client creates, reads, edits and cancels schedules', async () => {
    const created = await carillon.schedules.create({ id: 'invoice', ...far, tags: ['billing'] });
    expect(created).toMatchObject({ id: 'invoice', status: 'active', version: 1, warnings: [] });
    expect(await carillon.schedules.get('invoice')).toMatchObject({ nextRunAt: '2099-01-01T00:00:00.000Z' });
    const edited = await carillon.schedules.update('invoice', { name: 'Invoice' }, { ifMatch: 1 });
    expect(edited).toMatchObject({ name: 'Invoice', version: 2, inFlight: [] });
    expect(await failure(carillon.schedules.update('invoice', { name: 'X' }, { ifMatch: 1 }))).toMatchObject({
      status: 412,
    });
    expect(await carillon.schedules.cancel('invoice')).toMatchObject({ status: 'cancelled', inFlight: [] });
    expect(await failure(carillon.schedules.create({ id: 'invoice', ...far }))).toMatchObject({
      code: 'schedule_cancelled',
    });
    expect(await carillon.schedules.put('invoice', far)).toMatchObject({ status: 'active', version: 4 });
    expect(await failure(carillon.schedules.put('invoice', far, { createOnly: true }))).toMatchObject({
      status: 412,
    });
    expect(await carillon.schedules.cancel('invoice', { purge: true })).toMatchObject({ purged: true });
    expect(await failure(carillon.schedules.get('invoice'))).toMatchObject({ status: 404 });
  });

  it('the client creates only one schedule for two requests with the same Idempotency-Key', async () => {
    const idempotencyKey = 'order-7';
    const [first, second] = await Promise.all([
      carillon.schedules.create(far, { idempotencyKey }),
      carillon.schedules.create(far, { idempotencyKey }),
    ]);
    expect(second.id).toBe(first.id);
    const others = await Promise.all([carillon.schedules.create(far), carillon.schedules.create(far)]);
    expect(others[0]?.id).not.toBe(others[1]?.id);
  });

  it('if the API refuses a schedule, the client throws a CarillonError with the code and the field errors', async () => {
    const error = await failure(carillon.schedules.create({ rule: { cron: '0 25 * * *' } }));
    expect(error).toBeInstanceOf(CarillonError);
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_request',
      fieldErrors: [
        { field: 'rule.cron', code: 'invalid_value', message: 'field 2 (hour) is 25; expected 0-23' },
      ],
    });
    expect(await failure(carillon.schedules.get('unknown'))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });

  it('the client creates 60 schedules in one call, lists them in pages and pauses them by tag', async () => {
    const many = Array.from({ length: 60 }, (_, i) => ({ id: `many-${i}`, ...far, tags: ['many'] }));
    expect(await carillon.schedules.createMany(many)).toMatchObject({ created: 60, refused: 0 });
    const ids = new Set<string>();
    for await (const { id } of carillon.schedules.list({ tag: 'many', limit: 25 })) ids.add(id);
    expect(ids.size).toBe(60);
    const pause = { action: 'pause', filter: { tag: 'many' }, note: 'incident 7' } as const;
    expect(await carillon.schedules.act({ ...pause, dryRun: true })).toMatchObject({
      matched: 60,
      changed: 0,
    });
    expect(await carillon.schedules.act(pause)).toMatchObject({ changed: 60, refused: 0 });
    const paused = await carillon.schedules.list({ status: 'paused', tag: 'many' }).page();
    expect(paused.items[0]?.pause).toMatchObject({ note: 'incident 7' });
  });

  it('the client pauses and resumes a schedule, and reschedules and skips its next occurrence', async () => {
    const id = 'moved';
    await carillon.schedules.create({ id, rule: { cron: '0 9 * * 1-5' }, timezone: 'Asia/Tokyo', target });
    const until = new Date(Date.now() + 86_400_000);
    const paused = await carillon.schedules.pause(id, { note: 'holiday', until });
    expect(paused.pause).toMatchObject({ note: 'holiday', until: until.toISOString() });
    expect(await carillon.schedules.resume(id)).toMatchObject({ status: 'active', pause: null });
    const at = new Date(Date.now() + 3_600_000);
    expect(await carillon.schedules.reschedule(id, { at })).toMatchObject({ nextRunAt: at.toISOString() });
    expect((await carillon.schedules.skipNext(id)).nextRunAt).not.toBe(at.toISOString());
    const { text, items } = await carillon.schedules.occurrences(id, { limit: 3 }).page();
    expect(text).toContain('09:00');
    expect(items.map(({ local }) => local.slice(11))).toEqual(Array(3).fill('09:00:00+09:00'));
  });
});

describe('Runs', () => {
  it('verifyWebhook accepts the signature of a real delivery', async () => {
    const secret = `whsec_${btoa('a secret that is long enough')}`;
    await carillon.schedules.create({
      id: 'signed',
      rule: { in: 'PT0.1S' },
      target: { type: 'webhook', url: receiver.url('status/200/signed') },
      payload: { invoice: 42 },
      secret,
    });
    const run = await ended('signed');
    expect(run).toMatchObject({ status: 'succeeded', attemptCount: 1 });
    const [delivery] = receiver.to('status/200/signed');
    if (!delivery) throw new Error('nothing came');
    const { body: payload, headers } = delivery;
    expect(await verifyWebhook<{ invoice: number }>({ payload, headers, secret })).toMatchObject({
      type: 'schedule.due',
      scheduleId: 'signed',
      runId: run.id,
      payload: { invoice: 42 },
    });
  });

  it('the client replays a single run and all failed runs', async () => {
    await carillon.schedules.create({
      id: 'flaky',
      rule: { in: 'PT0.1S' },
      target: { type: 'webhook', url: receiver.url('flaky/2/replayed') },
      retry: { maxAttempts: 1 },
    });
    const { id, status } = await ended('flaky');
    expect(status).toBe('failed');
    await carillon.runs.replay(id);
    await eventually(
      async () =>
        (await carillon.runs.get(id)).attempts.filter((each) => each.outcome === 'failed').length === 2,
    );
    await eventually(async () => (await carillon.runs.get(id)).status === 'failed');
    expect(await carillon.runs.replayAll({ schedule: 'flaky' })).toMatchObject({
      replayed: 1,
      hasMore: false,
    });
    const replayed = await carillon.runs.ended(id);
    expect(replayed.status).toBe('succeeded');
    expect(replayed.attempts).toHaveLength(3);
  });

  it('the client triggers a schedule and cancels the run', async () => {
    await carillon.schedules.create({
      id: 'slow',
      ...far,
      target: { type: 'webhook', url: receiver.url('hang/slow') },
    });
    const { runId, nextRunAt } = await carillon.schedules.trigger('slow');
    expect(nextRunAt).toBe('2099-01-01T00:00:00.000Z');
    await eventually(() => receiver.to('hang/slow').length === 1);
    expect(await carillon.runs.cancel(runId)).toMatchObject({ id: runId, status: 'cancelled' });
  });

  it('the client reads the ledger of a schedule, with a sentence for each occurrence', async () => {
    await carillon.schedules.create({
      id: 'told',
      rule: { in: 'PT0.1S' },
      target: { type: 'handler', name: 'noop' },
    });
    await ended('told');
    const [entry] = await carillon.schedules.ledger('told').take(1);
    expect(entry).toMatchObject({ status: 'succeeded', why: expect.stringMatching(/^ran .* late$/) });
  });
});

describe('Events', () => {
  it('the event stream of the client resumes after an API restart without losing events', {
    timeout: 60_000,
  }, async () => {
    const api = await processes.api({ env });
    const port = new URL(api.url).port;
    const mine = new Carillon({ url: api.url, key: ADMIN_KEY });
    const events: CarillonEvent[] = [];
    const lost: unknown[] = [];
    const stop = new AbortController();
    const following = (async () => {
      const stream = mine.events({ signal: stop.signal, onReconnect: (error) => lost.push(error) });
      for await (const event of stream) events.push(event);
    })().catch((error: unknown) => error);
    const ofSchedule = (scheduleId: string) => () => {
      const mine = events.filter(({ data }) => 'scheduleId' in data && data.scheduleId === scheduleId);
      return mine.some(({ type }) => type === 'run.succeeded') && mine;
    };
    const fire = (id: string) =>
      carillon.schedules.create({ id, rule: { in: 'PT0.1S' }, target: { type: 'handler', name: 'noop' } });
    // Schedules are created until the first event arrives, which shows that the stream is open.
    await eventually(async () => events.length > 0 || (await carillon.schedules.create(far)) === null, {
      everyMs: 200,
    });
    await fire('heard');
    expect((await eventually(ofSchedule('heard'))).map(({ type }) => type)).toEqual([
      'schedule.changed',
      'run.started',
      'run.succeeded',
    ]);
    await api.end();
    await eventually(() => lost.length > 0);
    await fire('unheard');
    await ended('unheard');
    await processes.api({ env: { ...env, PORT: port } });
    expect((await eventually(ofSchedule('unheard'))).map(({ type }) => type)).toContain('schedule.changed');
    const ids = events.map(({ data }) => data.id);
    expect(new Set(ids).size).toBe(ids.length);
    stop.abort(new Error('enough'));
    expect(await following).toMatchObject({ message: 'enough' });
  });
});

describe('Operations', () => {
  it('the client previews a rule, with a remark about a DST gap', async () => {
    const preview = await carillon.rules.preview({
      rule: { cron: '30 2 * * *' },
      timezone: 'Europe/Berlin',
      from: new Date('2027-03-27T12:00:00Z'),
      limit: 1,
    });
    expect(preview.occurrences).toMatchObject([
      { at: '2027-03-28T01:00:00.000Z', remark: expect.any(String) },
    ]);
  });

  it('the client creates keys, and a revoked key is refused', async () => {
    const key = await carillon.keys.create({
      name: 'ci',
      scopes: ['read'],
      expiresAt: new Date('2099-01-01'),
    });
    const reader = new Carillon({ url, key: key.key });
    expect(await reader.system()).toMatchObject({ workers: { alive: 1 } });
    expect(await failure(reader.schedules.create(far))).toMatchObject({ status: 403 });
    expect(await carillon.keys.revoke(key.id)).toMatchObject({ revokedAt: expect.any(String) });
    await eventually(async () => (await failure(reader.system()))?.status === 401);
    expect((await carillon.keys.list().take(10)).map(({ name }) => name)).toContain('ci');
  });

  it('the client creates projects that are isolated from each other', async () => {
    await carillon.projects.create({ id: 'billing', limits: { schedules: 1 } });
    expect(await carillon.projects.update('billing', { name: 'Billing' })).toMatchObject({ name: 'Billing' });
    const { key } = await carillon.keys.create({ name: 'billing', scopes: ['write'], project: 'billing' });
    const billing = new Carillon({ url, key });
    expect((await billing.schedules.list().page()).items).toEqual([]);
    expect((await carillon.projects.list().take(10)).map(({ id }) => id)).toContain('billing');
  });

  it('the client sets, lists and deletes calendars', async () => {
    await carillon.calendars.set('closed', { dates: ['2098-12-25'] });
    const daily = {
      rule: { cron: '0 9 * * *' },
      startAt: '2098-12-25T00:00:00Z',
      exclusions: ['closed'],
      target,
    };
    const schedule = await carillon.schedules.create({ id: 'open-days', ...daily });
    expect(schedule.nextRunAt).toBe('2098-12-26T09:00:00.000Z');
    expect(await carillon.calendars.set('closed', { dates: [] })).toMatchObject({ dates: [], retiming: 1 });
    expect((await carillon.calendars.list().take(5)).map(({ name }) => name)).toEqual(['closed']);
    expect(await failure(carillon.calendars.delete('closed'))).toMatchObject({ status: 409 });
    await carillon.calendars.set('unused', { dates: [] });
    expect(await carillon.calendars.delete('unused')).toBeUndefined();
  });

  it('the client reads workers, system figures, forecast and audit log', async () => {
    expect(await carillon.workers().take(5)).toMatchObject([{ status: 'alive', pid: expect.any(Number) }]);
    expect(await carillon.system()).toMatchObject({ workers: { alive: 1 } });
    await eventually(async () => (await carillon.health()).status === 'ok');
    expect(await carillon.forecast({ hours: 1 })).toMatchObject({ complete: true });
    const [entry] = await carillon.audit({ action: 'schedule.cancelled', subject: 'invoice' }).take(1);
    expect(entry).toMatchObject({ subject: 'invoice', actor: 'admin' });
  });
});
