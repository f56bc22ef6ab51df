import { randomUUID } from 'node:crypto';
import {
  type Claimant,
  type ClaimedRun,
  cancelRun,
  claimDue,
  claimWaiting,
  closeRuns,
  extendLeases,
  readRun,
  reportRun,
  rescueRuns,
  StaleGeneration,
  writeProgress,
} from '@carillon/db';
import { insertSchedules, registerTestWorker, useDatabase, useEngine } from '@carillon/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimOneShots } from './claim-one-shots.js';
import { succeededRun } from './closed-run.js';

const database = useDatabase();
const engine = useEngine(database);
const { projectId } = database;

const T0 = Date.parse('2026-03-02T10:00:00Z');
const LEASE_MS = 15_000;

let holder: Claimant;
beforeEach(async () => {
  holder = await engine.holder();
});

const { claim, claimOne, claimTwo } = claimOneShots({ database, engine, nowAt: T0 });

const close = (run: ClaimedRun, by: Claimant) =>
  closeRuns(database.pool, [succeededRun(run)], { ...by, now: T0 + 1 });
const statusOf = async (run: ClaimedRun) => (await readRun(database.pool, projectId, run))?.status;
const progressOf = async (run: ClaimedRun) => (await readRun(database.pool, projectId, run))?.progress;
const extend = (epoch: number, by: Claimant) =>
  extendLeases(database.pool, { ...by, epochs: [epoch], leaseMs: 2 * LEASE_MS, now: T0 });
const hasLease = async (epoch: number) =>
  (await database.pool.query('select from carillon.leases where epoch = $1', [epoch])).rowCount === 1;

/**
 * Claimants that know the number (epoch) of a lease but do not hold the lease, because another part of their fencing
 * token is wrong.
 */
const STRANGERS: [string, () => Claimant][] = [
  ['another token', () => ({ ...holder, token: randomUUID() })],
  ['another worker id', () => ({ ...holder, workerId: holder.workerId + 1_000 })],
  ['another generation', () => ({ ...holder, generation: holder.generation + 1 })],
];

describe('Fencing token', () => {
  it.each(STRANGERS)(
    'a process that knows the number (epoch) of a lease but has %s than its holder cannot close a run of the lease',
    async (_, stranger) => {
      const run = await claimOne();
      expect(await close(run, stranger())).toEqual([]);
      expect(await statusOf(run)).toBe('running');
      expect(await hasLease(run.epoch)).toBe(true);
      expect(await close(run, holder)).toHaveLength(1);
      expect(await statusOf(run)).toBe('succeeded');
    },
  );

  it.each(STRANGERS)(
    'a process that knows the number (epoch) of a lease but has %s than its holder cannot extend the lease',
    async (_, stranger) => {
      const run = await claimOne();
      expect(await extend(run.epoch, stranger())).toEqual([]);
      expect(await rescueRuns(database.pool, T0 + LEASE_MS + 1)).toHaveLength(1);
      await engine.succeed((await engine.claim(T0 + LEASE_MS + 2))[0] as ClaimedRun, T0 + LEASE_MS + 2);
    },
  );

  it.each(STRANGERS)(
    'a process that knows the number (epoch) of a lease but has %s than its holder cannot write the progress of a run of the lease',
    async (_, stranger) => {
      const run = await claimOne();
      await writeProgress(database.pool, stranger(), run, '"stranger"');
      expect(await progressOf(run)).toBeNull();
      await writeProgress(database.pool, holder, run, '"holder"');
      expect(await progressOf(run)).toBe('holder');
      await close(run, holder);
    },
  );
});

describe('Epoch', () => {
  it('after a run was claimed again, the earlier claim can neither close it nor write its progress, even if another run keeps the earlier lease alive', async () => {
    const [run, other] = await claimTwo();
    // The other run keeps the first lease alive.
    await engine.fail(run, T0 + 1);
    expect(await hasLease(run.epoch)).toBe(true);
    const [again] = await engine.claim(T0 + 60_000);
    if (!again) throw new Error('the retry was not claimed');
    expect(again).toMatchObject({ scheduleId: run.scheduleId, attempt: 2 });
    expect(again.epoch).toBeGreaterThan(run.epoch);

    expect(await close(run, holder)).toEqual([]);
    await writeProgress(database.pool, holder, run, '"late"');

    expect(await statusOf(run)).toBe('running');
    expect(await progressOf(run)).toBeNull();
    expect(await close(again, holder)).toHaveLength(1);
    await close(other, holder);
  });

  it('a lease that was deleted cannot be extended', async () => {
    const run = await claimOne();
    await close(run, holder);
    expect(await extend(run.epoch, holder)).toEqual([]);
  });
});

describe('Status', () => {
  it('a worker can neither close a run that was cancelled in flight nor write its progress, although it still holds the lease of the run', async () => {
    const [run, other] = await claimTwo();
    await writeProgress(database.pool, holder, run, '"before"');
    await cancelRun(database.pool, { projectId, run, actor: 'ops', now: T0 + 1 });
    expect(await hasLease(run.epoch)).toBe(true);

    expect(await close(run, holder)).toEqual([]);
    await writeProgress(database.pool, holder, run, '"late"');

    expect(await statusOf(run)).toBe('cancelled');
    expect(await progressOf(run)).toBe('before');
    await close(other, holder);
  });

  it('a run that its job has reported as succeeded during the delivery is not closed by the worker, even if the delivery succeeds too', async () => {
    const [run, other] = await claimTwo();
    await reportRun(database.pool, { projectId, run, kind: 'success', body: null, now: T0 + 1 });
    expect(await statusOf(run)).toBe('succeeded');
    expect(await close(run, holder)).toEqual([]);
    await close(other, holder);
  });

  it('while a run waits for its retry, the worker whose attempt failed can neither close the run nor write its progress', async () => {
    const [run, other] = await claimTwo();
    await engine.fail(run, T0 + 1);
    expect(await close(run, holder)).toEqual([]);
    expect(await statusOf(run)).toBe('retrying');
    await writeProgress(database.pool, holder, run, '"late"');
    expect(await progressOf(run)).toBeNull();
    await cancelRun(database.pool, { projectId, run, actor: 'ops', now: T0 + 2 });
    await close(other, holder);
  });

  it('closing a batch of runs, one of which was cancelled before, closes and returns only the other runs', async () => {
    const runs = await claim(3);
    const [, second] = runs as [ClaimedRun, ClaimedRun, ClaimedRun];
    await cancelRun(database.pool, { projectId, run: second, actor: 'ops', now: T0 + 1 });
    const options = { ...holder, now: T0 + 2 };
    const closed = await closeRuns(database.pool, runs.map(succeededRun), options);
    expect(closed.map(({ scheduleId }) => scheduleId)).toEqual(
      runs.filter((run) => run !== second).map(({ scheduleId }) => scheduleId),
    );
    // The lease still counts the cancelled run. The worker no longer extends the lease, so it expires, and then the
    // rescue deletes it.
    expect(await hasLease(second.epoch)).toBe(true);
    expect(await rescueRuns(database.pool, T0 + LEASE_MS + 1)).toEqual([]);
    expect(await hasLease(second.epoch)).toBe(false);
  });
});

describe('Leases', () => {
  it('a lease is kept as long as one of its runs is running', async () => {
    const [run, other] = await claimTwo();
    expect(await close(run, holder)).toHaveLength(1);
    expect(await hasLease(run.epoch)).toBe(true);
    // The lease still protects the other run: it can be extended, and the run is rescued after it has expired.
    expect(await extend(run.epoch, holder)).toEqual([run.epoch]);
    expect(await rescueRuns(database.pool, T0 + LEASE_MS + 1)).toEqual([]);
    expect(await rescueRuns(database.pool, T0 + 2 * LEASE_MS + 1)).toMatchObject([
      { scheduleId: other.scheduleId },
    ]);
    const [again] = await engine.claim(T0 + 2 * LEASE_MS + 2);
    await engine.succeed(again as ClaimedRun, T0 + 2 * LEASE_MS + 3);
  });

  it('a lease is deleted when the last of its runs is closed', async () => {
    const [run, other] = await claimTwo();
    await close(run, holder);
    expect(await hasLease(run.epoch)).toBe(true);
    await close(other, holder);
    expect(await hasLease(run.epoch)).toBe(false);
  });
});

describe('Generation', () => {
  const setGeneration = (generation: number) =>
    database.pool.query('update carillon.installation set generation = $1', [generation]);
  afterEach(() => setGeneration(holder.generation));

  const everything = async () => {
    const tables = ['agenda', 'runs', 'leases', 'attempts', 'gaps'];
    const rows = await Promise.all(
      tables.map((table) =>
        database.pool.query(`select t::text as row, t.xmin::text from carillon.${table} t order by 1`),
      ),
    );
    return rows.map(({ rows }) => rows);
  };
  const options = () => ({ ...holder, leaseMs: LEASE_MS, limit: 100, fairTo: [], now: T0 + 3_600_000 });

  it('a worker that started before a restore or failover of the database cannot claim due schedules: the claim throws StaleGeneration and changes nothing', async () => {
    const ids = await insertSchedules(
      database,
      // A recurring schedule, a one-shot that finishes, and a schedule with missed occurrences to record.
      [
        { rule: { every: 'PT1H' } },
        { rule: { at: new Date(T0).toISOString() } },
        { rule: { every: 'PT10M' } },
      ],
      { nowAt: T0 },
    );
    await setGeneration(holder.generation + 1);
    const before = await everything();

    await expect(claimDue(database.pool, options())).rejects.toThrow(StaleGeneration);

    expect(await everything()).toEqual(before);
    // A worker that registers in the new generation claims all three schedules.
    const { runs } = await claimDue(database.pool, { ...options(), ...(await registerTestWorker(database)) });
    expect(runs.map(({ scheduleId }) => scheduleId).sort()).toEqual(ids.sort());
    await database.pool.query('truncate carillon.runs, carillon.leases, carillon.agenda');
  });

  it('a worker that started before a restore or failover of the database cannot claim a due one-shot: the claim throws StaleGeneration and changes nothing', async () => {
    await insertSchedules(database, [{ rule: { at: new Date(T0).toISOString() } }], { nowAt: T0 });
    await setGeneration(holder.generation + 1);
    const before = await everything();

    await expect(claimDue(database.pool, options())).rejects.toThrow(StaleGeneration);

    expect(await everything()).toEqual(before);
    await database.pool.query('truncate carillon.agenda');
  });

  it('a worker that started before a restore or failover of the database cannot claim waiting runs: the claim throws StaleGeneration and changes nothing', async () => {
    const run = await claimOne();
    await engine.fail(run, T0 + 1);
    await setGeneration(holder.generation + 1);
    const before = await everything();

    await expect(claimWaiting(database.pool, options())).rejects.toThrow(StaleGeneration);

    expect(await everything()).toEqual(before);
    const { runs } = await claimWaiting(database.pool, {
      ...options(),
      ...(await registerTestWorker(database)),
    });
    expect(runs).toMatchObject([{ scheduleId: run.scheduleId, attempt: 2 }]);
  });
});

it('after a failover that resets the sequence of epochs (lease numbers), a claim still gets a higher epoch than earlier claims', async () => {
  const before = await claimOne();
  await database.pool.query(`select setval('carillon.leases_epoch_seq', 1, false)`);
  const after = await claimOne();
  expect(after.epoch).toBeGreaterThan(before.epoch);
});
