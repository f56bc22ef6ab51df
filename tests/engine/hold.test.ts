import { migrate, openDatabase, readInstallationState } from '@carillon/db';
import { ADMIN_KEY, eventually, insertSchedules, useDatabase, useProcesses } from '@carillon/testkit';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { previewRestore, restore } from '../../packages/carillon/src/restore/restore.js';
import { usePrograms } from '../use-programs.js';
import { useRedis } from './use-redis.js';
import { useWorkers } from './use-workers.js';

const database = useDatabase();
const programs = usePrograms(database);
const processes = useProcesses(database);
const redis = useRedis(database);
// Vitest runs these hooks in reverse order, so the workers end before the hold is released.
afterEach(async () => void (await release('by-policy')));
const startWorker = useWorkers(programs);
const start = (env: Record<string, string> = {}) => startWorker({ env });
const release = (mode: 'account' | 'refire' | 'by-policy', isAdopted = false) =>
  restore(database.pool, { kind: 'release', mode, isAdopted, untilAt: null });
const hold = async () => (await readInstallationState(database.pool)).hold;
const seeHold = (code: string) =>
  eventually(async () => (await hold())?.code === code, { withinMs: 20_000, what: code });
/**
 * Waits until Redis has the mark of the current generation. The mark is the latest heartbeat of a worker that Postgres
 * has committed.
 */
const seeMark = async () => {
  const { id, generation } = await readInstallationState(database.pool);
  await eventually(
    async () => {
      const text = await redis.client.get(`${database.prefix}:carillon-mark:${id}`);
      return text !== null && JSON.parse(text).generation === generation;
    },
    { what: 'the mark in Redis' },
  );
};

/** Fires a one-shot and waits for its success: proof that workers claim. */
async function seeFire(pool = database.pool): Promise<void> {
  const rule = { at: new Date(Date.now() + 100).toISOString() };
  const [id] = await insertSchedules({ ...database, pool }, [{ rule }]);
  await eventually(
    async () =>
      (await pool.query(`select from carillon.runs where schedule_id = $1 and status = 'succeeded'`, [id]))
        .rowCount === 1,
    { withinMs: 20_000, what: 'a fire' },
  );
}

/** The steps that the ledger shows for the only occurrence of a schedule. */
async function storyOf({ url }: { url: string }, scheduleId: number): Promise<object[]> {
  const { rows } = await database.pool.query('select key from carillon.schedules where id = $1', [
    scheduleId,
  ]);
  const response = await fetch(`${url}/v1/schedules/${rows[0].key}/ledger`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  const { items } = (await response.json()) as { items: { story: object[] }[] };
  expect(items).toHaveLength(1);
  return items[0]?.story ?? [];
}

/**
 * Waits while the newest worker sends four heartbeats. In that time a worker that is not held would sweep several
 * times. Then checks that no worker has claimed this overdue schedule.
 */
async function seeNoClaim(scheduleId: number | undefined, pool = database.pool): Promise<void> {
  const beats = async () =>
    (await pool.query('select beats from carillon.workers order by id desc limit 1')).rows[0].beats;
  const from = await beats();
  await eventually(async () => (await beats()) >= from + 4, { what: 'four heartbeats' });
  expect((await pool.query('select from carillon.runs where schedule_id = $1', [scheduleId])).rowCount).toBe(
    0,
  );
}

/** Sets the heartbeat counts of the workers back, as the restore of an older backup would. */
const loseHeartbeats = () => database.pool.query('update carillon.workers set beats = 0');

describe('Starts, outages and failovers without lost transactions', () => {
  it('workers claim at once after a first start, a restart after SIGTERM and a restart after SIGKILL', async () => {
    const first = await start();
    await seeMark();
    await first.end();
    const second = await processes.worker();
    await seeFire();
    await second.end('SIGKILL');
    await start();
    await seeFire();
    expect(await hold()).toBeNull();
  });

  it('workers keep claiming after Redis was emptied, both while a worker runs and before one starts', async () => {
    const worker = await start();
    await seeMark();
    await redis.empty();
    await seeMark();
    await seeFire();
    await worker.end();
    await redis.empty();
    await start();
    await seeFire();
    expect(await hold()).toBeNull();
  });

  it('workers claim at once if they start while Redis is unreachable or without Redis', async () => {
    const away = await start({ REDIS_URL: 'redis://127.0.0.1:1' });
    await seeFire();
    await away.end();
    await start({ REDIS_URL: 'none' });
    await seeFire();
    expect(await hold()).toBeNull();
  });

  it('after a failover without lost transactions, workers claim at once, because Postgres still has the heartbeat that Redis remembers', async () => {
    const worker = await start();
    await seeMark();
    await worker.end();
    await database.pool.query(
      `update carillon.installation set home = home || '{"timeline": 999, "systemIdentifier": "999"}'`,
    );
    await start();
    await seeFire();
    const { home } = await readInstallationState(database.pool);
    expect(home?.systemIdentifier).not.toBe('999');
    expect(await hold()).toBeNull();
  });
});

describe('Lost transactions', () => {
  it('if Postgres has lost the latest heartbeats of a worker, workers claim nothing until an operator decides, and the ledger shows the decision', async () => {
    const api = await programs.api();
    const worker = await start();
    await seeMark();
    const { generation } = await readInstallationState(database.pool);
    await loseHeartbeats();
    await seeHold('transactions_lost');
    const line = await eventually(() =>
      worker.lines.find(({ msg }) => msg?.startsWith('Postgres has lost transactions')),
    );
    expect(line).toMatchObject({ level: 50, code: 'transactions_lost' });
    expect(line.msg).toContain('carillon restore --dry-run');

    const ready = await eventually(async () => {
      const answer = (await (await fetch(`${api.url}/health/ready`)).json()) as {
        reasons: { code: string }[];
      };
      return answer.reasons.some(({ code }) => code === 'transactions_lost') && answer;
    });
    expect(ready).toMatchObject({ status: 'degraded' });

    // The API still takes schedules. They fire after the decision.
    const rule = { at: new Date(Date.now() - 1).toISOString() };
    const [id] = await insertSchedules(database, [{ rule }]);
    const preview = await previewRestore(database.pool, { modes: ['refire'], untilAt: null });
    expect(preview).toMatchObject({ state: { hold: { code: 'transactions_lost' } }, schedules: 1 });
    expect(preview.decisions).toMatchObject([{ mode: 'refire', run: 1, skipped: 0 }]);
    await seeNoClaim(id);

    expect(await release('refire')).toMatchObject({ ok: true });
    await eventually(
      async () =>
        (
          await database.pool.query(
            `select from carillon.runs where schedule_id = $1 and status = 'succeeded'`,
            [id],
          )
        ).rowCount === 1,
    );
    expect((await readInstallationState(database.pool)).generation).toBe(generation + 1);
    expect(await storyOf(api, id as number)).toContainEqual(
      expect.objectContaining({ kind: 'restored', actor: 'carillon restore' }),
    );
    await seeFire();
    await seeMark();
    expect(await hold()).toBeNull();
    await api.end();
  });

  it('a worker that starts after a restore notices that Postgres lacks the heartbeat that Redis remembers, and claims nothing until an operator decides', async () => {
    const worker = await start();
    await seeMark();
    await worker.end();
    await loseHeartbeats();
    const rule = { at: new Date(Date.now() - 1).toISOString() };
    const [id] = await insertSchedules(database, [{ rule }]);
    const next = await start();
    expect(await hold()).toMatchObject({ code: 'transactions_lost' });
    await next.end();
    // The hold is stored in Postgres, so a worker that starts without Redis claims nothing either.
    await start({ REDIS_URL: 'none' });
    await seeNoClaim(id);
    expect(await release('account')).toMatchObject({ ok: true });
    await eventually(
      async () =>
        (
          await database.pool.query(
            `select from carillon.runs where schedule_id = $1 and status = 'skipped' and reason_code = 'restored'`,
            [id],
          )
        ).rowCount === 1,
    );
  });

  it('an API that starts after a restore notices that Postgres lacks the heartbeat that Redis remembers, and stops all claims until an operator decides', async () => {
    const worker = await start();
    await seeMark();
    await worker.end();
    await loseHeartbeats();
    const api = await programs.api();
    expect(await hold()).toMatchObject({ code: 'transactions_lost' });
    const [overdue] = await insertSchedules(database, [{ rule: { at: new Date().toISOString() } }]);
    await start();
    await seeNoClaim(overdue);
    await api.end();
  });

  it('an id of a schedule that Postgres has lost in a restore is not issued again', async () => {
    const worker = await start();
    await seeMark();
    await worker.end();
    const rule = { every: 'P1D' };
    const [lost = 0] = await insertSchedules(database, [{ rule }]);
    // The restored backup is from the time before this schedule was created.
    await database.pool.query('delete from carillon.schedules where id = $1', [lost]);
    await database.pool.query(`select setval(pg_get_serial_sequence('carillon.schedules', 'id'), $1)`, [
      lost - 1,
    ]);
    await loseHeartbeats();
    await start();
    expect(await hold()).toMatchObject({ code: 'transactions_lost' });
    const [next] = await insertSchedules(database, [{ rule }]);
    expect(next).toBeGreaterThan(lost);
  });
});

describe('A copy of the database', () => {
  it('workers of a copied database fire nothing until an operator adopts the copy as an installation of its own, which gets a new id', async () => {
    const worker = await start();
    await seeMark();
    await worker.end();
    // No worker runs, so the occurrence is still overdue when the operator decides.
    const rule = { at: new Date().toISOString() };
    const [overdue] = await insertSchedules(database, [{ rule }]);
    const name = `${database.prefix}_copy`;
    const url = Object.assign(new URL(database.url), { pathname: `/${name}` }).toString();
    await copyDatabase(name);
    const pool = openDatabase({ url, max: 3, applicationName: 'copy', onError: () => {} });
    onTestFinished(async () => {
      await pool.end();
      await database.pool.query(`drop database ${name} with (force)`);
    });
    await migrate(url);
    const { id: original } = await readInstallationState(pool);
    const copied = await pool.query('select clock_timestamp()::text as at');
    // With another prefix, the copy's workers find no mark of this installation in Redis.
    const copy = await start({ DATABASE_URL: url, REDIS_PREFIX: name });
    expect((await readInstallationState(pool)).hold).toMatchObject({ code: 'database_copied' });
    await copy.logged(
      'This database looks like a copy of another installation: workers claim nothing. If it should fire, run `carillon restore --adopt`.',
    );
    expect(
      await restore(pool, { kind: 'release', mode: 'refire', isAdopted: false, untilAt: null }),
    ).toMatchObject({
      ok: false,
      message: expect.stringContaining('--adopt'),
    });
    await seeNoClaim(overdue, pool);
    expect(
      (await pool.query('select from carillon.runs where claimed_at > $1', [copied.rows[0].at])).rowCount,
    ).toBe(0);
    await restore(pool, { kind: 'release', mode: 'account', isAdopted: true, untilAt: null });
    await seeFire(pool);
    expect((await readInstallationState(pool)).id).not.toBe(original);
    expect((await readInstallationState(pool)).hold).toBeNull();
    // The overdue occurrence belongs to the original. The copy has recorded it as skipped and not run it.
    const { rows } = await pool.query(
      'select status, reason_code as "reasonCode" from carillon.runs where schedule_id = $1',
      [overdue],
    );
    expect(rows).toEqual([{ status: 'skipped', reasonCode: 'restored' }]);
    await copy.end();
    await start({ DATABASE_URL: url, REDIS_PREFIX: name });
    await seeFire(pool);
  });

  it('if an operator stops all claims before the workers start, the workers claim nothing until the operator releases them', async () => {
    expect(await restore(database.pool, { kind: 'hold' })).toMatchObject({ ok: true });
    const [overdue] = await insertSchedules(database, [{ rule: { at: new Date().toISOString() } }]);
    await start();
    expect(await hold()).toMatchObject({ code: 'held_by_operator' });
    await seeNoClaim(overdue);
    expect(await release('by-policy')).toMatchObject({ ok: true });
    await seeFire();
  });
});

/** Copies the database within the server. Postgres allows it only while no other session uses the original. */
async function copyDatabase(name: string): Promise<void> {
  const original = new URL(database.url).pathname.slice(1);
  const admin = openDatabase({
    url: Object.assign(new URL(database.url), { pathname: '/postgres' }).toString(),
    max: 1,
    applicationName: 'copy',
    onError: () => {},
  });
  try {
    await eventually(async () => {
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        original,
      ]);
      return admin.query(`create database ${name} template ${original}`).then(
        () => true,
        () => false,
      );
    });
  } finally {
    await admin.end();
  }
}
