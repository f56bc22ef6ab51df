import { DAY_MS, MINUTE_MS } from '@carillon/shared';
import type { HandlerDefinition } from '@carillon/worker/define';
import type { Dashboard } from '../browser/use-dashboard.js';

export const BEGIN_AT = '2026-10-15T06:00:00Z';
/** The screenshots show this moment: a Wednesday morning, three days after the clocks of Europe went back. */
const NOW_AT = Date.parse('2026-10-28T09:12:20Z');
const ago = (ms: number) => new Date(NOW_AT - ms).toISOString();

/** The handlers of the project in the screenshots. */
export const HANDLERS: HandlerDefinition[] = [
  { name: 'export-orders', run: () => ({ rows: 48_211, file: 'orders.parquet' }) },
  { name: 'warm-cache', run: () => {} },
  { name: 'close-month', run: () => {} },
  { name: 'send-digest', run: () => {} },
  { name: 'tenant-summary', run: () => {} },
];

/** The status code with which a receiver in the screenshots answers, by the path and the time. */
export function answerOf(path: string, nowAt: number): number {
  if (path === '/partner/feed') return 410;
  if (path === '/metrics') return nowAt > NOW_AT - 24 * MINUTE_MS ? 503 : 200;
  if (path === '/crm/contacts') return new Date(nowAt).getUTCHours() % 11 === 3 ? 500 : 200;
  if (path === '/billing/dunning') return 422;
  return 200;
}

/**
 * How late the engine is in the screenshots: a few milliseconds, sometimes more. It depends only on the due time, so
 * that it is the same each time.
 */
export function lateMs(dueAt: number): number {
  const noise = Math.abs(Math.sin(dueAt / 7_919) * 10_000) % 1;
  return Math.round(noise > 0.96 ? 40 + noise * 45 : 3 + noise * 15);
}

/** Plays two weeks of a project that looks real; returns the id of a failed run. */
export async function makeHistory(dashboard: Dashboard, origin: string): Promise<string> {
  const { call } = dashboard;
  const until = (at: string) => dashboard.advanceTo(at, lateMs);
  const create = (id: string, name: string, more: object) =>
    call('POST', '/schedules', { id, name, ...more });
  const webhook = (path: string) => ({ type: 'webhook', url: `${origin}${path}` });
  const handler = (name: string) => ({ type: 'handler', name });
  const berlin = 'Europe/Berlin';

  await call('PUT', '/calendars/holidays-de', {
    dates: ['2026-12-25', '2026-12-26', '2027-01-01', '2027-04-02', '2027-04-05'],
  });
  await call('PUT', '/calendars/release-freeze', { dates: ['2026-12-21/2027-01-03'] });
  await create('nightly-export', 'Nightly export', {
    rule: { cron: '30 2 * * *' },
    timezone: berlin,
    tags: ['core', 'export'],
    misfire: { policy: 'skip' },
    target: handler('export-orders'),
    payload: { warehouse: 'eu-1', format: 'parquet' },
    slo: { startWithin: 'PT2M', endWithin: 'PT30M' },
  });
  await create('invoice-reminder', 'Invoice reminder', {
    rule: { cron: '0 9 * * 1-5' },
    timezone: 'America/New_York',
    tags: ['core', 'billing', 'mail'],
    calendars: ['holidays-de'],
    target: webhook('/billing/reminders'),
  });
  await create('month-end', 'Month-end closing', {
    rule: { rrule: 'FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;BYMINUTE=0;BYSECOND=0' },
    timezone: berlin,
    tags: ['core', 'billing'],
    target: handler('close-month'),
  });
  await create('weekly-digest', 'Weekly digest', {
    rule: { cron: '0 8 * * 1' },
    timezone: 'Europe/Paris',
    tags: ['core', 'mail'],
    target: handler('send-digest'),
  });
  await create('dunning', 'Dunning run', {
    rule: { cron: '0 7 * * 2,4' },
    timezone: berlin,
    tags: ['core', 'billing'],
    retry: { maxAttempts: 1 },
    target: webhook('/billing/dunning'),
  });
  await call('POST', '/users', {
    firstName: 'Ada',
    lastName: 'Lovelace',
    dateOfBirth: '1990-12-10',
    timezone: 'Europe/London',
    target: handler('send-digest'),
  });
  await call('POST', '/users', {
    firstName: 'Grace',
    lastName: 'Hopper',
    dateOfBirth: '1992-02-29',
    timezone: 'America/New_York',
    target: handler('send-digest'),
  });
  await until('2026-10-19T10:00:00Z');
  await call('POST', '/schedules/nightly-export/pause', { note: 'warehouse is being moved' });
  await until('2026-10-21T09:00:00Z');
  await call('POST', '/schedules/nightly-export/resume');
  await until('2026-10-23T14:20:00Z');
  await call('PATCH', '/schedules/nightly-export', {
    timeout: 'PT10M',
    payload: { warehouse: 'eu-2', format: 'parquet' },
  });

  await until(ago(2 * DAY_MS));
  await create('sync-crm', 'Sync contacts to CRM', {
    rule: { cron: '5 * * * *' },
    timezone: 'Europe/London',
    tags: ['core', 'crm'],
    retry: { maxAttempts: 2, baseDelay: 'PT5M', jitter: false },
    target: webhook('/crm/contacts'),
  });
  await create('old-partner-feed', 'Retired partner feed', {
    rule: { cron: '0 6 * * *' },
    tags: ['core', 'partner'],
    target: webhook('/partner/feed'),
  });
  await call('POST', '/tasks', {
    title: 'Renew the certificate of the mail server',
    dueAt: '2026-10-29T12:00:00Z',
    target: handler('send-digest'),
  });
  await call('POST', '/tasks', {
    title: 'Send the figures of the quarter',
    dueAt: '2026-10-27T15:40:00Z',
    target: handler('send-digest'),
  });
  await call('POST', '/reminders', {
    message: 'Stand-up in five minutes',
    recipient: 'team@example.com',
    at: '2026-10-28T08:55:00Z',
    timezone: berlin,
    target: handler('send-digest'),
  });
  await call('POST', '/reminders', {
    message: 'Call the landlord',
    recipient: '+49 30 901820',
    at: '2026-10-29T16:00:00Z',
    timezone: berlin,
    target: handler('send-digest'),
  });
  await until(ago(18 * 60 * MINUTE_MS));
  await call('POST', '/tasks/scan');
  await until(ago(16 * 60 * MINUTE_MS));
  const summaries = Array.from({ length: 1_240 }, (_, n) => ({
    id: `summary-${n + 1}`,
    name: `Daily summary of tenant ${n + 1}`,
    tags: ['tenants'],
    rule: { cron: `${n < 1_100 ? 0 : n % 60} ${n < 1_100 ? 18 : 6 + (n % 8)} * * *` },
    timezone: 'UTC',
    target: handler('tenant-summary'),
  }));
  await call('POST', '/schedules/bulk', { items: summaries });
  await call('POST', '/schedules/weekly-digest/pause', {
    note: 'mail provider is down',
    until: '2026-11-02T00:00:00Z',
  });
  await until(ago(62 * MINUTE_MS));
  await create('warm-cache', 'Warm the cache', {
    rule: { every: 'PT30S' },
    tags: ['core', 'infra'],
    target: handler('warm-cache'),
  });
  await create('push-metrics', 'Push metrics', {
    rule: { every: 'PT1M' },
    tags: ['core', 'infra'],
    retry: { maxAttempts: 1 },
    target: webhook('/metrics'),
  });
  await create('backup', 'Backup of the ledger', {
    rule: { cron: '0 9 * * *' },
    tags: ['core', 'infra'],
    target: { type: 'heartbeat', grace: 'PT10M' },
  });
  const probes = Array.from({ length: 9 }, (_, n) => ({
    id: `probe-${n + 1}`,
    name: `Probe of region ${n + 1}`,
    tags: ['probes'],
    rule: { cron: '* * * * *' },
    timezone: 'UTC',
    target: handler('warm-cache'),
  }));
  await call('POST', '/schedules/bulk', { items: probes });
  await create('trial-end', 'Trial of acme ends', {
    rule: { at: '2026-10-28T10:41:00Z' },
    tags: ['core', 'crm'],
    target: webhook('/crm/trials'),
  });
  await call('POST', '/alert-channels', { id: 'on-call', type: 'webhook', url: `${origin}/pager` });
  await call('POST', '/keys', { name: 'grafana', scopes: ['read'] });
  await call('POST', '/keys', { name: 'deploy', scopes: ['read', 'write'] });
  await until(ago(30 * MINUTE_MS));
  await call('POST', '/schedules/invoice-reminder/trigger');
  await until(ago(0));
  await dashboard.countStats();
  const failed = await call('GET', '/runs?schedule=sync-crm&status=failed&limit=1');
  return failed.items[0].id;
}
