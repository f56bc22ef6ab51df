import { randomBytes } from 'node:crypto';
import { eventually, useDatabase, useReceiver } from '@carillon/testkit';
import { beforeAll, expect, it } from 'vitest';
import { type Program, usePrograms } from '../use-programs.js';
import { useHttp } from './http.js';

const database = useDatabase();
const programs = usePrograms(database);
const receiver = useReceiver();
const CARILLON_ENCRYPTION_KEY = randomBytes(32).toString('base64');
let api: Program & { url: string };
let worker: Program;
const ask = useHttp(() => api.url);

beforeAll(async () => {
  api = await programs.api({ env: { CARILLON_ENCRYPTION_KEY, PINGS_PER_MINUTE: '5' } });
  worker = await programs.worker({ env: { CARILLON_ENCRYPTION_KEY } });
});

const soon = (ms = 0) => new Date(Date.now() + ms).toISOString();

/**
 * Creates a heartbeat (a schedule whose occurrences wait for the ping of a job that runs elsewhere), and returns its
 * ping URLs.
 */
async function createHeartbeat(id: string, rule: object, target: object = {}) {
  const created = await ask('POST', '/v1/schedules', { id, rule, target: { type: 'heartbeat', ...target } });
  expect(created).toMatchObject({ status: 201 });
  return (await ask('GET', `/v1/schedules/${id}/heartbeat`)).body as Record<
    'url' | 'startUrl' | 'failUrl',
    string
  >;
}

const ping = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text() };
};

const latestRun = async (id: string) => (await ask('GET', `/v1/runs?schedule=${id}`)).body.items[0];
const runThat = (id: string, isIt: (run: { status: string; error: string | null }) => boolean) =>
  eventually(async () => {
    const run = await latestRun(id);
    return run && isIt(run) ? run : null;
  });
const isWaiting = ({ status }: { status: string }) => status === 'retrying';

/** The body of a ping. The text looks like the stored result of a handler, and must not be shown as one. */
const JOB_REPORT = '{"value":"3 GB"}';

it('an occurrence of a heartbeat schedule has a run with the status retrying until its job, which runs elsewhere, sends a ping, and then the run succeeds', async () => {
  const { url } = await createHeartbeat('pinged', { at: soon() }, { grace: 'PT10M' });
  const waiting = await runThat('pinged', isWaiting);
  expect((await whole(waiting.id)).why).toMatch(/^waiting for the ping of its job: it is tried again at /);
  expect(await ping(url, { method: 'POST', body: JOB_REPORT })).toEqual({ status: 200, text: 'OK' });
  await runThat('pinged', ({ status }) => status === 'succeeded');
  expect((await whole(waiting.id)).why).toMatch(
    /^succeeded: the ping of its job came \d+ (ms|s) after it was due$/,
  );
  expect((await whole(waiting.id)).attempts.at(-1)).toMatchObject({
    response: JOB_REPORT,
    result: null,
  });
  const { body } = await ask('GET', '/v1/schedules/pinged/heartbeat');
  expect(body.pings).toMatchObject([{ kind: 'success', body: JOB_REPORT }]);
  expect(body.pings[0].occurrenceAt).not.toBeNull();
});

it('a GET or HEAD request to the ping URL of a heartbeat schedule with an interval counts as a ping, even before an occurrence is due', async () => {
  const { url } = await createHeartbeat('early', { every: 'PT2S' }, { grace: 'PT10M' });
  expect(await ping(url, { method: 'HEAD' })).toMatchObject({ status: 200 });
  await runThat('early', ({ status }) => status === 'succeeded');
  await runThat('early', isWaiting);
  expect(await ping(url)).toMatchObject({ status: 200 });
  await ask('DELETE', '/v1/schedules/early');
});

it('if no ping comes for an occurrence of a heartbeat schedule, the occurrence fails when its grace ends, and an alert is raised', async () => {
  await createHeartbeat('silent', { at: soon() }, { grace: 'PT1S' });
  const run = await runThat('silent', ({ status }) => status === 'failed');
  expect((await whole(run.id)).why).toBe('failed: no ping came within 1 second');
  const [attempt] = (await ask('GET', `/v1/runs/${run.id}`)).body.attempts;
  expect(attempt).toMatchObject({ errorCode: 'no_ping', error: 'no ping came within 1 second' });
  const { items } = await eventually(async () => {
    const { body } = await ask('GET', '/v1/alerts?state=open&schedule=silent');
    return body.items.length > 0 && body;
  });
  expect(items[0].sentence).toContain('no ping came within 1 second');
});

it('a ping to /fail ends the waiting run of a heartbeat schedule as failed at once, with the body of the ping as the reason', async () => {
  const { failUrl } = await createHeartbeat('failing', { at: soon() }, { grace: 'PT10M' });
  await runThat('failing', isWaiting);
  await ping(failUrl, { method: 'POST', body: 'disk full' });
  const run = await runThat('failing', ({ status }) => status === 'failed');
  const [attempt] = (await ask('GET', `/v1/runs/${run.id}`)).body.attempts;
  expect(attempt).toMatchObject({
    errorCode: 'reported_failure',
    error: 'the job reported a failure: disk full',
  });
});

it('a ping with the exit status 0 ends the run of a heartbeat schedule as succeeded; a ping with another exit status ends it as failed, with status and body as the reason', async () => {
  const good = await createHeartbeat('exit-0', { at: soon() }, { grace: 'PT10M' });
  await runThat('exit-0', isWaiting);
  expect(await ping(`${good.url}/0`)).toEqual({ status: 200, text: 'OK' });
  await runThat('exit-0', ({ status }) => status === 'succeeded');
  const bad = await createHeartbeat('exit-3', { at: soon() }, { grace: 'PT10M' });
  await runThat('exit-3', isWaiting);
  for (const unknown of ['256', '1000', '-1', 'done'])
    expect((await ping(`${bad.url}/${unknown}`)).status).toBeOneOf([400, 404]);
  await ping(`${bad.url}/3`, { method: 'POST', body: 'disk full' });
  const run = await runThat('exit-3', ({ status }) => status === 'failed');
  const [attempt] = (await ask('GET', `/v1/runs/${run.id}`)).body.attempts;
  expect(attempt.error).toBe('the job reported a failure: exit status 3: disk full');
});

it('a ping to /log of a heartbeat schedule is only stored: the occurrence still waits for a ping that reports the end of the job', async () => {
  const { url } = await createHeartbeat('logging', { at: soon() }, { grace: 'PT10M' });
  const waiting = await runThat('logging', isWaiting);
  expect(await ping(`${url}/log`, { method: 'POST', body: '3 of 5 files' })).toMatchObject({ status: 200 });
  expect(await latestRun('logging')).toEqual(waiting);
  await ping(url);
  await runThat('logging', ({ status }) => status === 'succeeded');
  const { body } = await ask('GET', '/v1/schedules/logging/heartbeat');
  expect(body.pings).toMatchObject([
    { kind: 'success', occurrenceAt: expect.any(String) },
    { kind: 'log', body: '3 of 5 files', occurrenceAt: null },
  ]);
});

it('with startGrace, an occurrence of a heartbeat schedule fails if no start ping comes within startGrace, and otherwise waits until its grace ends', async () => {
  const target = { grace: 'PT10M', startGrace: 'PT2S' };
  const started = await createHeartbeat('started', { at: soon() }, target);
  await ping(started.startUrl);
  await createHeartbeat('not-started', { at: soon() }, target);
  const run = await runThat('not-started', ({ status }) => status === 'failed');
  const [attempt] = (await ask('GET', `/v1/runs/${run.id}`)).body.attempts;
  expect(attempt).toMatchObject({ errorCode: 'no_start_ping' });
  expect(await latestRun('started')).toMatchObject({ status: 'retrying' });
  await ping(started.url);
  await runThat('started', ({ status }) => status === 'succeeded');
});

it('after the rotation of a ping URL, a ping to the old URL is refused and a ping to the new URL is accepted', async () => {
  const { url } = await createHeartbeat('rotated', { every: 'PT1H' });
  const { body } = await ask('POST', '/v1/schedules/rotated/heartbeat/rotate');
  expect(body.url).not.toBe(url);
  expect(await ping(url)).toMatchObject({ status: 404 });
  expect(await ping(body.url)).toMatchObject({ status: 200 });
  await ask('DELETE', '/v1/schedules/rotated');
  expect(await ping(body.url)).toMatchObject({ status: 404 });
});

it('the body of a ping is stored up to 10 KB, whatever its content type', async () => {
  const { url } = await createHeartbeat('wordy', { every: 'PT1H' });
  const body = Buffer.concat([Buffer.from([0, 0xff]), Buffer.alloc(20_000, 'x')]);
  const headers = { 'content-type': 'application/json' };
  expect(await ping(url, { method: 'POST', body, headers })).toMatchObject({ status: 200 });
  const heartbeat = (await ask('GET', '/v1/schedules/wordy/heartbeat')).body;
  expect(heartbeat.pings[0].body).toHaveLength(10 * 1_024);
});

it('pings beyond the rate limit are refused and not stored', async () => {
  const { url } = await createHeartbeat('eager', { every: 'PT1H' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => ping(url)));
  const accepted = answers.filter(({ status }) => status === 200);
  // The limit is a token bucket of five pings a minute. On a slow machine it is refilled during the test, so it may let
  // one more ping through.
  expect(accepted.length).toBeGreaterThanOrEqual(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(answers.length - accepted.length);
  expect(accepted.length).toBeLessThan(answers.length);
  const { body } = await ask('GET', '/v1/schedules/eager/heartbeat');
  expect(body.pings).toHaveLength(accepted.length);
});

it('a ping with an invalid token is refused', async () => {
  expect(await ping(`${api.url}/ping/${'A'.repeat(40)}`)).toMatchObject({ status: 404 });
});

/** Creates a schedule that posts to the receiver, and returns its ping URLs. */
async function createDelivered(id: string, path: string, more: object = {}) {
  const target = { type: 'webhook', url: receiver.url(`${path}/${id}`) };
  const created = await ask('POST', '/v1/schedules', { id, rule: { at: soon() }, target, ...more });
  expect(created).toMatchObject({ status: 201 });
  return (await ask('GET', `/v1/schedules/${id}/heartbeat`)).body as Awaited<
    ReturnType<typeof createHeartbeat>
  >;
}
const whole = async (id: string) => (await ask('GET', `/v1/runs/${id}`)).body;
const stepsOf = (run: { story: { kind: string; text: string }[] }) =>
  run.story.filter(({ kind }) => kind === 'reported').map(({ text }) => text);

it('a run that was delivered successfully becomes failed if its job then reports a failure with a ping', async () => {
  const slo = { successRate: { percent: 100, last: 1 } };
  const { startUrl, failUrl } = await createDelivered('handed-over', 'status/202', { slo });
  const { id } = await runThat('handed-over', ({ status }) => status === 'succeeded');
  expect(await ping(`${startUrl}?rid=${id}`)).toEqual({ status: 200, text: 'OK' });
  await ping(`${startUrl.replace('/start', '/log')}?rid=${id}`, { method: 'POST', body: '1 of 2' });
  expect(await whole(id)).toMatchObject({ status: 'succeeded' });
  expect(await ping(`${failUrl}?rid=${id}`, { method: 'POST', body: 'disk full' })).toMatchObject({
    status: 200,
  });
  const run = await whole(id);
  expect(run.status).toBe('failed');
  expect(run.why).toMatch(
    /late, failed: the job reported a failure: disk full: the job reported its start at /,
  );
  expect(stepsOf(run)).toEqual([
    'the job reported its start',
    'the job reported a text (note: 1 of 2)',
    'the job reported a failure (note: disk full)',
  ]);
  // The delivery itself succeeded, and its attempt says so.
  expect(run.attempts).toMatchObject([{ number: 1, outcome: 'succeeded', httpStatus: 202 }]);
  const { body } = await ask('GET', '/v1/schedules/handed-over/heartbeat');
  expect(body.pings).toMatchObject([
    { kind: 'fail', body: 'disk full', occurrenceAt: run.occurrenceAt },
    { kind: 'log', body: '1 of 2', occurrenceAt: run.occurrenceAt },
    { kind: 'start', occurrenceAt: run.occurrenceAt },
  ]);
  await eventually(async () => {
    const { body } = await ask('GET', '/v1/alerts?schedule=handed-over');
    return body.items.length === 1;
  });
  expect(api.lines.filter(({ runId }) => runId === id)).toMatchObject([
    { level: 50, errorCode: 'reported_failure', error: 'the job reported a failure: disk full' },
  ]);
  await eventually(async () =>
    (await (await fetch(`${api.url}/metrics`)).text()).includes(
      'carillon_runs_failed_total{target="webhook",reason="reported_failure"} 1',
    ),
  );
});

it('a run whose delivery failed becomes succeeded if its job reports a success with a ping, even while the run waits for a retry', async () => {
  const retry = { maxAttempts: 2, baseDelay: 'PT1H' };
  const waiting = await createDelivered('late-answer', 'status/503', { retry });
  const retrying = await runThat('late-answer', isWaiting);
  expect(await ping(waiting.url)).toMatchObject({ status: 200 });
  expect(await whole(retrying.id)).toMatchObject({ status: 'succeeded' });

  const failed = await createDelivered('failed-answer', 'status/404');
  const run = await runThat('failed-answer', ({ status }) => status === 'failed');
  await ping(`${failed.url}?rid=${run.id}`);
  expect(await whole(run.id)).toMatchObject({ status: 'succeeded' });
  expect((await whole(run.id)).why).toMatch(
    /^ran \d+ ms late: attempt 1 failed \(.*; the job reported a success at /,
  );
});

it('if a job reports a failure with a ping while its delivery is in flight, the run ends as failed, and the result that the worker reports later is refused', async () => {
  const { failUrl } = await createDelivered('in-flight', 'slow/3000', { timeout: 'PT20S' });
  const held = await eventually(() => receiver.to('slow/3000/in-flight')[0]);
  const { runId } = JSON.parse(held.body);
  expect(await ping(`${failUrl}?rid=${runId}`)).toMatchObject({ status: 200 });
  expect(await whole(runId)).toMatchObject({ status: 'failed', attempts: [{ outcome: 'failed' }] });
  await eventually(() => worker.lines.some(({ msg }) => String(msg).includes('refused')));
  expect(await whole(runId)).toMatchObject({ status: 'failed' });
});

it('a ping that reports on a run that was not sent yet, or on a run of another schedule, is refused', async () => {
  const { url } = await createDelivered('unsent', 'status/200', { rule: { every: 'PT1H' } });
  expect(await ping(url)).toMatchObject({ status: 404 });
  const other = await latestRun('handed-over');
  expect(await ping(`${url}?rid=${other.id}`)).toMatchObject({ status: 404 });
  expect(await ping(`${url}?rid=nonsense`)).toMatchObject({ status: 404 });
  await ask('POST', '/v1/schedules/unsent/skip-next');
  const skipped = await runThat('unsent', ({ status }) => status === 'skipped');
  expect(await ping(`${url}?rid=${skipped.id}`)).toMatchObject({ status: 409 });
});
