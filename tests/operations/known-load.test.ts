import { readConfig as readApiConfig, startApi } from '@carillon/api';
import {
  ADMIN_KEY,
  eventually,
  insertSchedules,
  TcpProxy,
  useDatabase,
  useReceiver,
} from '@carillon/testkit';
import { readConfig as readWorkerConfig, startWorker } from '@carillon/worker';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSamples, type Samples } from './samples.js';

const database = useDatabase();
const receiver = useReceiver();
const log = pino({ level: 'silent' });

const NOOPS = 7;
const FAILING = 3;
const CANCELLED = 2;
/** The number of occurrences that the hourly schedule has missed by more than its grace, so that they are skipped. */
const MISSED = 5;

let apiUrl = '';
let workerUrls: string[] = [];
let proxy: TcpProxy;
const stops: (() => Promise<void>)[] = [];

function given<T extends object>(config: T | { problems: string[] }): T {
  if ('problems' in config) throw new Error(config.problems.join());
  return config;
}

const environment = () => ({
  DATABASE_URL: database.url,
  REDIS_URL: database.redisUrl,
  REDIS_PREFIX: database.prefix,
  CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  ALLOW_PRIVATE_TARGETS: 'true',
});

async function scrape(url: string): Promise<{ text: string; samples: Samples }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return { text, samples: readSamples(text) };
}

async function post(path: string, body?: unknown, method = 'POST'): Promise<void> {
  const response = await fetch(`${apiUrl}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ADMIN_KEY}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Plays a load for which every figure in /metrics is known in advance. */
async function playLoad(): Promise<void> {
  const items = [
    ...Array.from({ length: NOOPS }, (_, i) => ({
      id: `noop-${i}`,
      rule: { in: 'PT1S' },
      target: { type: 'handler', name: 'noop' },
    })),
    ...Array.from({ length: FAILING }, (_, i) => ({
      id: `failing-${i}`,
      rule: { in: 'PT1S' },
      target: { type: 'webhook', url: receiver.url(`status/503/${i}`) },
      retry: { maxAttempts: 2, baseDelay: 'PT0.1S', jitter: false },
    })),
    ...Array.from({ length: CANCELLED }, (_, i) => ({
      id: `cancelled-${i}`,
      rule: { cron: '0 9 1 1 *' },
      target: { type: 'handler', name: 'noop' },
    })),
  ];
  await post('/schedules/bulk', { items });
  for (let i = 0; i < CANCELLED; i++) await post(`/schedules/cancelled-${i}`, undefined, 'DELETE');
  const [hourly] = await insertSchedules(
    database,
    [{ rule: { every: 'PT1H' }, misfire: { policy: 'skip', grace: 'PT1M' } }],
    { nowAt: Date.now() - (MISSED + 0.5) * 3_600_000 },
  );
  // The hourly schedule is inserted as if it had been created hours ago, so it has missed its first occurrences. Wait
  // until a worker has recorded them as skipped.
  await eventually(async () => {
    const { rows } = await database.pool.query(
      'select from carillon.agenda where schedule_id = $1 and due_at > now()',
      [hourly],
    );
    return rows.length === 1;
  });
}

beforeAll(async () => {
  proxy = await TcpProxy.before(database.url);
  const api = await startApi(
    given(
      readApiConfig({
        ...environment(),
        DATABASE_URL: proxy.url(database.url),
        PORT: '0',
        CARILLON_ADMIN_KEY: ADMIN_KEY,
      }),
    ),
    log,
  );
  apiUrl = api.url;
  stops.push(() => api.stop());
  const workers = await Promise.all(
    [1, 2].map(() =>
      startWorker(
        given(
          readWorkerConfig({
            ...environment(),
            WORKER_PORT: '0',
            SWEEP_INTERVAL_MS: '200',
            ARM_HORIZON_MS: '10000',
          }),
        ),
        log,
      ),
    ),
  );
  workerUrls = workers.map(({ port }) => `http://127.0.0.1:${port}`);
  stops.push(...workers.map((worker) => () => worker.stop()));
  await playLoad();
});
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  await proxy.close();
});

const EXPECTED: Record<string, number> = {
  // This counter does not include the hourly schedule, because it was not created through the API.
  jobs_queued_total: NOOPS + FAILING + CANCELLED,
  jobs_cancelled_total: CANCELLED,
  jobs_due_total: NOOPS + 2 * FAILING,
  'carillon_attempts_total{outcome="succeeded"}': NOOPS,
  'carillon_attempts_total{outcome="failed"}': 2 * FAILING,
  carillon_retries_total: FAILING,
  'carillon_runs_failed_total{target="webhook",reason="http_5xx"}': FAILING,
  'carillon_runs_failed_total{target="webhook",reason="worker_lost"}': 0,
  'carillon_missed_total{reason="misfire"}': MISSED,
  'carillon_missed_total{reason="overlap"}': 0,
  carillon_lateness_seconds_count: NOOPS + FAILING,
  'carillon_lateness_seconds_bucket{le="+Inf"}': NOOPS + FAILING,
  carillon_delivery_seconds_count: NOOPS + 2 * FAILING,
  carillon_refused_writes_total: 0,
  carillon_lost_claims_total: 0,
  carillon_backlog: 0,
  carillon_oldest_due_seconds: 0,
  carillon_due_without_handler: 0,
  carillon_workers_alive: 2,
  carillon_workers_lost: 0,
  carillon_partitions_ready: 3,
  carillon_postgres_up: 1,
  carillon_redis_up: 1,
  // Only the hourly schedule has a coming occurrence, about half an hour from now.
  'carillon_forecast_runs{window="60m"}': 1,
  'carillon_forecast_runs{window="5m"}': 0,
};

let last: Record<string, number | undefined> = {};

describe('Metrics of a known load', () => {
  it('after a load with known counts, the counters in /metrics of the API have exactly these counts, summed over all workers', async () => {
    const counters = await eventually(
      async () => {
        const { samples } = await scrape(apiUrl);
        const seen = Object.fromEntries(Object.keys(EXPECTED).map((name) => [name, samples.get(name)]));
        const isSame = Object.entries(EXPECTED).every(([name, value]) => seen[name] === value);
        last = seen;
        return isSame && seen;
      },
      { withinMs: 25_000, everyMs: 200 },
    ).catch(() => last);
    expect(counters).toEqual(EXPECTED);
  });

  it('the counters that the workers show in their own /metrics add up to those in /metrics of the API', async () => {
    const [api, ...workers] = await Promise.all([apiUrl, ...workerUrls].map(scrape));
    const own = ['jobs_due_total', 'carillon_retries_total', 'carillon_lateness_seconds_count'];
    for (const name of own) {
      const parts = workers.map(({ samples }) => samples.sumOf(name));
      expect(parts.reduce((a, b) => a + b)).toBe(api?.samples.get(name));
    }
  });

  it('/metrics has the event loop lag and the connections of every process, and the clock offset of each worker', async () => {
    const all = await Promise.all([apiUrl, ...workerUrls].map(scrape));
    for (const { text } of all) {
      expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
      expect(text).toMatch(/^carillon_pool_connections\{.*state="idle"\} \d+$/m);
      expect(text).toMatch(/^carillon_clock_offset_seconds\{worker="\d+"\} \S+$/m);
    }
    expect(all[0]?.text.match(/^carillon_clock_offset_seconds/gm)).toHaveLength(2);
  });

  it('while Postgres is unreachable, /metrics of the API omits the counters that are summed over all workers, instead of showing zero', async () => {
    proxy.refuse();
    const { samples } = await eventually(async () => {
      const scraped = await scrape(apiUrl);
      return scraped.samples.get('carillon_postgres_up') === 0 && scraped;
    });
    proxy.pass();
    expect(samples.get('jobs_due_total')).toBeUndefined();
    expect(samples.get('process_cpu_seconds_total')).toBeGreaterThan(0);
  });
});
