import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readCalendar, readSchedule, setCalendar, setCalendarSource, takeDueRefreshes } from '@carillon/db';
import { insertSchedules, useDatabase } from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchCalendar } from '../src/systems/fetch-calendar.js';
import { keepCalendars } from '../src/systems/keep-calendars.js';
import { useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);
const { projectId } = database;
let server: Server;
let origin = '';
let holidays = ['20981225'];
const OPEN = { allowPrivate: true, dnsServers: [] };

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/moved.ics') return response.writeHead(302, { location: '/holidays.ics' }).end();
    if (request.url === '/inside.ics')
      return response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    if (request.url === '/round.ics') return response.writeHead(302, { location: '/round.ics' }).end();
    if (request.url === '/large.ics') return response.end('x'.repeat(1_100_000));
    if (request.url !== '/holidays.ics') return response.writeHead(404).end();
    const events = holidays.map((date) => `BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:${date}\r\nEND:VEVENT`);
    return response.end(['BEGIN:VCALENDAR', ...events, 'END:VCALENDAR'].join('\r\n'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const config = { ALLOW_PRIVATE_TARGETS: true, DNS_SERVERS: [] };
const keep = () => keepCalendars(worker.context, config, new AbortController().signal);
const read = () => readCalendar(database.pool, projectId, 'sourced');
const setSource = (path: string) =>
  setCalendarSource(database.pool, {
    projectId,
    name: 'sourced',
    url: `${origin}${path}`,
    refreshSeconds: 86_400,
    weekdays: ['SU'],
    actor: 'ops',
  });

describe('Calendars with a file', () => {
  it('a worker fetches the .ics file of a calendar, and recomputes the next occurrences of the schedules with this calendar', async () => {
    await setCalendar(database.pool, { projectId, name: 'sourced', dates: [], actor: 'ops' });
    const rule = { id: 'yearly', rule: { cron: '0 9 25 12 *' }, startAt: '2098-01-01T00:00:00Z' };
    await insertSchedules(database, [{ ...rule, calendars: ['sourced'] }], {
      calendars: new Map([['sourced', []]]),
    });
    await setSource('/moved.ics');
    await keep();
    expect(await read()).toMatchObject({ dates: ['2098-12-25', 'SU'], refreshError: null });
    const { nextRunAt, version } = (await readSchedule(database.pool, projectId, 'yearly')) ?? {};
    expect([nextRunAt, version]).toEqual([Date.parse('2099-12-25T09:00:00Z'), 2]);
  });

  it('the .ics file of a calendar is fetched again only when the refresh interval of the calendar is over', async () => {
    holidays = ['20981224'];
    await keep();
    expect((await read())?.dates).toEqual(['2098-12-25', 'SU']);
    await database.pool.query(`update carillon.calendars set refresh_due_at = clock_timestamp()`);
    await keep();
    expect((await read())?.dates).toEqual(['2098-12-24', 'SU']);
  });

  it('a calendar refresh that became due in the current millisecond is found, although the stored due time was rounded up', async () => {
    for (let round = 0; round < 50; round++) {
      await database.pool.query(`update carillon.calendars set refresh_due_at = clock_timestamp()`);
      expect(await takeDueRefreshes(database.pool, { limit: 1, now: null })).toHaveLength(1);
    }
  });

  it('a calendar whose .ics file can’t be read keeps its dates and says why', async () => {
    await setSource('/missing.ics');
    await keep();
    expect(await read()).toMatchObject({
      dates: ['2098-12-24', 'SU'],
      refreshedAt: null,
      refreshError: 'the server answered with status 404',
    });
  });
});

describe('Fetching a file', () => {
  const problemOf = async (url: string, options = OPEN) => {
    const fetched = await fetchCalendar(url, options);
    return fetched.ok ? null : fetched.problem;
  };

  it('an .ics file at a private address is refused unless the operator allows private targets', async () => {
    expect(await problemOf(`${origin}/holidays.ics`)).toBeNull();
    expect(await problemOf(`${origin}/holidays.ics`, { ...OPEN, allowPrivate: false })).toMatch(
      /private|public/,
    );
    expect(await problemOf('http://localhost/x.ics', { ...OPEN, allowPrivate: false })).not.toBeNull();
  });

  it('an .ics file that redirects to the metadata service of a cloud is refused', async () => {
    expect(await problemOf(`${origin}/inside.ics`)).toMatch(/169\.254|address/);
  });

  it('the fetch of an .ics file that is too large, or that redirects without end, fails', async () => {
    expect(await problemOf(`${origin}/round.ics`)).toContain('redirected more than');
    expect(await problemOf(`${origin}/large.ics`)).toContain('more than 1000000 bytes');
  });
});
