import { fileURLToPath } from 'node:url';
import {
  ADMIN_KEY,
  type LogLine,
  type TestApi,
  type TestProcess,
  useDatabase,
  useProcesses,
  useReceiver,
} from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { CANARIES, playFailingLoad } from './failing-load.js';

const database = useDatabase();
const processes = useProcesses(database);
const receiver = useReceiver();

const ABOUT_SCHEDULES = [
  'Schedule paused: its receiver answered 410 Gone',
  'Schedule paused: it keeps failing',
  'Receipt given up: its receiver refused it or kept failing',
];

let api: TestApi;
let worker: TestProcess;
let confidential: Record<string, string>;
const lineOf = (msg: string): LogLine | undefined => worker.lines.find((line) => line.msg === msg);

beforeAll(async () => {
  const env = {
    LOG_LEVEL: 'trace',
    LEASE_MS: '15000',
    CARILLON_ENCRYPTION_KEY: CANARIES.encryptionKey,
    CARILLON_HANDLERS: fileURLToPath(new URL('./failing-handlers.mjs', import.meta.url)),
    VAPI_BASE_URL: receiver.url('status/500/vapi'),
    VAPI_API_KEY: CANARIES.callKey,
  };
  [api, worker] = await Promise.all([processes.api({ env }), processes.worker({ env })]);
  confidential = await playFailingLoad(database, { receiver, apiUrl: api.url });
  await Promise.all(ABOUT_SCHEDULES.map((msg) => worker.logged(msg)));
  await Promise.all([api.end(), worker.end()]);
}, 180_000);

describe('Log lines', () => {
  it('no log line of the API or a worker contains a key, a secret, a token, a header value or a payload, at any level and whatever fails', () => {
    const all = JSON.stringify([...api.lines, ...worker.lines]);
    // First make sure that the log has the lines of the load. Otherwise it would prove nothing that the log has no
    // confidential value.
    for (const text of [
      'http_500',
      'out of paper',
      'refused_by_test',
      'A request by SQL was refused',
      'Alert message',
    ])
      expect(all).toContain(text);
    const texts = {
      ...confidential,
      adminKey: ADMIN_KEY,
      databasePassword: new URL(database.url).password,
      redisPassword: new URL(database.redisUrl).password || 'none-is-set',
    };
    const leaks = Object.entries(texts).filter(([, text]) => all.includes(text));
    expect(leaks.map(([name]) => name)).toEqual([]);
  });

  it('the log line of a failed handler has the message, the cause and the stack of its error', () => {
    expect(lineOf('Handler failed')?.err).toMatchObject({
      type: 'Error',
      message: 'out of paper',
      cause: { message: 'the printer is off' },
      stack: expect.stringContaining('failing-handlers.mjs'),
    });
  });

  it('each log line of a worker about a schedule names its project and schedule, and each about a run names the run and the attempt', () => {
    const aboutRuns = [
      'Handler failed',
      'The handler logs an error',
      'Run failed for good: replay it when the cause is gone',
    ];
    for (const msg of aboutRuns) {
      expect(lineOf(msg), msg).toMatchObject({
        projectId: database.projectId,
        scheduleId: expect.any(String),
        runId: expect.stringMatching(/^run_/),
        attempt: expect.any(Number),
      });
    }
    for (const msg of ABOUT_SCHEDULES)
      expect(lineOf(msg), msg).toMatchObject({
        projectId: database.projectId,
        scheduleId: expect.any(String),
      });
  });

  it('each log line of the API about a failed request names its project, its method and the pattern of its route', () => {
    const failed = api.lines.filter(({ msg }) => msg === 'Request failed');
    const places = failed.map(({ projectId, method, route, code }) => ({ projectId, method, route, code }));
    const { projectId } = database;
    const code = 'internal_error';
    expect(places).toEqual([
      { projectId, method: 'POST', route: '/v1/schedules', code },
      { projectId, method: 'POST', route: '/v1/schedules/actions', code },
      { projectId, method: 'GET', route: '/v1/forecast', code },
    ]);
  });

  it('the log line of a failed bulk action names its project and its id, and the log line of a failed forecast names its project', () => {
    const of = (message: string) => api.lines.find(({ msg }) => msg === message);
    expect(of('Bulk action failed')).toMatchObject({
      projectId: database.projectId,
      actionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(of('Forecast failed')).toMatchObject({ projectId: database.projectId });
  });

  it('each log line of a worker has the id of the worker, from "Worker ready" on', () => {
    const lines = worker.lines.slice(worker.lines.findIndex(({ msg }) => msg === 'Worker ready'));
    // Lines with another pid are left out: an isolated handler runs, and logs, in a process of its own.
    const own = lines.filter(({ pid }) => pid === worker.pid);
    expect(own.length).toBeGreaterThan(10);
    expect(own.filter(({ workerId }) => typeof workerId !== 'number')).toEqual([]);
  });
});
