import { retimeStale } from '@carillon/db';
import { describe, expect, it } from 'vitest';
import { scheduleBody, useApi } from './use-api.js';

const api = useApi();
const set = async (name: string, body: object) =>
  (await api.call('PUT', `/v1/calendars/${name}`, { body })).body;
const create = async (more: Record<string, unknown>) =>
  (await api.call('POST', '/v1/schedules', { body: scheduleBody(more) })).body;
const HOLIDAYS = { dates: ['2098-12-25', '2099-01-01'], weekends: ['saturday', 'sunday'] };
const ICS = [
  'BEGIN:VCALENDAR',
  'BEGIN:VEVENT',
  'DTSTART;VALUE=DATE:20981225',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n');

describe('Calendars', () => {
  it('a calendar stores dates and weekend days, and is returned with both', async () => {
    const calendar = await set('office', HOLIDAYS);
    expect(calendar).toMatchObject({
      ...HOLIDAYS,
      weekends: expect.arrayContaining(HOLIDAYS.weekends),
      source: null,
    });
    const { body } = await api.call('GET', '/v1/calendars/office');
    expect(body.dates).toEqual(HOLIDAYS.dates);
  });

  it('a calendar whose weekend covers the whole week is refused', async () => {
    const weekends = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
    const { status, body } = await api.call('PUT', '/v1/calendars/never', { body: { weekends } });
    expect(status).toBe(400);
    expect(body.errors[0].field).toBe('weekends');
  });

  it('GET /v1/calendars accepts a limit of 1,000, as every list does', async () => {
    expect((await api.call('GET', '/v1/calendars?limit=1000')).status).toBe(200);
    expect((await api.call('GET', '/v1/calendars?limit=1001')).status).toBe(400);
  });

  it('a change of a calendar is answered before the next occurrences of its schedules are computed again, and the response says how many schedules are affected', async () => {
    await set('freeze', {});
    const { id, nextRunAt } = await create({
      rule: { cron: '0 9 2 1 *' },
      startAt: '2098-01-01T00:00:00Z',
      calendars: ['freeze'],
    });
    expect(nextRunAt).toBe('2098-01-02T09:00:00.000Z');
    const read = async () => (await api.call('GET', `/v1/schedules/${id}`)).body;
    expect(await set('freeze', { dates: ['2098-01-02'] })).toMatchObject({ retiming: 1 });
    expect(await read()).toMatchObject({ version: 1, nextRunAt });
    expect(await retimeStale(api.database.pool)).toMatchObject({ retimed: 1, isDone: true });
    expect(await read()).toMatchObject({ version: 2, nextRunAt: '2099-01-02T09:00:00.000Z' });
  });

  it('an import of .ics text replaces the dates of a calendar and keeps its weekend days', async () => {
    await set('imported', { dates: ['2098-05-01'], weekends: ['friday'] });
    const { status, body } = await api.call('POST', '/v1/calendars/imported/import', { body: { ics: ICS } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ dates: ['2098-12-25'], weekends: ['friday'], source: null });
  });

  it('an import from a URL stores the URL as the source of the calendar, and keeps the old dates until a worker has fetched the file', async () => {
    await set('sourced', { dates: ['2098-05-01'] });
    const body = { url: 'https://example.com/holidays.ics', refresh: 'P7D', weekends: ['sunday'] };
    const imported = await api.call('POST', '/v1/calendars/sourced/import', { body });
    const source = { url: body.url, refresh: 'P1W', refreshedAt: null, error: null };
    expect(imported.body).toMatchObject({ dates: ['2098-05-01'], weekends: ['sunday'], source });
    expect(await set('sourced', { dates: [] })).toMatchObject({ source: null });
  });

  it.each([
    ['ics', { ics: 'nothing of the kind' }],
    ['url', { url: 'https://10.0.0.1/x.ics' }],
    ['url', { url: 'ftp://example.com/x.ics' }],
    ['refresh', { ics: ICS, refresh: 'P1D' }],
  ])('a calendar import with an unusable %s is refused, and the error names it', async (field, body) => {
    const strict = await api.replica({ ALLOW_PRIVATE_TARGETS: 'false' });
    const answer = await api.call('POST', `${strict}/v1/calendars/x/import`, { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
  });
});

describe('Occurrences on excluded days', () => {
  const payday = {
    rule: { cron: '0 9 25 * *' },
    timezone: 'America/New_York',
    startAt: '2098-12-01T00:00:00Z',
    calendars: ['office'],
    onExcluded: 'next',
    target: { type: 'handler', name: 'noop' },
  };

  it('if an occurrence is moved because its day is a holiday, nextRunAt, occurrences, ledger, rule preview and simulation all show the same instant', async () => {
    const created = await create(payday);
    // 25 December 2098 is a holiday and a Thursday, so the next business day is the Friday.
    const at = '2098-12-26T14:00:00.000Z';
    expect(new Date(at).getUTCDay()).toBe(5);
    expect(created).toMatchObject({ nextRunAt: at, onExcluded: 'next', calendars: ['office'] });
    const remark = 'moved from 2098-12-25, which is excluded';
    const listed = await api.call('GET', `/v1/schedules/${created.id}/occurrences?limit=1`);
    expect(listed.body.items[0]).toMatchObject({ at, local: '2098-12-26T09:00:00-05:00', remark });
    const { target: _, ...rule } = payday;
    const { body: preview } = await api.call('POST', '/v1/rules/preview', {
      body: { ...rule, from: '2098-12-01T00:00:00Z', limit: 1 },
    });
    expect(preview.occurrences[0]).toMatchObject({ at, remark });
    const { body: ledger } = await api.call(
      'GET',
      `/v1/schedules/${created.id}/ledger?from=2098-12-20T00:00:00Z&to=2098-12-31T00:00:00Z`,
    );
    expect(ledger.items).toMatchObject([{ at, status: 'upcoming', remark }]);
    const { body: simulated } = await api.call('POST', '/v1/simulate', {
      body: { schedules: [payday], from: '2098-12-20T00:00:00Z', to: '2098-12-31T00:00:00Z' },
    });
    expect(simulated.runs).toMatchObject([{ at, status: 'succeeded' }]);
  });

  it('a PATCH of calendars keeps the excluded dates of a schedule, and a PATCH of onExcluded keeps dates and calendars', async () => {
    const { id } = await create({ ...payday, exclusions: ['2098-12-26'] });
    const patch = async (body: object) => (await api.call('PATCH', `/v1/schedules/${id}`, { body })).body;
    expect(await patch({ onExcluded: 'previous' })).toMatchObject({
      exclusions: ['2098-12-26', 'office'],
      nextRunAt: '2098-12-24T14:00:00.000Z',
    });
    expect(await patch({ calendars: [] })).toMatchObject({
      exclusions: ['2098-12-26'],
      calendars: [],
      nextRunAt: '2098-12-25T14:00:00.000Z',
    });
  });

  it('a schedule with businessDays -1 fires on the last business day of the month', async () => {
    const created = await create({
      rule: { cron: '0 9 * * *' },
      startAt: '2098-12-01T00:00:00Z',
      calendars: ['office'],
      businessDays: [-1],
    });
    expect(created).toMatchObject({ businessDays: [-1], nextRunAt: '2098-12-31T09:00:00.000Z' });
  });
});
