import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig as readApiConfig, startApi } from '@carillon/api';
import { ADMIN_KEY, eventually, useDatabase, useReceiver } from '@carillon/testkit';
import { readConfig as readWorkerConfig, startWorker } from '@carillon/worker';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { promtool } from './promtool.js';
import { Prometheus } from './run-prometheus.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rules = join(root, 'deploy/helm/carillon/files/rules.yml');
const chart = (path: string) => readFileSync(join(root, 'deploy/helm/carillon', path), 'utf8');

const database = useDatabase();
const receiver = useReceiver();
const log = pino({ level: 'silent' });
const stops: (() => Promise<void>)[] = [];
let processes: string[] = [];
let prometheus: Prometheus;

function given<T extends object>(config: T | { problems: string[] }): T {
  if ('problems' in config) throw new Error(config.problems.join());
  return config;
}

/** Creates schedules that fire every second, one of which fails, so that each metric has data. */
async function createLoad(apiUrl: string): Promise<void> {
  const items = Array.from({ length: 12 }, (_, i) => ({
    id: `load-${i}`,
    rule: { every: 'PT1S' },
    target:
      i === 0
        ? { type: 'webhook', url: receiver.url('status/503') }
        : { type: 'webhook', url: receiver.url(`status/200/${i}`) },
    retry: { maxAttempts: 2, baseDelay: 'PT0.2S' },
    maxRuns: i === 0 ? 3 : null,
  }));
  const response = await fetch(`${apiUrl}/v1/schedules/bulk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ items }),
  });
  expect(response.status).toBe(200);
}

beforeAll(async () => {
  const environment = {
    DATABASE_URL: database.url,
    REDIS_URL: database.redisUrl,
    REDIS_PREFIX: database.prefix,
    CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    ALLOW_PRIVATE_TARGETS: 'true',
  };
  const api = await startApi(
    given(readApiConfig({ ...environment, PORT: '0', CARILLON_ADMIN_KEY: ADMIN_KEY })),
    log,
  );
  const worker = await startWorker(
    given(
      readWorkerConfig({
        ...environment,
        WORKER_PORT: '0',
        SWEEP_INTERVAL_MS: '500',
        ARM_HORIZON_MS: '10000',
      }),
    ),
    log,
  );
  stops.push(
    () => worker.stop(),
    () => api.stop(),
  );
  processes = [api.url, `http://127.0.0.1:${worker.port}`];
  prometheus = await Prometheus.start({
    targets: { 'carillon-api': [api.url], 'carillon-worker': [processes[1] as string] },
    rules,
  });
  stops.push(() => prometheus.stop());
  await createLoad(api.url);
}, 120_000);
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** Waits until a query returns a result in which every value is a number. */
const hasData = (expression: string) =>
  eventually(
    async () => {
      const samples = await prometheus.query(expression);
      return samples.length > 0 && samples.every(({ value: [, text] }) => text !== 'NaN');
    },
    { withinMs: 40_000, everyMs: 250, what: `data for ${expression}` },
  );

const SIGNAL = /carillon\w*:[\w:]+/g;

/** The expressions of the alerts in rules.yml. */
function alertExpressions(): string[] {
  const { groups }: { groups: { rules: { alert?: string; expr: string }[] }[] } = parse(
    chart('files/rules.yml'),
  );
  return groups.flatMap(({ rules }) => rules.flatMap(({ alert, expr }) => (alert ? [expr] : [])));
}

/** Replaces the variables that Grafana would fill in. */
const withIntervals = (expression: string) => expression.replaceAll(/\$__(rate_interval|range)/g, '1m');

describe('Prometheus', () => {
  it('promtool accepts the metrics of the API and of a worker', async () => {
    for (const url of processes) {
      const text = await (await fetch(`${url}/metrics`)).text();
      expect(promtool(['check', 'metrics'], text)).toBe('');
    }
  });

  it('promtool accepts the Prometheus alert rules, and its rule tests show that each alert fires only when it should', () => {
    expect(promtool(['check', 'rules', rules])).toContain('SUCCESS');
    expect(promtool(['test', 'rules', join(root, 'deploy/rules.test.yml')])).toContain('SUCCESS');
  });

  it('every query of the Grafana dashboard finds data in a real Prometheus', async () => {
    const { panels } = JSON.parse(chart('files/dashboard.json'));
    const queries = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    );
    expect(queries.length).toBeGreaterThan(25);
    for (const query of queries) await hasData(withIntervals(query));
  }, 120_000);

  it('every recording rule that a Prometheus alert uses has data, every rule is evaluated, and only the watchdog alert fires', async () => {
    const states = await prometheus.rules();
    const signals = states.filter(({ type }) => type === 'recording');
    for (const { name } of signals) await hasData(name);
    await eventually(async () => (await prometheus.rules()).every(({ health }) => health === 'ok'), {
      what: 'an evaluation of every rule',
    });
    const alerts = (await prometheus.rules()).filter(({ type }) => type === 'alerting');
    expect(alerts).toHaveLength(15);
    expect(alerts.filter(({ state }) => state === 'firing').map(({ name }) => name)).toEqual([
      'CarillonWatchdog',
    ]);
    // The expression of an alert contains only signals (the names of recording rules) and constants. So the alert has
    // data if its signals have data.
    const names = signals.map(({ name }) => name);
    const expressions = alertExpressions();
    expect(expressions).toHaveLength(15);
    for (const expression of expressions) {
      for (const name of expression.match(SIGNAL) ?? []) expect(names).toContain(name);
      expect(expression.replaceAll(SIGNAL, '')).not.toMatch(/carillon|jobs_/);
    }
  }, 120_000);

  it('the queries by which KEDA scales workers find data in a real Prometheus', async () => {
    const queries = [...chart('templates/worker.yaml').matchAll(/^\s+query: (.*)$/gm)].map(
      ([, query = '']) => query,
    );
    expect(queries).toHaveLength(2);
    for (const query of queries) await hasData(query);
    await eventually(
      async () => {
        const [sample] = await prometheus.query('max(carillon_forecast_runs{window="1m"})');
        // Eleven of the schedules fire every second for a minute. The failing one is not counted, because it ends after
        // three runs.
        return Number(sample?.value[1]) >= 11 * 55;
      },
      { withinMs: 30_000, what: 'a forecast of the load' },
    );
  }, 60_000);
});
