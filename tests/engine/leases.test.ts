import {
  type ClaimedRun,
  cancelRun,
  extendLeases,
  findCancelled,
  handBackUnbegun,
  replayRun,
  rescueRuns,
  triggerSchedule,
} from '@carillon/db';
import { insertSchedules, registerTestWorker, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);

const T0 = Date.parse('2026-03-02T10:00:00Z');
const LEASE_MS = 15_000;

async function claimOneShot(changes: object = {}) {
  const [id] = (await insertSchedules(database, [{ rule: { at: new Date(T0).toISOString() }, ...changes }], {
    nowAt: T0,
  })) as [number];
  const [run] = (await engine.claim(T0)).filter((run) => run.scheduleId === id);
  if (!run) throw new Error('nothing was claimed');
  return { id, run };
}

const attempts = async (id: number) => {
  const { rows } = await database.pool.query(
    'select number, outcome from carillon.run_attempts where schedule_id = $1 order by number',
    [id],
  );
  return rows;
};

describe('Leases', () => {
  it('after the lease of a run has expired, the run can be claimed again, and its first attempt is recorded as unknown (invariant I3)', async () => {
    const { id } = await claimOneShot();
    expect(await rescueRuns(database.pool, T0 + LEASE_MS - 1)).toEqual([]);
    expect((await rescueRuns(database.pool, T0 + LEASE_MS + 1)).length).toBe(1);
    const [again] = await engine.claim(T0 + LEASE_MS + 2);
    expect(again).toMatchObject({ scheduleId: id, attempt: 2 });
    expect(await attempts(id)).toEqual([
      { number: 1, outcome: 'unknown' },
      { number: 2, outcome: null },
    ]);
  });

  it('a worker whose lease has expired can no longer close its run, neither before nor after the run is claimed again (invariant I2)', async () => {
    const { id, run } = await claimOneShot();
    await rescueRuns(database.pool, T0 + LEASE_MS + 1);
    expect(await engine.succeed(run, T0 + LEASE_MS + 2)).toBe(0);
    const [again] = await engine.claim(T0 + LEASE_MS + 3);
    if (!again) throw new Error('nothing was claimed');
    expect(again.epoch).toBeGreaterThan(run.epoch);
    expect(await engine.succeed(run, T0 + LEASE_MS + 4)).toBe(0);
    expect(await engine.succeed(again, T0 + LEASE_MS + 5)).toBe(1);
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'succeeded', attempt: 2 }]);
  });

  it('a lease that was extended in time does not expire, and the extension returns only the leases that the worker still holds', async () => {
    const { run } = await claimOneShot();
    const epochs = [run.epoch, 999_999];
    const options = { ...(await engine.holder()), epochs, leaseMs: LEASE_MS, now: T0 + 10_000 };
    expect(await extendLeases(database.pool, options)).toEqual([run.epoch]);
    expect(await rescueRuns(database.pool, T0 + LEASE_MS + 1)).toEqual([]);
    await engine.succeed(run, T0 + LEASE_MS + 2);
  });

  it('a run on its last attempt fails for good when its lease expires', async () => {
    const { id } = await claimOneShot({ retry: { maxAttempts: 1 } });
    expect(await rescueRuns(database.pool, T0 + LEASE_MS + 1)).toMatchObject([{ hasFailed: true }]);
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'failed', outcome: 'unknown' }]);
  });

  it('a run whose worker was lost during the first attempt keeps the lateness of that attempt after a retry', async () => {
    const { id, run } = await claimOneShot({ rule: { at: new Date(T0 - 7_000).toISOString() } });
    expect(run.hasBegun).toBe(false);
    expect(await rescueRuns(database.pool, T0 + LEASE_MS + 1)).toMatchObject([{ latenessMs: 7_000 }]);
    const [again] = await engine.claim(T0 + LEASE_MS + 2);
    if (!again) throw new Error('nothing was claimed');
    expect(again.hasBegun).toBe(true);
    await engine.closeAll(
      [{ run: again, outcome: { kind: 'succeeded' }, sentAt: T0 + LEASE_MS + 2 }],
      T0 + LEASE_MS + 3,
    );
    const { rows } = await database.pool.query(
      'select lateness_ms from carillon.runs where schedule_id = $1',
      [id],
    );
    expect(rows).toEqual([{ lateness_ms: 7_000 }]);
  });

  it('a run cancelled during its first attempt has the lateness of its claim; a run cancelled before any attempt has no lateness', async () => {
    const { id, run } = await claimOneShot({ rule: { at: new Date(T0 - 7_000).toISOString() } });
    const [waitingId] = (await insertSchedules(database, [{ rule: { cron: '0 0 1 1 *' } }])) as [number];
    await triggerSchedule(database.pool, { ref: { id: waitingId }, actor: 'test', now: T0 - 7_000 });
    const [waiting] = await engine.runsOf(waitingId);
    if (!waiting) throw new Error('nothing is waiting');
    for (const { scheduleId, occurrenceAt, origin } of [run, { ...waiting, scheduleId: waitingId }])
      await cancelRun(database.pool, {
        projectId: database.projectId,
        run: { scheduleId, occurrenceAt, origin: origin as 'rule' },
        actor: 'test',
        now: T0 + 1_000,
      });
    const { rows } = await database.pool.query(
      'select schedule_id, status, lateness_ms from carillon.runs where schedule_id in ($1, $2) order by schedule_id',
      [id, waitingId],
    );
    expect(rows).toEqual([
      { schedule_id: id, status: 'cancelled', lateness_ms: 7_000 },
      { schedule_id: waitingId, status: 'cancelled', lateness_ms: null },
    ]);
  });

  it('if five sweeps run at once, only one of them takes back the run of an expired lease', async () => {
    await claimOneShot();
    const rescued = await Promise.all(
      Array.from({ length: 5 }, () => rescueRuns(database.pool, T0 + LEASE_MS + 1)),
    );
    expect(rescued.flat().length).toBe(1);
  });

  it('a lease is deleted once its runs are closed', async () => {
    const { run } = await claimOneShot();
    await engine.succeed(run, T0 + 1);
    const { rows } = await database.pool.query('select * from carillon.leases where epoch = $1', [run.epoch]);
    expect(rows).toEqual([]);
  });

  it('a worker can read which of its runs in flight were cancelled', async () => {
    const { run } = await claimOneShot();
    expect(await findCancelled(database.pool, [run.epoch])).toEqual([]);
    expect(await cancelRun(database.pool, { projectId: run.projectId, run, actor: 'test' })).toMatchObject({
      kind: 'changed',
    });
    expect(await findCancelled(database.pool, [run.epoch])).toMatchObject([{ scheduleId: run.scheduleId }]);
  });
});

const LOST_AT = T0 + LEASE_MS + 1;

/** Gives the attempt of a run back: its worker says that the attempt had not begun. */
const tryToHandBack = async (run: ClaimedRun, now: number, holder: object = {}) =>
  handBackUnbegun(database.pool, { ...(await engine.holder()), ...holder, unbegun: [run], now });
const handBack = async (...of: Parameters<typeof tryToHandBack>) => (await tryToHandBack(...of)).runs;

/** Claims everything that is due, and returns the runs of one schedule. */
const claimOf = async (id: number, now: number) =>
  (await engine.claim(now)).filter(({ scheduleId }) => scheduleId === id);

describe('Attempts that had not begun when their worker was lost', () => {
  it('a run that failed because its worker was lost is tried again if the worker comes back and says that the attempt had not begun', async () => {
    const { id, run } = await claimOneShot({ retry: { maxAttempts: 1 } });
    expect(await rescueRuns(database.pool, LOST_AT)).toMatchObject([{ hasFailed: true }]);
    expect(await handBack(run, LOST_AT + 1)).toBe(1);
    const [again] = (await claimOf(id, LOST_AT + 2)) as [ClaimedRun];
    expect(again).toMatchObject({ attempt: 2, freeAttempts: 1, hasBegun: false });
    // The lost attempt does not count, so this one is the first and only attempt that `maxAttempts` allows.
    await engine.fail(again, LOST_AT + 3);
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'failed', outcome: 'failed' }]);
    expect(await attempts(id)).toEqual([
      { number: 1, outcome: 'handed_back' },
      { number: 2, outcome: 'failed' },
    ]);
  });

  it('if a lost worker comes back and says that its attempt had not begun, the attempt does not count, and a second report changes nothing', async () => {
    const { id, run } = await claimOneShot({ retry: { maxAttempts: 2 } });
    await rescueRuns(database.pool, LOST_AT);
    expect(await handBack(run, LOST_AT + 1)).toBe(1);
    expect(await handBack(run, LOST_AT + 2)).toBe(0);
    expect(await claimOf(id, LOST_AT + 3)).toMatchObject([{ attempt: 2, freeAttempts: 1 }]);
  });

  it('under the overlap policy queue, a failed run whose attempt never began is queued by the hand-back while another run of its schedule is open', async () => {
    const { id, run } = await claimOneShot({ retry: { maxAttempts: 1 }, overlap: 'queue' });
    await rescueRuns(database.pool, LOST_AT);
    await triggerSchedule(database.pool, { ref: { id }, actor: 'test', now: LOST_AT });
    const [triggered] = (await claimOf(id, LOST_AT + 1)) as [ClaimedRun];
    expect(triggered).toMatchObject({ origin: 'trigger' });
    expect(await handBack(run, LOST_AT + 2)).toBe(1);
    expect(await claimOf(id, LOST_AT + 3)).toEqual([]);
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'queued' }, { status: 'running' }]);
  });

  it.each<[string, (lost: { id: number; run: ClaimedRun }) => Promise<unknown>]>([
    ['was claimed again', () => engine.claim(LOST_AT + 1)],
    [
      'was claimed again and lost again',
      async () => {
        await engine.claim(LOST_AT + 1);
        await rescueRuns(database.pool, LOST_AT + 1 + LEASE_MS + 1);
      },
    ],
    [
      'was cancelled',
      ({ run }) => cancelRun(database.pool, { projectId: database.projectId, run, actor: 'test' }),
    ],
  ])(
    'a run that %s after its lease expired does not change when the first worker comes back and says that its attempt had not begun',
    async (_what, change) => {
      const lost = await claimOneShot({ retry: { maxAttempts: 3 } });
      await rescueRuns(database.pool, LOST_AT);
      await change(lost);
      const before = await engine.runsOf(lost.id);
      expect(await handBack(lost.run, LOST_AT + 2)).toBe(0);
      expect(await engine.runsOf(lost.id)).toEqual(before);
    },
  );

  it('if a person replays a run after its lease expired, the later hand-back of the lost attempt by its worker changes nothing', async () => {
    const { id, run } = await claimOneShot({ retry: { maxAttempts: 1 } });
    await rescueRuns(database.pool, LOST_AT);
    await replayRun(database.pool, { projectId: database.projectId, run, actor: 'test' });
    const before = await engine.runsOf(id);
    expect(await handBack(run, LOST_AT + 2)).toBe(0);
    expect(await engine.runsOf(id)).toEqual(before);
  });

  it.each(['runs', 'schedules'])(
    'if another transaction has locked the row in %s, a worker that comes back cannot yet hand back an attempt that it never began, but can at its next try',
    async (table) => {
      const { id, run } = await claimOneShot({ retry: { maxAttempts: 1 } });
      await rescueRuns(database.pool, LOST_AT);
      const client = await database.pool.connect();
      await client.query('begin');
      const column = table === 'runs' ? 'schedule_id' : 'id';
      await client.query(`select from carillon.${table} where ${column} = $1 for update`, [id]);
      expect(await tryToHandBack(run, LOST_AT + 1)).toEqual({ runs: 0, left: [run] });
      await client.query('rollback');
      client.release();
      expect(await tryToHandBack(run, LOST_AT + 2)).toEqual({ runs: 1, left: [] });
    },
  );

  it('after the SQL function cancel was called, a worker that lost its lease cannot hand back its attempt, even if no worker has processed the call yet', async () => {
    const key = 'cancelled-by-sql';
    const { id, run } = await claimOneShot({ id: key, retry: { maxAttempts: 1 } });
    await rescueRuns(database.pool, LOST_AT);
    await database.pool.query('select carillon.cancel($1)', [key]);
    expect(await tryToHandBack(run, LOST_AT + 1)).toEqual({ runs: 0, left: [] });
    expect(await claimOf(id, LOST_AT + 2)).toEqual([]);
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'failed', outcome: 'unknown' }]);
  });

  it.each([
    ['cancel', 'stays failed', 0],
    ['queue', 'is tried again', 1],
  ] as const)(
    'with the overlap policy %s, a run that failed because its worker was lost %s if the worker comes back and says that the attempt had not begun, but a later run of the schedule has started meanwhile',
    async (overlap, _what, runs) => {
      const schedule = { rule: { cron: '* * * * *' }, overlap, retry: { maxAttempts: 1 } };
      const [id] = (await insertSchedules(database, [schedule], { nowAt: T0 })) as [number];
      const [run] = (await claimOf(id, T0 + 60_000)) as [ClaimedRun];
      await rescueRuns(database.pool, T0 + 60_000 + LEASE_MS + 1);
      expect(await claimOf(id, T0 + 120_000)).toHaveLength(1);
      expect(await tryToHandBack(run, T0 + 120_001)).toEqual({ runs, left: [] });
    },
  );

  it.each([
    ['another worker', async () => registerTestWorker(database)],
    ['a process with another token', async () => ({ token: '00000000-0000-4000-8000-000000000000' })],
    ['a worker that started before a restore', async () => ({ generation: -1 })],
  ])('%s cannot hand back an attempt that was claimed with another fencing token', async (_who, holder) => {
    const { id, run } = await claimOneShot({ retry: { maxAttempts: 1 } });
    await rescueRuns(database.pool, LOST_AT);
    expect(await handBack(run, LOST_AT + 1, await holder())).toBe(0);
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'failed', outcome: 'unknown' }]);
  });
});
