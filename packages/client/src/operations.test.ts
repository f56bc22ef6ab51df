import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Carillon } from './carillon.js';

const PINGS = ['/ping/x', '/ping/x/start', '/ping/x/fail', '/ping/x/log', '/ping/x/x'].flatMap((path) => [
  `GET ${path}`,
  `POST ${path}`,
]);
/** Operations that the client lacks: load balancers, Prometheus, calendar programs and monitored jobs request them. */
const NOT_FOR_CLIENTS = ['GET /health/live', 'GET /metrics', 'GET /v1/calendar.ics', ...PINGS];

interface OpenApi {
  paths: Record<string, Record<string, unknown>>;
}

const document = JSON.parse(
  readFileSync(new URL('../../../apps/api/openapi.json', import.meta.url), 'utf8'),
) as OpenApi;

const described = Object.entries(document.paths)
  .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`))
  .map((operation) => operation.replaceAll(/\{\w+\}/g, 'x'));

it('the client has a call for every operation of the OpenAPI document that is meant for clients, and requests no other path', async () => {
  const asked: string[] = [];
  const carillon = new Carillon({
    url: 'http://carillon.test',
    fetch: async (input, init) => {
      asked.push(`${init?.method} ${new URL(String(input)).pathname}`);
      // This body makes every list, poll and stream end at once. The test looks only at the requests.
      return Response.json({ items: [], nextCursor: null, status: 'failed' });
    },
  });
  const { schedules, runs, calendars, feeds, keys, projects, users, tasks, reminders, templates } = carillon;
  const { alerts, alertChannels } = carillon;
  const stop = () => {
    throw new Error('enough');
  };
  const at = new Date(0);
  const rule = { in: 'PT1S' };
  const user = { firstName: 'x', lastName: 'x', dateOfBirth: 'x', timezone: 'x' };
  await Promise.all([
    ...[schedules.create({ rule }), schedules.createMany([]), schedules.get('x'), schedules.list().page()],
    ...[schedules.update('x', {}), schedules.cancel('x'), schedules.pause('x'), schedules.resume('x')],
    ...[schedules.trigger('x'), schedules.reschedule('x', { at }), schedules.skipNext('x')],
    ...[schedules.backfill('x', { from: at, to: at }), schedules.act({ action: 'pause' })],
    ...[schedules.put('x', { rule }), schedules.plan([]), schedules.actions()],
    ...[
      schedules.occurrences('x').page(),
      schedules.ledger('x').page(),
      schedules.versions('x').page(),
      schedules.action('x'),
    ],
    ...[runs.list().page(), runs.get('x'), runs.replay('x'), runs.cancel('x'), runs.replayAll()],
    runs.deadLetters(),
    ...[
      calendars.set('x', { dates: [] }),
      calendars.import('x', { ics: '' }),
      calendars.get('x'),
      calendars.list().page(),
      calendars.delete('x'),
    ],
    ...[feeds.create({ name: 'x' }), feeds.list().page(), feeds.revoke('x' as never)],
    ...[keys.create({ name: 'x', scopes: [] }), keys.list().page(), keys.revoke('x' as never)],
    ...[projects.create({ id: 'x' }), projects.list().page(), projects.update('x', {})],
    ...[projects.rotateSecret('x'), projects.secret('x')],
    ...[users.create(user), users.get('x'), users.list().page(), users.update('x', {}), users.delete('x')],
    ...[users.addEvent('x', { name: 'x', date: 'x' }), users.removeEvent('x', 'x')],
    ...[tasks.create({ title: 'x', dueAt: at }), tasks.get('x'), tasks.list().page(), tasks.scan()],
    ...[tasks.update('x', {}), tasks.delete('x')],
    ...[reminders.create({ message: 'x', recipient: 'x', at }), reminders.get('x'), reminders.list().page()],
    reminders.delete('x'),
    ...[templates.create({ id: 'x', rule }), templates.get('x'), templates.list().page()],
    ...[templates.update('x', {}), templates.delete('x')],
    ...[carillon.rules.lint().page(), carillon.simulate({})],
    ...[carillon.rules.preview({ rule }), carillon.forecast(), carillon.audit().page()],
    ...[
      carillon.workers().page(),
      carillon.system(),
      carillon.health(),
      carillon.me(),
      carillon.stats(),
      carillon.forecastMinute(at),
    ],
    carillon.attention(),
    carillon.auditOccurrences().page(),
    ...[schedules.heartbeat('x'), schedules.rotateHeartbeat('x')],
    ...[
      alerts.list().page(),
      alerts.silence({ endAt: at }),
      alerts.maintenance().page(),
      alerts.unsilence('x'),
    ],
    ...[alertChannels.create({ id: 'x', type: 'email', to: [] }), alertChannels.get('x')],
    ...[alertChannels.list().page(), alertChannels.update('x', {}), alertChannels.test('x')],
    alertChannels.delete('x'),
    ...[carillon.session.start('x'), carillon.session.end(), carillon.session.endAll()],
    carillon
      .events({ onReconnect: stop })
      .next()
      .catch(() => {}),
  ]);
  expect([...new Set([...asked, ...NOT_FOR_CLIENTS])].sort()).toEqual([...new Set(described)].sort());
});
