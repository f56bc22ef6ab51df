import { readConfig as readApiConfig, startApi } from '@carillon/api';
import { ADMIN_KEY, eventually, insertSchedules, useDatabase, useReceiver } from '@carillon/testkit';
import { readConfig as readWorkerConfig, startWorker } from '@carillon/worker';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CollectedSpan, startCollector } from './collector.js';

const database = useDatabase();
const untraced = useDatabase();
const receiver = useReceiver();
const log = pino({ level: 'silent' });
/** The trace and the span from which the test sends each request that creates a schedule. */
const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

let collector: Awaited<ReturnType<typeof startCollector>>;
let api: Awaited<ReturnType<typeof startApi>>;
let worker: Awaited<ReturnType<typeof startWorker>>;

function given<T extends object>(config: T | { problems: string[] }): T {
  if ('problems' in config) throw new Error(config.problems.join());
  return config;
}

const environment = ({ url, redisUrl, prefix } = database) => ({
  DATABASE_URL: url,
  REDIS_URL: redisUrl,
  REDIS_PREFIX: prefix,
  CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  ALLOW_PRIVATE_TARGETS: 'true',
});
const QUICK = { SWEEP_INTERVAL_MS: '200', ARM_HORIZON_MS: '10000' };

async function create(body: object): Promise<void> {
  const response = await send('POST', '/v1/schedules', body);
  expect(response.status).toBe(201);
}

const send = (method: string, path: string, body: object) =>
  fetch(`${api.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${ADMIN_KEY}`,
      'content-type': 'application/json',
      traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01`,
    },
    body: JSON.stringify(body),
  });

/** Waits until the collector has at least `count` matching spans of this name; returns them. */
const spansOf = (name: string, isIt: (span: CollectedSpan) => boolean, count = 1) =>
  eventually(
    () => {
      const spans = collector.spans.filter((span) => span.name === name && isIt(span));
      return spans.length >= count && spans;
    },
    { what: `${count} spans "${name}"` },
  );

const attribute = (span: CollectedSpan, name: string) =>
  Object.values(span.attributes.find(({ key }) => key === name)?.value ?? {})[0];
const isOf = (schedule: string) => (span: CollectedSpan) => attribute(span, 'carillon.schedule') === schedule;
const linksTo = ({ traceId, spanId }: { traceId: string; spanId: string }) =>
  expect.arrayContaining([expect.objectContaining({ traceId, spanId })]);

beforeAll(async () => {
  collector = await startCollector();
  const traced = { ...environment(), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  api = await startApi(given(readApiConfig({ ...traced, PORT: '0', CARILLON_ADMIN_KEY: ADMIN_KEY })), log);
  worker = await startWorker(given(readWorkerConfig({ ...traced, ...QUICK })), log);
});
afterAll(async () => {
  await worker?.stop();
  await api?.stop();
  collector?.close();
});

describe('Traces', () => {
  it('each run has a trace of its own, which goes on at the receiver, and which links to the request that created the schedule', async () => {
    const target = { type: 'webhook', url: receiver.url('status/200/traced') };
    await create({ id: 'traced', rule: { in: 'PT1S' }, target });
    const [attempt] = (await spansOf('attempt', isOf('traced'))) as [CollectedSpan];
    const [created] = (await spansOf('create', ({ traceId }) => traceId === CALLER.traceId)) as [
      CollectedSpan,
    ];
    expect([created.service, created.parentSpanId]).toEqual(['carillon-api', CALLER.spanId]);
    expect(attempt.service).toBe('carillon-worker');
    expect(attempt.traceId).not.toBe(CALLER.traceId);
    expect(attempt.links).toEqual(linksTo(created));
    const [delivery] = receiver.to('status/200/traced');
    expect(delivery?.headers.traceparent).toBe(`00-${attempt.traceId}-${attempt.spanId}-01`);
  });

  it('the claim of a batch of runs has one span, and so has the statement that closes them; links connect both with the spans of the runs', async () => {
    await create({ id: 'batch', rule: { in: 'PT1S' }, target: { type: 'handler', name: 'noop' } });
    const [attempt] = (await spansOf('attempt', isOf('batch'))) as [CollectedSpan];
    const [close] = (await spansOf('close', ({ links = [] }) =>
      links.some(({ spanId }) => spanId === attempt.spanId),
    )) as [CollectedSpan];
    const claimIds = new Set(attempt.links?.map(({ spanId }) => spanId));
    const [claim] = (await spansOf('claim', ({ spanId }) => claimIds.has(spanId))) as [CollectedSpan];
    expect(claim.links).toEqual([expect.objectContaining({ traceId: CALLER.traceId })]);
    expect(new Set([attempt.traceId, claim.traceId, close.traceId]).size).toBe(3);
  });

  it('five schedules that are due at one instant and claimed together have one claim span, and an attempt span each', async () => {
    const at = new Date(Date.now() + 2_000).toISOString();
    const target = { type: 'handler', name: 'noop' };
    const ids = [0, 1, 2, 3, 4].map((n) => `herd-${n}`);
    const items = ids.map((id) => ({ id, rule: { at }, target }));
    expect((await send('POST', '/v1/schedules/bulk', { items })).status).toBe(200);
    const isOfHerd = (span: CollectedSpan) => ids.some((id) => isOf(id)(span));
    const attempts = await spansOf('attempt', isOfHerd, 5);
    expect(attempts.map((span) => attribute(span, 'carillon.schedule')).sort()).toEqual(ids);
    const claims = await spansOf('claim', ({ spanId }) =>
      attempts.some(({ links = [] }) => links.some((link) => link.spanId === spanId)),
    );
    expect(claims.map((span) => Number(attribute(span, 'carillon.runs')))).toEqual([5]);
  });

  it('an attempt span links to the PUT that created its schedule, and not to a later PUT that replaced it, whose span counts 0 created schedules', async () => {
    const target = { type: 'handler', name: 'noop' };
    const put = (rule: object) => send('PUT', '/v1/schedules/put', { rule, target });
    const isPut = (span: CollectedSpan) => attribute(span, 'http.request.method') === 'PUT';
    expect((await put({ in: 'PT1H' })).status).toBe(201);
    const [created] = (await spansOf('create', isPut)) as [CollectedSpan];
    expect(created.parentSpanId).toBe(CALLER.spanId);
    expect((await put({ in: 'PT1S' })).status).toBe(200);
    const [attempt] = (await spansOf('attempt', isOf('put'))) as [CollectedSpan];
    expect(attempt.links).toEqual(linksTo(created));
    const creates = await spansOf('create', isPut, 2);
    expect(creates.map((span) => Number(attribute(span, 'carillon.schedules')))).toEqual([1, 0]);
  });

  it('all attempts of a run are spans of one trace', async () => {
    const target = { type: 'webhook', url: receiver.url('flaky/1/retried') };
    const retry = { maxAttempts: 3, baseDelay: 'PT0.1S' };
    await create({ id: 'retried', rule: { in: 'PT1S' }, target, retry });
    const attempts = await spansOf('attempt', isOf('retried'), 2);
    expect(new Set(attempts.map(({ traceId }) => traceId)).size).toBe(1);
    expect(attempts.map((span) => attribute(span, 'carillon.outcome')).sort()).toEqual([
      'failed',
      'succeeded',
    ]);
  });

  it('if a webhook target has a traceparent header of its own, the receiver gets that header instead of the one of the attempt', async () => {
    const traceparent = '00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-01';
    const target = { type: 'webhook', url: receiver.url('status/200/own-trace'), headers: { traceparent } };
    await create({ id: 'own-trace', rule: { in: 'PT1S' }, target });
    await spansOf('attempt', isOf('own-trace'));
    const [delivery] = receiver.to('status/200/own-trace');
    expect(delivery?.headers.traceparent).toBe(traceparent);
  });

  it('a worker without a trace collector sends no traceparent header', async () => {
    const plain = await startWorker(given(readWorkerConfig({ ...environment(untraced), ...QUICK })), log);
    const target = { type: 'webhook' as const, url: receiver.url('status/200/untraced'), headers: {} };
    await insertSchedules(untraced, [{ rule: { at: new Date().toISOString() }, target }]);
    const [delivery] = await eventually(() => {
      const deliveries = receiver.to('status/200/untraced');
      return deliveries.length > 0 && deliveries;
    });
    await plain.stop();
    expect(delivery?.headers).not.toHaveProperty('traceparent');
  });
});
