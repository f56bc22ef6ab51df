import { fileURLToPath } from 'node:url';
import {
  eventually,
  insertSchedules,
  type TestDatabase,
  type TestProcess,
  useDatabase,
  useProcesses,
} from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const CARILLON_HANDLERS = fileURLToPath(new URL('./bad-handlers.mjs', import.meta.url));
const INNOCENTS = 20;

const harms = {
  'floating-rejection': useDatabase(),
  'throw-in-timer': useDatabase(),
  exit: useDatabase(),
};
const blocked = useDatabase();
const isolated = useDatabase();
const processesOf = new Map(
  [...Object.values(harms), blocked, isolated].map((database) => [database, useProcesses(database)]),
);

const start = (database: TestDatabase, env: Record<string, string> = {}) =>
  processesOf.get(database)?.worker({
    env: { CARILLON_HANDLERS, ...env },
    // The processes of isolated handlers inherit this memory limit. One of the handlers allocates until it is reached.
    nodeArguments: ['--max-old-space-size=128'],
  }) ?? Promise.reject(new Error('no such database'));

/** Inserts one-shots that are due now and have a single attempt; returns their ids. */
function insertDue(database: TestDatabase, names: readonly string[], more: object = {}): Promise<number[]> {
  const rule = { at: new Date().toISOString() };
  const toInput = (name: string) => ({
    rule,
    target: { type: 'handler' as const, name },
    retry: { maxAttempts: 1 },
    // On a busy machine, the process of an isolated handler takes longer to start than the default time-out.
    timeout: 'PT1M',
    ...more,
  });
  return insertSchedules(database, names.map(toInput));
}

const innocents = (database: TestDatabase) =>
  insertDue(
    database,
    Array.from({ length: INNOCENTS }, () => 'innocent'),
  );

interface Ended {
  status: string;
  errorCode: string | null;
  error: string | null;
  response: string | null;
  progress: unknown;
}

/** Waits until each of these schedules has a run that has ended. */
function allEnded(database: TestDatabase, ids: readonly number[]): Promise<Ended[]> {
  return eventually(
    async () => {
      const { rows } = await database.pool.query<Ended>(
        `select status, error_code as "errorCode", error, response, progress from carillon.runs
         where schedule_id = any($1) and status in ('succeeded', 'failed') order by schedule_id`,
        [ids],
      );
      return rows.length === ids.length ? rows : null;
    },
    { what: 'the end of all runs', withinMs: 60_000 },
  );
}

const statusesOf = async (database: TestDatabase, ids: readonly number[]) =>
  new Set((await allEnded(database, ids)).map(({ status }) => status));

describe('A bad handler', () => {
  it.each(Object.keys(harms) as (keyof typeof harms)[])(
    'if a handler breaks its worker (%s), the worker logs the handler’s name and exits with 1, and the runs of other handlers still succeed',
    async (name) => {
      const database = harms[name];
      const ids = await innocents(database);
      const [bad] = await insertDue(database, [name]);
      const worker = await start(database);
      const line = await worker.logged(
        'Unhandled error, probably in one of these handlers: this worker stops',
      );
      expect(line.handlers).toContain(name);
      await eventually(() => !worker.isRunning);
      expect(worker.child.exitCode).toBe(1);
      await start(database);
      expect(await statusesOf(database, ids)).toEqual(new Set(['succeeded']));
      const [run] = await allEnded(database, [bad as number]);
      if (name === 'exit') expect(run?.error).toContain('process.exit(0) was called');
      await processesOf.get(database)?.endAll();
    },
  );

  it('if a handler blocks the event loop of its worker for longer than a lease, the worker does not treat its own runs in flight as lost', async () => {
    await start(blocked);
    const ids = await innocents(blocked);
    const [bad] = await insertDue(blocked, ['block']);
    expect(await statusesOf(blocked, [...ids, bad as number])).toEqual(new Set(['succeeded']));
    const { rows } = await blocked.pool.query(
      `select value from carillon.metrics where name = 'carillon_drift_total' and labels = 'kind="expiredLeases"'`,
    );
    expect(rows).toEqual([]);
    await processesOf.get(blocked)?.endAll();
  });
});

describe('An isolated handler', () => {
  let isolatedWorker: TestProcess;

  it('a handler that is isolated in a process of its own gets its run, and its progress and errors are stored as for any other handler', async () => {
    isolatedWorker = await start(isolated);
    const [well] = await insertDue(isolated, ['isolated'], { payload: { n: 1 } });
    const [bad] = await insertDue(isolated, ['isolated'], { payload: { fails: true } });
    expect(await allEnded(isolated, [well, bad] as number[])).toMatchObject([
      {
        status: 'succeeded',
        progress: { payload: { n: 1 }, attempt: 1 },
        response: '{"value":{"echoed":{"n":1}}}',
      },
      { status: 'failed', errorCode: 'error', error: 'handler isolated: out of paper' },
    ]);
  });

  it('an isolated handler with a schema gets the payload as the schema transforms it, and a run whose payload does not fit the schema fails', async () => {
    const [well] = await insertDue(isolated, ['isolated-typed'], { payload: { at: '2026-11-01T00:00:00Z' } });
    const [bad] = await insertDue(isolated, ['isolated-typed'], { payload: { at: 'noon' } });
    expect(await allEnded(isolated, [well, bad] as number[])).toMatchObject([
      { status: 'succeeded', progress: { isDate: true } },
      {
        status: 'failed',
        errorCode: 'payload_invalid',
        error: expect.stringContaining('isolated-typed: at: '),
      },
    ]);
  });

  it.each(['isolated-exit', 'isolated-exhaust-memory'])(
    'if the process of an isolated handler ends (%s), only its own run fails, and the error names the handler',
    async (name) => {
      const ids = await innocents(isolated);
      const [bad] = await insertDue(isolated, [name]);
      const [run] = await allEnded(isolated, [bad as number]);
      expect(run).toMatchObject({ status: 'failed', errorCode: 'handler_crashed' });
      expect(run?.error).toContain(`the process of the handler ${name} ended`);
      expect(await statusesOf(isolated, ids)).toEqual(new Set(['succeeded']));
    },
  );

  it('if an isolated handler blocks its process for longer than a lease, its run and all other runs of the worker still succeed', async () => {
    const [blocking] = await insertDue(isolated, ['isolated-block']);
    const ids = await innocents(isolated);
    expect(await statusesOf(isolated, [...ids, blocking as number])).toEqual(new Set(['succeeded']));
  });

  it('if an isolated handler blocks for ever, its run fails at its time-out, and the process of the handler is killed', async () => {
    const name = 'isolated-block-for-ever';
    const [id] = await insertDue(isolated, [name], { timeout: 'PT1S' });
    expect(await allEnded(isolated, [id as number])).toMatchObject([{ errorCode: 'timeout' }]);
    const isEnd = (line: { msg?: string; handler?: unknown; how?: unknown }) =>
      line.msg === 'The process of an isolated handler ended' && line.handler === name;
    const end = await eventually(() => isolatedWorker.lines.find(isEnd));
    expect(end.how).toBe('SIGKILL');
  });
});
