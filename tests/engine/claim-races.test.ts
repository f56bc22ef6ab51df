import { type ClaimedRun, claimDue, claimWaiting, closeRuns, registerWorker } from '@carillon/db';
import { insertSchedules, useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();

const claimBy = (workerId: number, limit = 100) =>
  claimDue(database.pool, { workerId, leaseMs: 5_000, limit, fairTo: [], now: null });

const dueAgo = (ms: number) => ({ rule: { at: new Date(Date.now() - ms).toISOString() } });
const idsOf = ({ runs }: { runs: readonly ClaimedRun[] }) => runs.map((run) => run.scheduleId);

/** Does something while a transaction has locked these, which then rolls back. */
async function whileLocked(
  ids: readonly number[],
  strength: 'update' | 'share',
  work: () => Promise<void>,
): Promise<void> {
  const client = await database.pool.connect();
  await client.query('begin');
  await client.query(`select from schedules where id = any($1) for ${strength}`, [ids]);
  await work();
  await client.query('rollback');
  client.release();
}

describe('Claims', () => {
  it('ten workers race for one due row: one claim, nine empty', async () => {
    await insertSchedules(database, [{ rule: { at: new Date(Date.now() - 1_000).toISOString() } }]);
    const workers = await Promise.all(
      Array.from({ length: 10 }, (_, pid) => registerWorker(database.pool, { host: 'test', pid })),
    );

    const claims = await Promise.all(workers.map((id) => claimBy(id)));

    expect(claims.map((claim) => claim.runs.length).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it('many workers share a herd, and every occurrence is claimed exactly once', async () => {
    const at = new Date(Date.now() - 1_000).toISOString();
    const ids = await insertSchedules(
      database,
      Array.from({ length: 2_000 }, () => ({ rule: { at } })),
    );
    const claimed: number[] = [];
    const workThrough = async (workerId: number) => {
      for (;;) {
        const { runs } = await claimBy(workerId, 50);
        if (runs.length === 0) return;
        claimed.push(...runs.map((run) => run.scheduleId));
      }
    };

    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(workThrough));

    // A worker stops at the first empty look, which a neighbour's locks may cause: one more pass for what is left.
    await workThrough(1);
    expect(claimed.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });

  it('take what others have locked and let go again, oldest first', async () => {
    const ids = await insertSchedules(database, [dueAgo(3_000), dueAgo(2_000), dueAgo(1_000)]);
    const [byOne, byTwo] = [ids.slice(0, 1), ids.slice(1, 2)];
    await whileLocked(byOne, 'update', async () => {});
    // Two at once leave a mark that is not the number of a transaction.
    await whileLocked(byTwo, 'share', () => whileLocked(byTwo, 'share', async () => {}));

    expect(idsOf(await claimBy(1, 2))).toEqual(ids.slice(0, 2));
    expect(idsOf(await claimBy(1))).toEqual(ids.slice(2));
  });

  it('take it also while something that began before that goes on', async () => {
    const ids = await insertSchedules(database, [dueAgo(2_000), dueAgo(1_000)]);
    const [elsewhere] = await insertSchedules(database, [
      { rule: { at: new Date(Date.now() + 60_000).toISOString() } },
    ]);

    await whileLocked([elsewhere as number], 'update', async () => {
      await whileLocked(ids.slice(0, 1), 'update', async () => {});
      expect(idsOf(await claimBy(1))).toEqual(ids);
    });
  });

  it('pass over what is locked, and take the rest', async () => {
    const ids = await insertSchedules(database, [dueAgo(2_000), dueAgo(1_000)]);

    await whileLocked(ids.slice(0, 1), 'update', async () => {
      expect(idsOf(await claimBy(1))).toEqual(ids.slice(1));
    });
    expect(idsOf(await claimBy(1))).toEqual(ids.slice(0, 1));
  });

  it('many workers claim what is put off again and again, each time one of them, and Postgres lives', async () => {
    const at = new Date(Date.now() - 1_000).toISOString();
    await insertSchedules(
      database,
      Array.from({ length: 1_500 }, () => ({ rule: { at } })),
    );
    await putOff((await claimBy(1, 1_500)).runs);
    let double = 0;
    const workThrough = async (workerId: number) => {
      for (let round = 0; round < 40; round++) {
        const options = { workerId, leaseMs: 60_000, limit: 50 + 5 * round, now: null };
        const { runs } = await claimWaiting(database.pool, options);
        // What somebody else has claimed as well is no longer ours to put off.
        double += runs.length - (await putOff(runs));
      }
    };

    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(workThrough));

    expect(double).toBe(0);
    const { rows } = await database.pool.query(
      `select count(*)::int as waiting from runs where status = 'retrying' and attempt = 0`,
    );
    expect(rows).toEqual([{ waiting: 1_500 }]);
  });

  it('leave a run that waits to whoever has its schedule locked, be it only for now', async () => {
    await database.pool.query('truncate runs, leases');
    const [workerId, [id]] = await Promise.all([
      registerWorker(database.pool, { host: 'test', pid: 1 }),
      insertSchedules(database, [{ rule: { every: 'PT1H' } }], { nowAt: Date.now() - 3_600_000 }),
    ]);
    await putOff((await claimBy(workerId)).runs);
    const claimAgain = async () =>
      idsOf(await claimWaiting(database.pool, { workerId, leaseMs: 5_000, limit: 10, now: null }));
    await whileLocked([id as number], 'update', async () => {
      expect(await claimAgain()).toEqual([]);
    });
    expect(await claimAgain()).toEqual([id]);
  });
});

const putOff = (runs: readonly ClaimedRun[]) =>
  closeRuns(
    database.pool,
    runs.map((run) => ({
      ...run,
      ...{
        status: 'retrying',
        outcome: null,
        errorCode: 'busy',
        error: 'put off',
        retryInMs: 0,
        durationMs: 0,
      },
      ...{ httpStatus: null, response: null, externalId: null },
    })),
    { doneEpochs: [...new Set(runs.map(({ epoch }) => epoch))], now: null },
  );
