import { HOUR_MS } from '@carillon/shared';
import { median } from '../harness/statistics.js';

/** A request that a page of the dashboard makes. */
export interface PageRequest {
  page: string;
  path: string;
  /** The body of a POST; a request without a body is a GET. */
  body?: unknown;
}

export interface PageTime extends PageRequest {
  medianMs: number;
  maxMs: number;
}
const LOADS_PER_PAGE = 7;

const at = (ms: number) => new Date(Date.now() + ms).toISOString();
const list = (query: string) => ({
  page: 'Schedules',
  path: `/v1/schedules?include=recent&limit=50&${query}`,
});

/** Every request of every page of the dashboard, with each filter. */
export const pageRequests = (schedule: string, run: string): PageRequest[] => [
  { page: 'Overview', path: `/v1/stats?from=${at(-HOUR_MS)}&step=PT1M` },
  { page: 'Overview', path: `/v1/stats?from=${at(-24 * HOUR_MS)}&step=PT15M` },
  { page: 'Overview', path: '/v1/attention' },
  { page: 'Overview', path: '/v1/schedules?order=next&limit=7' },
  { page: 'Overview', path: '/v1/system' },
  { page: 'Overview', path: '/v1/workers' },
  list(''),
  ...['active', 'paused', 'finished', 'cancelled'].map((status) => list(`status=${status}`)),
  ...['tag=team-7', 'tag=rare', 'target=webhook', 'target=call'].map(list),
  ...['q=order', 'q=order+77', 'q=order-123456', 'q=or', 'q=xyz', 'q=xyz&status=finished'].map(list),
  ...['q=order-9&status=paused', 'tag=rare&status=finished', 'tag=team-7&q=order-9'].map(list),
  list(`dueBefore=${at(HOUR_MS)}`),
  list(`dueBefore=${at(24 * HOUR_MS)}&tag=rare`),
  list(`dueAfter=${at(240 * HOUR_MS)}`),
  list(`dueBefore=${at(HOUR_MS)}&q=order-1`),
  ...['failing', 'paused', 'overdue', 'blocked', 'breaching'].map((reason) => list(`attention=${reason}`)),
  list('order=next'),
  list('order=next&tag=rare'),
  list('order=next&q=order-123456'),
  { page: 'A schedule', path: `/v1/schedules/${schedule}` },
  { page: 'A schedule', path: `/v1/schedules/${schedule}/occurrences?limit=12` },
  {
    page: 'A schedule',
    path: `/v1/schedules/${schedule}/ledger?from=${at(-24 * HOUR_MS)}&to=${at(HOUR_MS)}&limit=300`,
  },
  { page: 'A schedule', path: `/v1/schedules/${schedule}/versions?limit=50` },
  { page: 'A schedule', path: `/v1/audit?subject=${schedule}&limit=200` },
  { page: 'A schedule', path: `/v1/runs?schedule=${schedule}&limit=50` },
  { page: 'A schedule', path: `/v1/runs?schedule=${schedule}&status=failed&limit=50` },
  { page: 'Runs', path: '/v1/runs?limit=50' },
  ...['queued', 'running', 'retrying', 'succeeded', 'failed', 'skipped', 'cancelled'].map((status) => ({
    page: 'Runs',
    path: `/v1/runs?limit=50&status=${status}`,
  })),
  { page: 'Runs', path: `/v1/runs?limit=50&from=${at(-240 * HOUR_MS)}&to=${at(-239 * HOUR_MS)}` },
  {
    page: 'Runs',
    path: `/v1/runs?limit=50&status=failed&from=${at(-240 * HOUR_MS)}&to=${at(-239 * HOUR_MS)}`,
  },
  { page: 'A run', path: `/v1/runs/${run}` },
  { page: 'Dead letters', path: '/v1/runs/dead-letters' },
  { page: 'Dead letters', path: '/v1/runs/dead-letters?receiver=receiver-1.example.com/hook' },
  {
    page: 'Dead letters',
    path: '/v1/runs/replay',
    body: { receiver: 'receiver-1.example.com/hook', limit: 100_000, dryRun: true },
  },
  {
    page: 'Schedules',
    path: '/v1/runs/replay',
    body: { filter: { tag: 'team-7' }, limit: 100_000, dryRun: true },
  },
  {
    page: 'Schedules',
    path: '/v1/schedules/actions',
    body: { action: 'pause', filter: { tag: 'rare' }, dryRun: true },
  },
  {
    page: 'Schedules',
    path: '/v1/schedules/actions',
    body: { action: 'pause', filter: { tag: 'team-7' }, dryRun: true },
  },
  { page: 'Schedules', path: '/v1/schedules/actions', body: { action: 'pause', dryRun: true } },
  { page: 'Forecast', path: '/v1/forecast?hours=24' },
  { page: 'Forecast', path: `/v1/forecast/minute?at=${at(5 * HOUR_MS)}` },
  { page: 'Create', path: '/v1/rules/preview', body: { rule: { cron: '0 9 * * *' }, limit: 12 } },
  { page: 'Calendars', path: '/v1/calendars' },
  { page: 'People', path: '/v1/users?limit=50' },
  { page: 'People', path: '/v1/tasks?limit=50' },
  { page: 'People', path: '/v1/reminders?limit=50' },
  { page: 'Audit', path: '/v1/audit?limit=50' },
  { page: 'Audit', path: '/v1/audit?limit=50&action=schedule.created' },
  { page: 'Audit', path: '/v1/audit?limit=50&action=schedule.paused' },
  { page: 'Keys', path: '/v1/keys' },
];

/** Sends every request of every page of the dashboard several times. */
export async function measurePages(api: { url: string; key: string }, schedule: string): Promise<PageTime[]> {
  const first = (await ask(api, { page: '', path: '/v1/runs?status=failed&limit=1' })) as {
    items: { id: string }[];
  };
  const times: PageTime[] = [];
  for (const request of pageRequests(schedule, first.items[0]?.id ?? '')) {
    await ask(api, request);
    const tookMs: number[] = [];
    for (let i = 0; i < LOADS_PER_PAGE; i++) {
      const startedAt = performance.now();
      await ask(api, request);
      tookMs.push(performance.now() - startedAt);
    }
    times.push({ ...request, medianMs: median(tookMs), maxMs: Math.max(...tookMs) });
  }
  return times;
}

async function ask(
  { url, key }: { url: string; key: string },
  { path, body }: PageRequest,
): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
