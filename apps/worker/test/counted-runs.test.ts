import { claimDue, openDatabase } from '@carillon/db';
import { insertSchedules, useDatabase } from '@carillon/testkit';
import type { Pool } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keepLeases } from '../src/loops/keep-leases.js';
import { Finalizer } from '../src/pipeline/finalize.js';
import { InFlight } from '../src/pipeline/in-flight.js';
import { useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);

/** Inserts one-shots that are due now. Their overlap policy makes their schedules counted. */
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

const claim = (pool: Pool, limit: number) =>
  claimDue(pool, { ...worker.context.holder, leaseMs: 60_000, limit, maxBytes: 1e9, fairTo: [], now: null });

function openSmallPool(max: number) {
  const pool = openDatabase({ url: database.url, max, applicationName: 'carillon-test', onError: () => {} });
  onTestFinished(() => pool.end());
  return pool;
}

describe('counted runs', () => {
  it('a claim of 50 counted schedules sends as many statements as a claim of 5', async () => {
    await insertCounted(55);
    const pool = openSmallPool(1);
    let statements = 0;
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      const count = (...args: unknown[]) => {
        statements++;
        return query(...args);
      };
      Object.assign(client, { query: count });
    });
    const statementsOfClaim = async (limit: number) => {
      statements = 0;
      expect((await claim(pool, limit)).runs).toHaveLength(limit);
      return statements;
    };
    expect(await statementsOfClaim(5)).toBe(await statementsOfClaim(50));
  });

  it('when 500 counted runs end together, a lease extension waits for a few statements and not for all their follow-ups', async () => {
    const ids = await insertCounted(500);
    const pool = openSmallPool(2);
    const inFlight = new InFlight({ places: 1_000, bytes: 1e9 }, () => {});
    const flights = inFlight.add((await claim(database.pool, 500)).runs);
    expect(flights).toHaveLength(500);
    await queueAnother(ids);
    const context = { ...worker.context, pool };
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
