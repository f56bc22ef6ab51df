import { type ClaimedRun, claimDue, closeRuns, openDatabase, promoteQueued, toClosedRun } from '@carillon/db';
import { eventually, insertSchedules, useDatabase } from '@carillon/testkit';
import type { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepLeases } from '../src/loops/keep-leases.js';
import { Finalizer } from '../src/pipeline/finalize.js';
import { InFlight } from '../src/pipeline/in-flight.js';
import { useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);

/**
 * Inserts one-shots that are due now. Because of their overlap policy, the engine counts their open runs before it
 * starts another one.
 */
async function insertCounted(count: number): Promise<number[]> {
  const at = new Date().toISOString();
  return insertSchedules(
    database,
    Array.from({ length: count }, () => ({ rule: { at }, overlap: 'queue' as const })),
  );
}

/** Queues another run of each schedule behind the run that is in flight. */
const queueAnother = (ids: readonly number[]) =>
  database.pool.query(
    `insert into carillon.runs (schedule_id, occurrence_at, origin, month, project_id, version, handler, status, due_at,
                                recorded_at, happened_at, next_attempt_at)
     select schedule_id, occurrence_at + interval '1 s', 'trigger', month, project_id, version, handler, 'queued', due_at,
            recorded_at, happened_at, 'infinity'
     from carillon.runs where schedule_id = any($1)`,
    [ids],
  );

/** Inserts schedules whose run has ended while another one is queued behind it. */
async function insertWithQueue(count: number): Promise<number[]> {
  const ids = await insertCounted(count);
  const { runs } = await claim(database.pool, count);
  await queueAnother(ids);
  expect(
    await closeRuns(database.pool, runs.map(succeeded), { ...worker.context.holder, now: null }),
  ).toHaveLength(count);
  return ids;
}

const succeeded = (run: ClaimedRun) =>
  toClosedRun(
    run,
    { kind: 'succeeded' },
    { nowAt: 0, durationMs: 1, latenessMs: 1, random: 0, receiptOf: () => null },
  );

/** The schedules whose queued run may start. */
async function promotedOf(ids: readonly number[]): Promise<number[]> {
  const { rows } = await database.pool.query<{ id: number }>(
    `select schedule_id as id from carillon.runs where schedule_id = any($1) and next_attempt_at < 'infinity' order by 1`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

/** Returns a function that counts the statements which the pool sends during some work. */
function statementCounter(pool: Pool): (work: () => Promise<void>) => Promise<number> {
  let statements = 0;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const count = (...args: unknown[]) => {
      statements++;
      return query(...args);
    };
    Object.assign(client, { query: count });
  });
  return async (work) => {
    statements = 0;
    await work();
    return statements;
  };
}

const claim = (pool: Pool, limit: number) =>
  claimDue(pool, { ...worker.context.holder, leaseMs: 60_000, limit, maxBytes: 1e9, fairTo: [], now: null });

function openSmallPool(max: number) {
  const pool = openDatabase({ url: database.url, max, applicationName: 'carillon-test', onError: () => {} });
  onTestFinished(() => pool.end());
  return pool;
}

describe('counted runs', () => {
  it('a claim of 50 schedules with the overlap policy queue sends as many statements as a claim of 5', async () => {
    await insertCounted(55);
    const pool = openSmallPool(1);
    const countStatements = statementCounter(pool);
    const statementsOfClaim = (limit: number) =>
      countStatements(async () => expect((await claim(pool, limit)).runs).toHaveLength(limit));
    expect(await statementsOfClaim(5)).toBe(await statementsOfClaim(50));
  });

  it('letting queued runs start takes as many statements for 50 schedules as for 5 schedules', async () => {
    const ids = await insertWithQueue(55);
    const pool = openSmallPool(1);
    const countStatements = statementCounter(pool);
    const statementsOfPromotion = (some: readonly number[]) =>
      countStatements(async () => expect(await promoteQueued(pool, some, null)).toBe(some.length));
    expect(await statementsOfPromotion(ids.slice(0, 5))).toBe(await statementsOfPromotion(ids.slice(5)));
  });

  it('while another transaction locks one of several schedules, the queued runs of the others may start, and the others do not stay locked', async () => {
    const ids = await insertWithQueue(3);
    const [first, locked, last] = ids as [number, number, number];
    const other = await database.pool.connect();
    await other.query('begin');
    await other.query('select from carillon.schedules where id = $1 for update', [locked]);
    const promotion = promoteQueued(database.pool, ids, null);
    await eventually(async () => (await promotedOf(ids)).length === 2);
    expect(await promotedOf(ids)).toEqual([first, last]);
    await database.pool.query('select from carillon.schedules where id = any($1) for update nowait', [
      [first, last],
    ]);
    await other.query('commit');
    other.release();
    expect(await promotion).toBe(3);
    expect(await promotedOf(ids)).toEqual(ids);
  });

  it('a schedule whose definition cannot be read does not keep the queued runs of other schedules from starting', async () => {
    const ids = await insertWithQueue(3);
    const [first, unreadable, last] = ids as [number, number, number];
    await database.pool.query(`update carillon.schedules set plan = '{' where id = $1`, [unreadable]);
    expect(await promoteQueued(database.pool, ids, null)).toBe(2);
    expect(await promotedOf(ids)).toEqual([first, last]);
  });

  it('after the commit of a cancel by SQL, no queued run of the schedule may start, even if no worker has carried the cancel out yet', async () => {
    const ids = await insertWithQueue(2);
    const [active, cancelled] = ids as [number, number];
    await database.pool.query('select carillon.cancel(key) from carillon.schedules where id = $1', [
      cancelled,
    ]);
    expect(await promoteQueued(database.pool, ids, null)).toBe(1);
    expect(await promotedOf(ids)).toEqual([active]);
  });

  it('when the queued runs of many schedules may start, the queued run of a paused schedule still waits', async () => {
    const ids = await insertWithQueue(2);
    const [active, paused] = ids as [number, number];
    // A one-shot that has fired can't be paused. So the test sets the columns that the pause of a recurring schedule
    // sets.
    await database.pool.query(
      `update carillon.schedules set status = 'paused', paused_at = now(), paused_by = 'ops' where id = $1`,
      [paused],
    );
    expect(await promoteQueued(database.pool, ids, null)).toBe(1);
    expect(await promotedOf(ids)).toEqual([active]);
  });

  it('when 500 runs end together and a queued run follows each, only a few statements wait for a connection, so leases are still extended', async () => {
    const ids = await insertCounted(500);
    const pool = openSmallPool(2);
    const inFlight = new InFlight({ places: 1_000, bytes: 1e9 }, () => {});
    const flights = inFlight.add((await claim(database.pool, 500)).runs);
    expect(flights).toHaveLength(500);
    await queueAnother(ids);
    const context = { ...worker.context, pool, leasePool: pool };
    let mostWaiting = 0;
    pool.on('release', () => {
      mostWaiting = Math.max(mostWaiting, pool.waitingCount);
    });
    const finalizer = new Finalizer(context, inFlight);
    for (const flight of flights.slice(1)) finalizer.close(flight, { kind: 'succeeded' });
    let isFinished = false;
    const finished = finalizer.finish().then(() => {
      isFinished = true;
    });
    let extensions = 0;
    for (; !isFinished; extensions++) await keepLeases(context, inFlight);
    await finished;
    expect(extensions).toBeGreaterThan(1);
    expect(inFlight.count).toBe(1);
    expect(mostWaiting).toBeLessThan(10);
    const { rows } = await database.pool.query(
      `select count(*)::int as n from carillon.runs where schedule_id = any($1) and origin = 'trigger' and next_attempt_at <= now()`,
      [ids],
    );
    expect(rows).toEqual([{ n: 499 }]);
  });
});
