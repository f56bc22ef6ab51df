import { cancelRun, extendLeases, findCancelled, rescueRuns } from '@carillon/db';
import { encodeRunId } from '@carillon/shared';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);

const T0 = Date.parse('2026-03-02T10:00:00Z');
const LEASE = 15_000;

async function claimOneShot(changes: object = {}) {
  const [id] = (await insertSchedules(database, [{ rule: { at: new Date(T0).toISOString() }, ...changes }], {
    nowAt: T0,
  })) as [number];
  const [run] = (await engine.claim(T0)).filter((run) => run.scheduleId === id);
  if (!run) throw new Error('not claimed');
  return { id, run };
}

const attempts = async (id: number) => {
  const { rows } = await database.pool.query(
    'select number, outcome from run_attempts where schedule_id = $1 order by number',
    [id],
  );
  return rows;
};

describe('A lease', () => {
  it('that ran out gives its runs back, the attempt being closed as unknown (I3)', async () => {
    const { id } = await claimOneShot();
    expect(await rescueRuns(database.pool, T0 + LEASE - 1)).toEqual([]);
    expect((await rescueRuns(database.pool, T0 + LEASE + 1)).map(encodeRunId).length).toBe(1);
    const [again] = await engine.claim(T0 + LEASE + 2);
    expect(again).toMatchObject({ scheduleId: id, attempt: 2 });
    expect(await attempts(id)).toEqual([
      { number: 1, outcome: 'unknown' },
      { number: 2, outcome: null },
    ]);
  });

  it('refuses the late writer of an old epoch (I2)', async () => {
    const { id, run } = await claimOneShot();
    await rescueRuns(database.pool, T0 + LEASE + 1);
    expect(await engine.succeed(run, T0 + LEASE + 2)).toBe(0);
    const [again] = await engine.claim(T0 + LEASE + 3);
    if (!again) throw new Error('not claimed');
    expect(again.epoch).toBeGreaterThan(run.epoch);
    expect(await engine.succeed(run, T0 + LEASE + 4)).toBe(0);
    expect(await engine.succeed(again, T0 + LEASE + 5)).toBe(1);
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'succeeded', attempt: 2 }]);
  });

  it('that was extended is not rescued', async () => {
    const { run } = await claimOneShot();
    const options = { workerId: 1, epochs: [run.epoch, 999_999], leaseMs: LEASE, now: T0 + 10_000 };
    expect(await extendLeases(database.pool, options)).toEqual([run.epoch]);
    expect(await rescueRuns(database.pool, T0 + LEASE + 1)).toEqual([]);
    await engine.succeed(run, T0 + LEASE + 2);
  });

  it('of a run with no attempts left ends it as failed, a dead letter', async () => {
    const { id } = await claimOneShot({ retry: { maxAttempts: 1 } });
    expect(await rescueRuns(database.pool, T0 + LEASE + 1)).toMatchObject([{ failed: true }]);
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'failed', outcome: 'unknown' }]);
  });

  it('is rescued by one of many sweepers', async () => {
    await claimOneShot();
    const rescued = await Promise.all(
      Array.from({ length: 5 }, () => rescueRuns(database.pool, T0 + LEASE + 1)),
    );
    expect(rescued.flat().length).toBe(1);
  });

  it('is gone once its runs are closed', async () => {
    const { run } = await claimOneShot();
    await engine.succeed(run, T0 + 1);
    const { rows } = await database.pool.query('select * from leases where epoch = $1', [run.epoch]);
    expect(rows).toEqual([]);
  });

  it('shows its holder which of the runs were cancelled meanwhile', async () => {
    const { run } = await claimOneShot();
    expect(await findCancelled(database.pool, [run.epoch])).toEqual([]);
    expect(await cancelRun(database.pool, { projectId: run.projectId, run, actor: 'test' })).toMatchObject({
      kind: 'changed',
    });
    expect(await findCancelled(database.pool, [run.epoch])).toMatchObject([{ scheduleId: run.scheduleId }]);
  });
});
