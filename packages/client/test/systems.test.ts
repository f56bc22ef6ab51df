import { ADMIN_KEY, eventually, useDatabase, useProcesses } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { Carillon } from '../src/index.js';

const processes = useProcesses(useDatabase());
let carillon: Carillon;

beforeAll(async () => {
  const [api] = await Promise.all([processes.api(), processes.worker()]);
  carillon = new Carillon({ url: api.url, key: ADMIN_KEY });
});

const noop = { type: 'handler', name: 'noop' } as const;

describe('The client', () => {
  it('the client creates users with birthday messages and deletes them', async () => {
    const ada = await carillon.users.create({
      firstName: 'Ada',
      lastName: 'Lovelace',
      dateOfBirth: '1990-12-10',
      timezone: 'Europe/London',
      target: noop,
    });
    expect(ada.nextBirthdayEvent?.local).toMatch(/-12-10T09:00:00\+00:00$/);
    await carillon.users.addEvent(ada.id, { name: 'anniversary', date: '2015-06-20' });
    await carillon.users.update(ada.id, { timezone: 'Asia/Tokyo' });
    await eventually(async () => {
      const { nextBirthdayEvent, events } = await carillon.users.get(ada.id);
      return nextBirthdayEvent?.local.endsWith('+09:00') && events.some(({ name }) => name === 'anniversary');
    });
    expect((await carillon.users.list().take(5)).map(({ firstName }) => firstName)).toEqual(['Ada']);
    expect(await carillon.users.removeEvent(ada.id, 'anniversary')).toMatchObject({
      cancelled: [expect.any(String)],
    });
    expect(await carillon.users.delete(ada.id)).toMatchObject({
      id: ada.id,
      cancelled: [expect.any(String)],
    });
  });

  it('the client creates tasks, and of two scans only the first sends the reminder of a task', async () => {
    const dueAt = new Date(Date.now() + 3_600_000);
    const task = await carillon.tasks.create({ title: 'File the tax return', dueAt, target: noop });
    expect(await carillon.tasks.scan()).toMatchObject({ due: 1, sent: 1, failed: 0 });
    expect(await carillon.tasks.scan()).toMatchObject({ sent: 0 });
    expect((await carillon.tasks.get(task.id)).reminderSentAt).toEqual(expect.any(String));
    expect(await carillon.tasks.update(task.id, { title: 'Done' })).toMatchObject({ title: 'Done' });
    expect(await carillon.tasks.delete(task.id)).toEqual({ id: task.id });
  });

  it('the client creates reminders and reads their status', async () => {
    const reminder = { message: 'Take your medicine', recipient: 'Ada', target: noop };
    const now = await carillon.reminders.create({ ...reminder, at: new Date() });
    await eventually(async () => (await carillon.reminders.get(now.id)).status === 'completed');
    const later = await carillon.reminders.create({
      ...reminder,
      at: '2099-01-01T08:00',
      timezone: 'Asia/Tokyo',
    });
    expect(later).toMatchObject({ status: 'scheduled', at: '2098-12-31T23:00:00.000Z' });
    expect(await carillon.reminders.delete(later.id)).toMatchObject({ id: later.id });
  });

  it('the client creates templates and schedules that use them', async () => {
    await carillon.templates.create({ id: 'month-end', rule: { cron: '0 18 L * *' } });
    expect(await carillon.templates.update('month-end', { timezone: 'Asia/Tokyo' })).toMatchObject({
      builtIn: false,
    });
    const schedule = await carillon.schedules.create({
      id: 'closing',
      template: 'month-end',
      target: { type: 'handler', name: 'noop' },
    });
    expect(schedule).toMatchObject({ rule: { cron: '0 18 L * *' }, timezone: 'Asia/Tokyo' });
    expect((await carillon.templates.list().take(20)).map(({ id }) => id)).toContain('weekdays-nine');
    expect(await carillon.templates.delete('month-end')).toEqual({ id: 'month-end' });
  });
});
