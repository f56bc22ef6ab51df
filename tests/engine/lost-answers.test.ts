import { EventEmitter, once } from 'node:events';
import {
  type Claimant,
  claimDue,
  closeRuns,
  extendLeases,
  handBackUnknownLeases,
  inTransaction,
  openDatabase,
} from '@carillon/db';
import {
  eventually,
  insertSchedules,
  registerTestWorker,
  TcpProxy,
  useDatabase,
  useEngine,
} from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { succeededRun } from './closed-run.js';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-05-01T10:00:00Z');
let worker: Claimant;

beforeAll(async () => {
  worker = await registerTestWorker(database);
});

/** Commits a claim whose answer the worker never sees; returns the id of its schedule. */
async function claimAndLoseTheAnswer(holder: Claimant, now: number): Promise<number> {
  const [id] = await insertSchedules(database, [{ rule: { at: new Date(now - 1).toISOString() } }], {
    nowAt: now - 2,
  });
  const { runs } = await claimDue(database.pool, { ...holder, leaseMs: 15_000, limit: 10, fairTo: [], now });
  expect(runs).toHaveLength(1);
  return id as number;
}

describe('A claim whose answer was lost', () => {
  it('if a claim was committed but its response never reached the worker, the worker releases the claimed run, and the attempt does not count', async () => {
    const id = await claimAndLoseTheAnswer(worker, T0);
    const given = await handBackUnknownLeases(database.pool, { ...worker, epochs: [], now: T0 + 3_000 });
    expect(given).toEqual({ runs: 1, areMoreLikely: false });
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'retrying', outcome: 'handed_back' }]);

    const [again] = await engine.claim(T0 + 3_001);
    expect(again).toMatchObject({ scheduleId: id, attempt: 2, freeAttempts: 1 });
    if (again) await engine.succeed(again, T0 + 3_002);
  });

  it('a worker does not release an unknown lease younger than two seconds, because the response to its claim may still arrive', async () => {
    const id = await claimAndLoseTheAnswer(worker, T0 + 10_000);
    const given = await handBackUnknownLeases(database.pool, { ...worker, epochs: [], now: T0 + 11_000 });
    expect(given).toEqual({ runs: 0, areMoreLikely: true });
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'running' }]);
    await handBackUnknownLeases(database.pool, { ...worker, epochs: [], now: T0 + 13_000 });
  });

  it('a worker that releases its unknown leases keeps the leases that it knows from a claim, and does not touch the leases of other workers', async () => {
    const other = await registerTestWorker(database);
    const id = await claimAndLoseTheAnswer(other, T0 + 20_000);
    const { rows } = await database.pool.query<{ epoch: number }>('select epoch from carillon.leases');
    const epochs = rows.map(({ epoch }) => epoch);
    const later = T0 + 25_000;
    expect(await handBackUnknownLeases(database.pool, { ...other, epochs, now: later })).toMatchObject({
      runs: 0,
    });
    expect(await handBackUnknownLeases(database.pool, { ...worker, epochs: [], now: later })).toMatchObject({
      runs: 0,
    });
    expect(await engine.runsOf(id)).toMatchObject([{ status: 'running' }]);
    expect(await extendLeases(database.pool, { ...other, epochs, leaseMs: 1_000, now: later })).toEqual(
      epochs,
    );
  });
});

describe('A close whose answer was lost', () => {
  let proxy: TcpProxy;
  let pool: ReturnType<typeof openDatabase>;
  beforeAll(async () => {
    proxy = await TcpProxy.before(database.url);
    pool = openDatabase({
      url: proxy.url(database.url),
      max: 2,
      applicationName: 'carillon-proxied',
      onError: () => {},
    });
  });
  afterAll(async () => {
    await pool?.end();
    await proxy?.close();
  });

  it('a worker that repeats a close whose response was lost learns that it has closed the runs itself', async () => {
    const rule = { at: new Date(T0 + 30_000).toISOString() };
    const ids = await insertSchedules(database, [{ rule }, { rule }, { rule }], { nowAt: T0 });
    const options = { ...(await engine.holder()), now: T0 + 30_001 };
    const runs = (await engine.claim(options.now)).filter(({ scheduleId }) => ids.includes(scheduleId));
    expect(runs).toHaveLength(3);
    const closed = runs.map(succeededRun);

    proxy.ambush({ bytes: Buffer.from('commit\0'), isDelivered: true, times: 1 });
    await expect(closeRuns(pool, closed, options)).rejects.toThrow();
    await eventually(async () => (await engine.runsOf(ids[0] as number))[0]?.status === 'succeeded');

    expect(await closeRuns(pool, closed, options)).toEqual(closed);
  });
});

describe('A worker that freezes in mid-claim', () => {
  it('Postgres ends the transaction of a frozen claim, and another worker claims the schedule that the transaction had locked', async () => {
    const frozen = openDatabase({
      url: database.url,
      max: 1,
      applicationName: 'carillon-frozen',
      transactionTimeoutMs: 300,
      onError: () => {},
    });
    const [id] = await insertSchedules(database, [{ rule: { at: new Date().toISOString() } }]);
    const locked = new EventEmitter();
    const claimed = new EventEmitter();
    const [isLocked, isClaimed] = [once(locked, 'done'), once(claimed, 'done')];
    const freezing = inTransaction(frozen, async (tx) => {
      await tx.query('select from carillon.agenda where schedule_id = $1 for update', [id]);
      // The frozen transaction waits until another worker has claimed the schedule, and then sends its next statement.
      locked.emit('done');
      await isClaimed;
      await tx.query('delete from carillon.agenda where schedule_id = $1', [id]);
    });
    const frozenEnds = expect(freezing).rejects.toThrow();
    await isLocked;
    const run = await eventually(async () =>
      (await engine.claim(Date.now())).find(({ scheduleId }) => scheduleId === id),
    );
    claimed.emit('done');
    expect(run.attempt).toBe(1);
    await frozenEnds;
    await engine.succeed(run, Date.now());
    await frozen.end();
  });
});
