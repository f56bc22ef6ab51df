import type { Outcome } from '@carillon/shared';
import { eventually, insertSchedules, useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { joinHooks } from '../src/pipeline/run-hooks.js';
import { claimAll, insertDue, onlyOne, readRun, useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);
const SUCCEEDED: Outcome = { kind: 'succeeded' };

const insertMany = (count: number) =>
  insertSchedules(
    database,
    Array.from({ length: count }, () => ({ rule: { at: new Date().toISOString() } })),
  );

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
    await database.pool.query(refuseToClose(bad, '22000'));
    for (const flight of flights) finalizer.close(flight, SUCCEEDED);
    await finalizer.finish();
    await database.pool.query(ALLOW_TO_CLOSE);
    expect((await readRun(database, bad))?.status).toBe('running');
    for (const id of good) expect((await readRun(database, id))?.status).toBe('succeeded');
    expect(inFlight.count).toBe(0);
  });

  it('a worker keeps the results of deliveries while Postgres accepts no writes, and stores them afterwards', async () => {
    const id = await insertDue(database, {});
    const { flights, finalizer } = await claimAll(worker.context);
    await database.pool.query(refuseToClose(id, '53000'));
    finalizer.close(onlyOne(flights), SUCCEEDED);
    await eventually(() => worker.messages.some((message) => message.startsWith('Postgres is away')));
    await database.pool.query(ALLOW_TO_CLOSE);
    await finalizer.finish();
    expect((await readRun(database, id))?.status).toBe('succeeded');
  });

  it('a close of a run whose lease is lost is refused and counted, and calls no hook', async () => {
    const id = await insertDue(database, {});
    const closed: string[] = [];
    const hooks = joinHooks([
      { prefix: '', afterClose: ({ flight }) => void closed.push(flight.run.scheduleKey) },
    ]);
    const { flights, finalizer } = await claimAll({ ...worker.context, hooks });
    worker.context.metrics.take();
    await database.pool.query('delete from carillon.leases');
    finalizer.close(onlyOne(flights), SUCCEEDED);
    await finalizer.finish();
    expect((await readRun(database, id))?.status).toBe('running');
    expect(closed).toEqual([]);
    expect(worker.context.metrics.take()).toContainEqual(
      expect.objectContaining({ name: 'carillon_refused_writes_total', value: 1 }),
    );
  });
});

/** Makes Postgres refuse, with an SQLSTATE, to close the runs of one schedule. */
const refuseToClose = (scheduleId: number, sqlState: string) => `
  create or replace function refuse_to_close() returns trigger language plpgsql as $$ begin
    if new.schedule_id = ${scheduleId} then raise exception 'refused by the test' using errcode = '${sqlState}'; end if;
    return new;
  end $$;
  create or replace trigger refuse_to_close before update on carillon.runs for each row execute function refuse_to_close()`;
const ALLOW_TO_CLOSE = 'drop trigger refuse_to_close on carillon.runs';
