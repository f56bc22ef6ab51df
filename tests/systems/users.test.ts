import { editUser } from '@carillon/db';
import { eventually, useDatabase, useReceiver } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Program, usePrograms } from '../use-programs.js';
import { useHttp } from './http.js';

const database = useDatabase();
const programs = usePrograms(database);
const receiver = useReceiver();
let api: Program & { url: string };
let worker: Program;
const ask = useHttp(() => api.url);

beforeAll(async () => {
  api = await programs.api();
  worker = await programs.worker();
});

const ada = { firstName: 'Ada', lastName: 'Lovelace', dateOfBirth: '1990-12-10', timezone: 'Europe/London' };

async function create(more: object = {}): Promise<{ id: string; nextBirthdayEvent: { scheduleId: string } }> {
  const { status, body } = await ask('POST', '/v1/users', { ...ada, ...more });
  expect(status).toBe(201);
  return body;
}

describe('Users over HTTP', () => {
  it('creating a user answers with the next birthday, in UTC and in the user’s time zone', async () => {
    const { status, body } = await ask('POST', '/v1/users', { ...ada, timezone: 'Asia/Tokyo' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...ada, timezone: 'Asia/Tokyo', target: null });
    const { at, local, scheduleId } = body.nextBirthdayEvent;
    expect(at).toMatch(/^\d{4}-12-10T00:00:00\.000Z$/);
    expect(local).toMatch(/^\d{4}-12-10T09:00:00\+09:00$/);
    const schedule = await ask('GET', `/v1/schedules/${scheduleId}`);
    expect(schedule.body).toMatchObject({ nextRunAt: at, timezone: 'Asia/Tokyo', status: 'active' });
    expect((await ask('GET', `/v1/users/${body.id}`)).body).toEqual(body);
  });

  it('a birthday greeting is sent at the local time that the installation sets, or at the time that the user sets', async () => {
    const early = await programs.api({ env: { BIRTHDAY_LOCAL_TIME: '07:30' } });
    const asked = await useHttp(() => early.url)('POST', '/v1/users', ada);
    expect(asked.body.nextBirthdayEvent.local).toContain('T07:30:00');
    const own = await useHttp(() => early.url)('POST', '/v1/users', { ...ada, localTime: '20:15' });
    expect(own.body.nextBirthdayEvent.local).toContain('T20:15:00');
    await early.end();
  });

  it.each([
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ dateOfBirth: '1990-02-30' }, 'dateOfBirth'],
    [{ dateOfBirth: '2999-01-01' }, 'dateOfBirth'],
    [{ firstName: ' ' }, 'firstName'],
    [{ target: { type: 'webhook', url: 'ftp://x' } }, 'target.url'],
  ])('creating a user with %j is refused, and the error names the field %s', async (wrong, field) => {
    const { status, body } = await ask('POST', '/v1/users', { ...ada, ...wrong });
    expect(status).toBe(400);
    expect(body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
  });

  it('a user that does not exist can be neither read, edited nor deleted', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status } = await ask(method, '/v1/users/usr_nobody', method === 'PUT' ? {} : undefined);
      expect(status).toBe(404);
    }
  });

  it('a birthday greeting carries a message and an event id, which is the run id and also the idempotency key', async () => {
    const target = { type: 'webhook', url: receiver.url('status/200/birthday') };
    const { id, nextBirthdayEvent } = await create({ target });
    const at = new Date(Date.now() + 300).toISOString();
    await ask('POST', `/v1/schedules/${nextBirthdayEvent.scheduleId}/reschedule`, { at });
    const [received] = await eventually(() => {
      const got = receiver.to('status/200/birthday');
      return got.length > 0 && got;
    });
    const { payload, runId } = JSON.parse(received?.body ?? '');
    expect(payload).toEqual({
      eventId: runId,
      type: 'birthday',
      userId: id,
      firstName: 'Ada',
      lastName: 'Lovelace',
      message: 'Happy birthday, Ada Lovelace!',
    });
    expect(received?.headers['x-idempotency-key']).toBe(runId);
  });

  it('an edit of a user moves the birthday shortly after the response, and the worker logs the move', async () => {
    const { id } = await create();
    const { status, body } = await ask('PUT', `/v1/users/${id}`, { timezone: 'Asia/Tokyo' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...ada, timezone: 'Asia/Tokyo' });
    await eventually(async () =>
      (await ask('GET', `/v1/users/${id}`)).body.nextBirthdayEvent.local.endsWith('T09:00:00+09:00'),
    );
    const line = await eventually(() =>
      worker.lines.find(({ msg, userId }) => msg === 'Events rescheduled' && userId === id),
    );
    expect(line).toMatchObject({
      level: 30,
      event: 'UserTimezoneChanged',
      rescheduled: 1,
      skipped: 0,
      skippedIds: [],
    });
  });

  it('if the wake-up of a worker for an edit of a user is lost, the next sweep handles the edit', async () => {
    const { id } = await create();
    const asked = { projectId: database.projectId, key: id, actor: 'test' };
    await editUser(database.pool, asked, { dateOfBirth: '1990-03-03' });
    await eventually(async () =>
      (await ask('GET', `/v1/users/${id}`)).body.nextBirthdayEvent.local.includes('-03-03T09:00:00'),
    );
  });

  it('an edit of a user does not change a greeting that is being delivered, and the worker logs a warning', async () => {
    const target = { type: 'webhook', url: receiver.url('slow/1500/party') };
    const { id, nextBirthdayEvent } = await create({ target });
    const at = new Date(Date.now() + 100).toISOString();
    await ask('POST', `/v1/schedules/${nextBirthdayEvent.scheduleId}/reschedule`, { at });
    const [received] = await eventually(() => {
      const got = receiver.to('slow/1500/party');
      return got.length > 0 && got;
    });
    const { runId } = JSON.parse(received?.body ?? '');
    await ask('PUT', `/v1/users/${id}`, { firstName: 'Augusta' });
    const warnings = await eventually(() => {
      const lines = worker.lines.filter(({ userId, level }) => userId === id && level === 40);
      return lines.length === 2 && lines;
    });
    expect(warnings).toMatchObject([
      { eventId: runId, msg: 'Event not rescheduled: it is being processed, and is delivered unchanged' },
      { skipped: 1, msg: 'Some events were not rescheduled' },
    ]);
    await eventually(async () => (await ask('GET', `/v1/runs/${runId}`)).body.status === 'succeeded');
    expect(receiver.to('slow/1500/party')).toHaveLength(1);
    const audit = await ask('GET', '/v1/audit?action=user.events_rescheduled&limit=1');
    expect(audit.body.items[0].detail).toMatchObject({ rescheduled: 0, skipped: 1, skippedIds: [runId] });
  });

  it('other yearly events of a user can be added and removed, but the birthday cannot be removed', async () => {
    const { id } = await create();
    const event = { name: 'anniversary', date: '2015-06-20', message: 'To both of you!' };
    const added = await ask('POST', `/v1/users/${id}/events`, event);
    expect(added.status).toBe(201);
    expect(added.body.events).toMatchObject([{ name: 'birthday' }, { ...event, localTime: '09:00' }]);
    expect((await ask('POST', `/v1/users/${id}/events`, event)).status).toBe(409);
    expect((await ask('POST', `/v1/users/${id}/events`, { ...event, name: 'birthday' })).status).toBe(400);
    expect((await ask('DELETE', `/v1/users/${id}/events/birthday`)).status).toBe(409);
    const removed = await ask('DELETE', `/v1/users/${id}/events/anniversary`);
    expect(removed.body.cancelled).toEqual([added.body.events[1].scheduleId]);
  });

  it('deleting a user cancels the schedules of its events', async () => {
    const { id, nextBirthdayEvent } = await create();
    const deleted = await ask('DELETE', `/v1/users/${id}`);
    expect(deleted.body).toEqual({ id, cancelled: [nextBirthdayEvent.scheduleId], inFlight: [] });
    expect((await ask('GET', `/v1/users/${id}`)).status).toBe(404);
    const schedule = await ask('GET', `/v1/schedules/${nextBirthdayEvent.scheduleId}`);
    expect(schedule.body.status).toBe('cancelled');
  });
});
