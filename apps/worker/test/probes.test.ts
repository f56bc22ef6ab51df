import { eventually, freePort, TcpProxy, useDatabase, useProcesses, useReceiver } from '@carillon/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineHandler } from '../src/define.js';
import { Probes } from '../src/probes.js';
import { Registry } from '../src/registry.js';
import type { RunningWorker } from '../src/worker.js';
import { awaitRun, hasEnded, insertDue, readRun, startTestWorker } from './support.js';

const database = useDatabase();
const stopping = useDatabase();
const cutOff = useDatabase();
const processes = useProcesses(cutOff);
const receiver = useReceiver();

const calls = { started: 0, finish: () => {} };
const waits = defineHandler('probes-wait', async () => {
  calls.started++;
  await new Promise<void>((resolve) => {
    calls.finish = resolve;
  });
});

async function ask(port: number | null, path: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : null };
}

const start = (of: typeof database, env: Record<string, string> = {}): Promise<RunningWorker> =>
  startTestWorker(
    of,
    { WORKER_PORT: '0', ...env },
    undefined,
    new Registry({ handlers: [waits], schedules: [] }),
  );

describe('Probes of a worker', () => {
  it('a running worker is live and ready, and serves its own counters with its id as a label', async () => {
    const worker = await start(database);
    onTestFinished(() => worker.stop());
    expect(await ask(worker.port, '/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } });
    await eventually(async () => (await ask(worker.port, '/health/ready')).body.status === 'ok');
    const id = await insertDue(database, {});
    await awaitRun(database, id, hasEnded);
    const metrics = await eventually(async () => {
      const { text } = await ask(worker.port, '/metrics');
      return text.includes(`carillon_attempts_total{worker="${worker.id}",outcome="succeeded"} 1`) && text;
    });
    expect(metrics).toContain(`jobs_due_total{worker="${worker.id}"} 1`);
    expect(metrics).toMatch(/^nodejs_eventloop_lag_seconds \S+$/m);
    expect(await ask(worker.port, '/v1/schedules')).toMatchObject({ status: 404 });
  });

  it('a worker that has not connected to Postgres and Redis yet is live but not ready', async () => {
    const probes = new Probes();
    onTestFinished(() => probes.close());
    const port = await probes.listen({ host: '127.0.0.1', port: 0 });
    expect((await ask(port, '/health/live')).status).toBe(200);
    expect(await ask(port, '/health/ready')).toMatchObject({
      status: 503,
      body: { status: 'down', reasons: [{ code: 'starting' }] },
    });
    const metrics = await ask(port, '/metrics');
    expect(metrics.text).toContain('process_cpu_seconds_total');
    expect(metrics.text).not.toContain('jobs_due_total');
  });

  it('a stopping worker is not ready, claims no more runs, and finishes its runs in flight', async () => {
    const worker = await start(stopping, { STOP_DEADLINE_MS: '20000' });
    const begun = await insertDue(stopping, { target: { type: 'handler', name: 'probes-wait' } });
    await eventually(() => calls.started === 1);
    const stopped = worker.stop();
    expect(await ask(worker.port, '/health/ready')).toMatchObject({
      status: 503,
      body: { reasons: [{ code: 'stopping' }] },
    });
    expect((await ask(worker.port, '/health/live')).status).toBe(200);
    const late = await insertDue(stopping, {});
    calls.finish();
    await stopped;
    expect(await readRun(stopping, begun)).toMatchObject({ status: 'succeeded' });
    expect(await readRun(stopping, late)).toBeNull();
    await expect(ask(worker.port, '/health/live')).rejects.toThrow('fetch failed');
  });

  it('a worker whose Postgres is unreachable is not ready, and still ends on SIGTERM, although its run in flight can be neither closed nor handed back', async () => {
    const proxy = await TcpProxy.before(cutOff.url);
    onTestFinished(() => proxy.close());
    const port = await freePort();
    const worker = await processes.worker({
      env: {
        DATABASE_URL: proxy.url(cutOff.url),
        WORKER_PORT: String(port),
        STOP_DEADLINE_MS: '500',
        // The lease outlives the test, so the worker does not abort the delivery before it is stopped.
        LEASE_MS: '120000',
      },
    });
    await eventually(async () => (await ask(port, '/health/ready')).status === 200);
    await insertDue(cutOff, { target: { type: 'webhook', url: receiver.url('hang/probes'), headers: {} } });
    await eventually(() => receiver.open === 1);
    proxy.silence();
    await eventually(async () => (await ask(port, '/health/ready')).status === 503);
    expect((await ask(port, '/health/live')).status).toBe(200);
    await insertDue(cutOff, {});
    const ended = worker.end('SIGTERM');
    expect(await worker.logged('Worker stopping')).toMatchObject({ inFlight: 1 });
    // The stop takes at most STOP_DEADLINE_MS plus 15 s (docs/monitoring.md). A busy machine may add to that.
    await worker.logged('Worker stopped', { withinMs: 60_000 });
    await ended;
    expect(worker.child.exitCode).toBe(0);
  }, 120_000);
});
