import { type Claimant, type ClaimedRun, claimDue, claimWaiting, closeRuns } from '@carillon/db';
import { insertSchedules, registerTestWorker, useDatabase } from '@carillon/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { deferredRun } from './closed-run.js';

const database = useDatabase();
let workers: Claimant[];
let worker: Claimant;
beforeAll(async () => {
  workers = await Promise.all(Array.from({ length: 10 }, () => registerTestWorker(database)));
  worker = workers[0] as Claimant;
});

const claimBy = (holder: Claimant, limit = 100) =>
  claimDue(database.pool, { ...holder, leaseMs: 5_000, limit, fairTo: [], now: null });

const dueAgo = (ms: number) => ({ rule: { at: new Date(Date.now() - ms).toISOString() } });
const idsOf = ({ runs }: { runs: readonly ClaimedRun[] }) => runs.map((run) => run.scheduleId);

/** Puts the runs back to wait; returns how many of them the worker still held. */
async function defer(holder: Claimant, runs: readonly ClaimedRun[]): Promise<number> {
  return (await closeRuns(database.pool, runs.map(deferredRun), { ...holder, now: null })).length;
}

/** Runs `work` while another transaction holds locks on agenda rows. Afterwards that transaction rolls back. */
async function whileLocked(
  ids: readonly number[],
  strength: 'update' | 'share',
  work: () => Promise<void>,
): Promise<void> {
  const client = await database.pool.connect();
  await client.query('begin');
  await client.query(`select from carillon.agenda where schedule_id = any($1) for ${strength}`, [ids]);
  await work();
  await client.query('rollback');
  client.release();
}

describe('Claims that race', () => {
  it('when ten workers race for one due schedule, one claims it and nine claim nothing (invariant I2)', async () => {
    await insertSchedules(database, [dueAgo(1_000)]);
    const claims = await Promise.all(workers.map((holder) => claimBy(holder)));
    expect(claims.map((claim) => claim.runs.length).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it('eight workers that race for 2,000 occurrences due at the same instant claim each of them exactly once (invariant I2)', async () => {
    const { rule } = dueAgo(1_000);
    const ids = await insertSchedules(
      database,
      Array.from({ length: 2_000 }, () => ({ rule })),
    );
    const claimed: number[] = [];
    const claimAll = async (holder: Claimant) => {
      for (;;) {
        const { runs } = await claimBy(holder, 50);
        if (runs.length === 0) return;
        claimed.push(...runs.map((run) => run.scheduleId));
      }
    };

    await Promise.all(workers.slice(0, 8).map(claimAll));

    // A worker stops at its first empty claim. That claim may be empty because another worker has locked the remaining
    // rows, so one more pass claims the rest.
    await claimAll(worker);
    expect(claimed.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });

  it('a claim first takes the schedules that were due first, even if other transactions have locked and released them before', async () => {
    const ids = await insertSchedules(database, [dueAgo(3_000), dueAgo(2_000), dueAgo(1_000)]);
    const [lockedOnce, lockedTwice] = [ids.slice(0, 1), ids.slice(1, 2)];
    await whileLocked(lockedOnce, 'update', async () => {});
    // Two share locks at the same time leave a multixact in the row instead of a transaction id.
    await whileLocked(lockedTwice, 'share', () => whileLocked(lockedTwice, 'share', async () => {}));

    expect(idsOf(await claimBy(worker, 2))).toEqual(ids.slice(0, 2));
    expect(idsOf(await claimBy(worker))).toEqual(ids.slice(2));
  });

  it('a due schedule that was locked and released again can be claimed, even while an older transaction is still open', async () => {
    const ids = await insertSchedules(database, [dueAgo(2_000), dueAgo(1_000)]);
    const [elsewhere] = await insertSchedules(database, [dueAgo(-60_000)]);

    await whileLocked([elsewhere as number], 'update', async () => {
      await whileLocked(ids.slice(0, 1), 'update', async () => {});
      expect(idsOf(await claimBy(worker))).toEqual(ids);
    });
  });

  it('a claim skips due schedules that another transaction has locked, and takes the other due schedules', async () => {
    const ids = await insertSchedules(database, [dueAgo(2_000), dueAgo(1_000)]);

    await whileLocked(ids.slice(0, 1), 'update', async () => {
      expect(idsOf(await claimBy(worker))).toEqual(ids.slice(1));
    });
    expect(idsOf(await claimBy(worker))).toEqual(ids.slice(0, 1));
  });

  it('if eight workers claim 1,500 waiting runs and put them back again and again, no two workers ever hold the same run', async () => {
    await database.pool.query('truncate carillon.runs, carillon.leases');
    const { rule } = dueAgo(1_000);
    await insertSchedules(
      database,
      Array.from({ length: 1_500 }, () => ({ rule })),
    );
    await defer(worker, (await claimBy(worker, 1_500)).runs);
    let claimedTwice = 0;
    const claimAndDefer = async (holder: Claimant) => {
      for (let round = 0; round < 40; round++) {
        const options = { ...holder, leaseMs: 60_000, limit: 50 + 5 * round, now: null };
        const { runs } = await claimWaiting(database.pool, options);
        // If another worker has claimed the run meanwhile, this worker can no longer defer it.
        claimedTwice += runs.length - (await defer(holder, runs));
      }
    };

    await Promise.all(workers.slice(0, 8).map(claimAndDefer));

    expect(claimedTwice).toBe(0);
    const { rows } = await database.pool.query(
      `select count(*) as waiting from carillon.runs where status = 'retrying' and attempt = 0`,
    );
    expect(rows).toEqual([{ waiting: 1_500 }]);
  });
});
