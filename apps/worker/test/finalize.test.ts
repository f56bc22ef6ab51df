import { cancelRun, type RunChangeRequest, reportRun, rescueRuns } from '@carillon/db';
import type { Outcome } from '@carillon/shared';
import { eventually, insertSchedules, useDatabase } from '@carillon/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { joinHooks } from '../src/pipeline/run-hooks.js';
import { claimAll, insertDue, onlyOne, readRun, useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);
const SUCCEEDED: Outcome = { kind: 'succeeded' };
const FAILED: Outcome = {
  kind: 'failed',
  isTransient: false,
  errorCode: 'error',
  error: 'failed on purpose',
};
type Change = RunChangeRequest & { now: null };
const REFUSED_WRITES = 'carillon_refused_writes_total';
const LATENESS = 'carillon_lateness_seconds';

/** Inserts one-shots that are due now; returns their ids in the order in which a close changes their runs. */
async function insertMany(count: number): Promise<number[]> {
  const rule = { at: new Date().toISOString() };
  const ids = await insertSchedules(
    database,
    Array.from({ length: count }, () => ({ rule })),
  );
  return ids.toSorted((a, b) => a - b);
}

beforeEach(() => worker.context.postgres.noteAnswer());

describe('finalizer', () => {
  it('runs whose deliveries end in the same turn of the event loop are closed by one statement', async () => {
    const ids = await insertMany(3);
    const { inFlight, flights, finalizer } = await claimAll(worker.context);
    for (const flight of flights) finalizer.close(flight, SUCCEEDED);
    await finalizer.finish();
    const runs = await Promise.all(ids.map((id) => readRun(database, id)));
    expect(runs.map((run) => run?.status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(new Set(runs.map((run) => run?.finishedAt)).size).toBe(1);
    expect(inFlight.count).toBe(0);
  });

  it('if Postgres refuses to store the result of one run, the worker drops that result and closes the rest of the batch', async () => {
    const [bad, ...good] = (await insertMany(4)) as [number, ...number[]];
    const { inFlight, flights, finalizer } = await claimAll(worker.context);
    await database.pool.query(refuseToClose({ [bad]: '22000' }));
    for (const flight of flights) finalizer.close(flight, SUCCEEDED);
    await finalizer.finish();
    await database.pool.query(ALLOW_TO_CLOSE);
    expect((await readRun(database, bad))?.status).toBe('running');
    for (const id of good) expect((await readRun(database, id))?.status).toBe('succeeded');
    expect(inFlight.count).toBe(0);
    // The lease still protects the run, and a sweep takes the run back after the lease has expired.
    const { leaseMs } = worker.context;
    const rescued = await rescueRuns(database.pool, Date.now() + 2 * leaseMs);
    expect(rescued.map(({ scheduleId }) => scheduleId)).toEqual([bad]);
    await claimAll(worker.context);
  });

  it('if Postgres becomes unavailable after it has stored a part of a batch of results, the worker stores the rest later, and calls the hook of each run once', async () => {
    const [first, second, bad, last] = (await insertMany(4)) as [number, number, number, number];
    const { flights, closed, finalizer } = await claimAndListen();
    await database.pool.query(refuseToClose({ [bad]: '22000', [last]: '53000' }));
    for (const flight of flights) finalizer.close(flight, SUCCEEDED);
    await eventually(() => worker.context.postgres.isAway);
    await database.pool.query(ALLOW_TO_CLOSE);
    await finalizer.finish();
    expect(closed.toSorted((a, b) => a - b)).toEqual([first, second, last]);
    expect(worker.context.metrics.take().map(({ name }) => name)).not.toContain(REFUSED_WRITES);
    expect((await readRun(database, bad))?.status).toBe('running');
  });

  it('if Postgres becomes unavailable after it has stored the successes of a batch, the worker stores the failures later, and calls the hook of each run once', async () => {
    const [success, failure] = (await insertMany(2)) as [number, number];
    const { flights, closed, finalizer } = await claimAndListen();
    await database.pool.query(refuseToClose({ [failure]: '53000' }));
    for (const flight of flights)
      finalizer.close(flight, flight.run.scheduleId === success ? SUCCEEDED : FAILED);
    await eventually(() => worker.context.postgres.isAway);
    expect((await readRun(database, success))?.status).toBe('succeeded');
    await database.pool.query(ALLOW_TO_CLOSE);
    await finalizer.finish();
    expect(closed.toSorted((a, b) => a - b)).toEqual([success, failure]);
    expect(worker.context.metrics.take().map(({ name }) => name)).not.toContain(REFUSED_WRITES);
  });

  it('a worker keeps the results of deliveries while Postgres accepts no writes, and stores them afterwards', async () => {
    const id = await insertDue(database, {});
    const { flights, finalizer } = await claimAll(worker.context);
    await database.pool.query(refuseToClose({ [id]: '53000' }));
    finalizer.close(onlyOne(flights), SUCCEEDED);
    await eventually(() => worker.context.postgres.isAway);
    await database.pool.query(ALLOW_TO_CLOSE);
    await finalizer.finish();
    expect((await readRun(database, id))?.status).toBe('succeeded');
  });

  it('closing a run whose lease is lost is refused and counted, and calls no hook', async () => {
    const id = await insertDue(database, {});
    const { flights, closed, finalizer } = await claimAndListen();
    await database.pool.query('delete from carillon.leases');
    finalizer.close(onlyOne(flights), SUCCEEDED);
    await finalizer.finish();
    expect((await readRun(database, id))?.status).toBe('running');
    expect(closed).toEqual([]);
    expect(worker.context.metrics.take()).toContainEqual(
      expect.objectContaining({ name: REFUSED_WRITES, value: 1 }),
    );
  });

  it.each([
    ['ended by a ping', (run: Change) => reportRun(database.pool, { ...run, kind: 'fail', body: null })],
    ['cancelled', (run: Change) => cancelRun(database.pool, run)],
  ])(
    'the lateness of a run that is %s during its first attempt is counted once, by the worker that can no longer close the run',
    async (_, end) => {
      await insertDue(database, {});
      const { flights, finalizer } = await claimAndListen();
      const flight = onlyOne(flights);
      flight.sentAt = worker.context.clock.now();
      const { projectId, run } = { projectId: database.projectId, run: flight.run };
      expect(await end({ projectId, run, actor: 'test', now: null })).toMatchObject({ kind: 'changed' });
      finalizer.close(flight, SUCCEEDED);
      await finalizer.finish();
      const { rows } = await database.pool.query<{ lateness: number }>(
        'select lateness_ms as lateness from carillon.runs where schedule_id = $1',
        [run.scheduleId],
      );
      const counted = worker.context.metrics.take();
      expect(counted).toContainEqual(expect.objectContaining({ name: `${LATENESS}_count`, value: 1 }));
      const sum = counted.find(({ name }) => name === `${LATENESS}_sum`)?.value ?? 0;
      expect(rows).toEqual([{ lateness: expect.closeTo(sum * 1_000, 3) }]);
    },
  );

  it('if a sweep has taken a run back and counted its lateness, the worker that lost the run does not count the lateness again', async () => {
    await insertDue(database, {});
    const { flights, finalizer } = await claimAndListen();
    const flight = onlyOne(flights);
    flight.sentAt = worker.context.clock.now();
    const rescued = await rescueRuns(database.pool, Date.now() + 2 * worker.context.leaseMs);
    expect(rescued).toMatchObject([{ latenessMs: expect.any(Number) }]);
    finalizer.close(flight, SUCCEEDED);
    await finalizer.finish();
    expect(worker.context.metrics.take().map(({ name }) => name)).not.toContain(`${LATENESS}_count`);
  });
});

/** Claims everything that is due. `closed` gets the schedule of each run for which the hook `afterClose` is called. */
async function claimAndListen() {
  const closed: number[] = [];
  const hooks = joinHooks([
    { prefix: '', afterClose: ({ flight }) => void closed.push(flight.run.scheduleId) },
  ]);
  const claimed = await claimAll({ ...worker.context, hooks });
  worker.context.metrics.take();
  return { ...claimed, closed };
}

/** Makes Postgres refuse to close the runs of these schedules, each with an SQLSTATE. */
const refuseToClose = (sqlStates: Record<number, string>) => `
  create or replace function refuse_to_close() returns trigger language plpgsql as $$
  declare refused constant jsonb := '${JSON.stringify(sqlStates)}';
  begin
    if refused ? new.schedule_id::text then
      raise exception 'refused by the test' using errcode = refused->>new.schedule_id::text;
    end if;
    return new;
  end $$;
  create or replace trigger refuse_to_close before update on carillon.runs for each row execute function refuse_to_close()`;
const ALLOW_TO_CLOSE = 'drop trigger refuse_to_close on carillon.runs';
