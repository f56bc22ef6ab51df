import { cancelRun, claimDue, rescueRuns } from '@carillon/db';
import { useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { LateHandBack } from '../src/loops/hand-back-late.js';
import { keepLeases } from '../src/loops/keep-leases.js';
import { InFlight } from '../src/pipeline/in-flight.js';
import { insertDue, onlyOne, readRun, useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);

/** Claims the run of a schedule that is due now. */
async function claimOne(input: Parameters<typeof insertDue>[1] = {}) {
  const scheduleId = await insertDue(database, input);
  const { pool, holder, leaseMs } = worker.context;
  const { runs } = await claimDue(pool, {
    ...holder,
    leaseMs,
    limit: 10,
    maxBytes: 1e9,
    fairTo: [],
    now: null,
  });
  return { scheduleId, runs };
}

/** Claims a run and adds it to the runs in flight. */
async function startFlight(input?: Parameters<typeof insertDue>[1]) {
  const { scheduleId, runs } = await claimOne(input);
  const inFlight = new InFlight({ places: 10, bytes: 1e9 }, () => {});
  return { scheduleId, inFlight, flight: onlyOne(inFlight.add(runs)) };
}

const heldUntil = async (epoch: number): Promise<number> => {
  const { rows } = await database.pool.query('select held_until from carillon.leases where epoch = $1', [
    epoch,
  ]);
  return rows[0].held_until;
};

/** Changes the time of every claim to now plus an interval. */
const moveClaims = (by: string) =>
  database.pool.query('update carillon.leases set claimed_at = now() + $1::interval', [by]);

describe('lease keeper', () => {
  it('a worker extends the lease of a run in flight', async () => {
    const { inFlight, flight } = await startFlight();
    const { epoch } = flight.run;
    await database.pool.query(
      `update carillon.leases set held_until = held_until - interval '30 seconds' where epoch = $1`,
      [epoch],
    );
    const before = await heldUntil(epoch);
    await keepLeases(worker.context, inFlight);
    expect(await heldUntil(epoch)).toBeGreaterThan(before);
    expect(flight.aborted).toBe(false);
  });

  it('a worker extends its leases while other work holds every connection of its pool', async () => {
    const { inFlight, flight } = await startFlight();
    const { epoch } = flight.run;
    const before = await heldUntil(epoch);
    const { pool } = worker.context;
    const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
    await keepLeases(worker.context, inFlight).finally(() => {
      for (const client of taken) client.release();
    });
    expect(await heldUntil(epoch)).toBeGreaterThan(before);
  });

  it('a delivery whose lease was lost is aborted and no longer counts as in flight', async () => {
    const { inFlight, flight } = await startFlight();
    await database.pool.query('delete from carillon.leases where epoch = $1', [flight.run.epoch]);
    await keepLeases(worker.context, inFlight);
    expect(flight.reason).toBe('lease_lost');
    expect(inFlight.count).toBe(0);
  });

  it.each([
    {
      what: 'is tried again if its delivery had not begun',
      isBegun: false,
      status: 'retrying',
    },
    { what: 'has failed if its delivery had begun', isBegun: true, status: 'failed' },
  ])(
    'if a worker comes back after its lease was lost, a run with a single attempt $what',
    async ({ isBegun, status }) => {
      const { scheduleId, inFlight, flight } = await startFlight({ retry: { maxAttempts: 1 } });
      if (isBegun) flight.begin(Date.now());
      await rescueRuns(database.pool, Date.now() + 2 * worker.context.leaseMs);
      expect(await readRun(database, scheduleId)).toMatchObject({ status: 'failed', outcome: 'unknown' });
      await keepLeases(worker.context, inFlight);
      await new LateHandBack(worker.context, inFlight).run();
      expect(await readRun(database, scheduleId)).toMatchObject({ status, freeAttempts: isBegun ? 0 : 1 });
    },
  );

  it('while another transaction has locked all runs, a worker that lost one lease still extends its other leases and aborts cancelled runs', async () => {
    const { inFlight, flight } = await startFlight();
    const lost = await startFlight({ retry: { maxAttempts: 1 } });
    await database.pool.query('delete from carillon.leases where epoch = $1', [lost.flight.run.epoch]);
    inFlight.add([lost.flight.run]);
    await cancelRun(database.pool, { projectId: database.projectId, run: flight.run, actor: 'test' });
    const before = await heldUntil(flight.run.epoch);
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await client.query('lock table carillon.runs in exclusive mode');
      await keepLeases(worker.context, inFlight);
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect(await heldUntil(flight.run.epoch)).toBeGreaterThan(before);
    expect(flight.reason).toBe('cancelled');
    expect(inFlight.lostUnbegun).toEqual([lost.flight.run]);
  });

  it('if a worker cannot hand back an attempt that it never began, because another transaction has locked the run, the worker hands it back at the next try', async () => {
    const { scheduleId, inFlight } = await startFlight({ retry: { maxAttempts: 1 } });
    await rescueRuns(database.pool, Date.now() + 2 * worker.context.leaseMs);
    await keepLeases(worker.context, inFlight);
    const late = new LateHandBack(worker.context, inFlight);
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await client.query('select from carillon.runs where schedule_id = $1 for update', [scheduleId]);
      await late.run();
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect(await readRun(database, scheduleId)).toMatchObject({ status: 'failed', freeAttempts: 0 });
    await late.run();
    expect(await readRun(database, scheduleId)).toMatchObject({ status: 'retrying', freeAttempts: 1 });
    expect(inFlight.lostUnbegun).toEqual([]);
  });

  it('a delivery whose run was cancelled is aborted, and stays in flight until it has ended', async () => {
    const { inFlight, flight } = await startFlight();
    await cancelRun(database.pool, { projectId: database.projectId, run: flight.run, actor: 'test' });
    await keepLeases(worker.context, inFlight);
    expect(flight.reason).toBe('cancelled');
    expect(inFlight.count).toBe(1);
  });

  it('if a claim is committed but the response of Postgres to it is lost, the worker hands the claimed runs back to Postgres, but only when the claim is too old for a late response', async () => {
    const { scheduleId } = await claimOne();
    const inFlight = new InFlight({ places: 10, bytes: 1e9 }, () => {});
    inFlight.hasLostAnswer = true;
    // The answer to such a recent claim may still arrive, so the worker does not hand the run back yet.
    await moveClaims('1 minute');
    await keepLeases(worker.context, inFlight);
    expect((await readRun(database, scheduleId))?.status).toBe('running');
    expect(inFlight.hasLostAnswer).toBe(true);
    await moveClaims('-1 minute');
    await keepLeases(worker.context, inFlight);
    expect(await readRun(database, scheduleId)).toMatchObject({ status: 'retrying', outcome: 'handed_back' });
    expect(inFlight.hasLostAnswer).toBe(false);
  });
});
