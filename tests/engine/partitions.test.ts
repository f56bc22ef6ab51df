import {
  backfillSchedule,
  ensurePartitions,
  readEngineFacts,
  readInstallationFigures,
  readRun,
  readSchedule,
  rescueRuns,
  skipNext,
  triggerSchedule,
} from '@carillon/db';
import { HOUR_MS } from '@carillon/shared';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { afterEach, describe, expect, it } from 'vitest';

const database = useDatabase();
const engine = useEngine(database);
const { projectId } = database;

const at = (instant: string) => Date.parse(instant);
const partitions = async (table = 'runs') => {
  const { rows } = await database.pool.query<{ month: string }>(
    `select substring(c.relname from '\\d{4}_\\d\\d$') as month
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = ('carillon.' || $1)::regclass order by 1`,
    [table],
  );
  return rows.map(({ month }) => month);
};
const monthsOf = async (id: number) => {
  const { rows } = await database.pool.query(
    'select month, status from carillon.runs where schedule_id = $1 order by occurrence_at',
    [id],
  );
  return rows;
};
const insert = async (input: object, nowAt: number) =>
  ((await insertSchedules(database, [input as never], { nowAt })) as [number])[0];
const monthAfter = (months: number) => {
  const now = new Date();
  const then = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1));
  return then.toISOString().slice(0, 7).replace('-', '_');
};

afterEach(() =>
  database.pool.query('truncate carillon.runs, carillon.attempts, carillon.leases, carillon.agenda'),
);

describe('Partitions', () => {
  it('a migrated database has partitions for this month and the next two, and no default partition', async () => {
    const months = [0, 1, 2].map(monthAfter);
    expect(await partitions('runs')).toEqual(months);
    expect(await partitions('attempts')).toEqual(months);
  });

  it.each(['runs', 'attempts'])(
    'the status and the metric carillon_partitions_ready both notice that the partition of next month of %s is missing',
    async (table) => {
      const { pool } = database;
      const read = async () => {
        const { missingPartitions } = await readEngineFacts(pool, null);
        return { missingPartitions, ...(await readInstallationFigures(pool, null)) };
      };
      expect(await read()).toMatchObject({ missingPartitions: 0, partitionsReady: 3 });
      const partition = `${table}_${monthAfter(1)}`;
      await pool.query(`alter table carillon.${partition} rename to away`);
      try {
        expect(await read()).toMatchObject({ missingPartitions: 1, partitionsReady: 1 });
      } finally {
        await pool.query(`alter table carillon.away rename to ${partition}`);
      }
    },
  );

  it('a claim in a month without a partition creates the partition and claims the run', async () => {
    const now = at('2031-07-15T12:00:00Z');
    const id = await insert({ rule: { at: new Date(now).toISOString() } }, now - HOUR_MS);
    expect(await partitions()).not.toContain('2031_07');

    const [run] = await engine.claim(now);

    expect(run).toMatchObject({ scheduleId: id, month: '2031-07-01' });
    expect(await partitions('runs')).toContain('2031_07');
    expect(await partitions('attempts')).toContain('2031_07');
    if (!run) return;
    expect(await engine.succeed(run, now + 1)).toBe(1);
    expect(await readRun(database.pool, projectId, run)).toMatchObject({ status: 'succeeded' });
  });

  it('a claim in a month without a partition creates the partition even while an open transaction has read the table of runs', async () => {
    const now = at('2031-09-15T12:00:00Z');
    const id = await insert({ rule: { at: new Date(now).toISOString() } }, now - HOUR_MS);
    const reader = await database.pool.connect();
    try {
      // The lock of a read is kept until its transaction ends.
      await reader.query('begin; select count(*) from carillon.runs, carillon.attempts');
      expect(await engine.claim(now)).toMatchObject([{ scheduleId: id, month: '2031-09-01' }]);
    } finally {
      await reader.query('rollback');
      reader.release();
    }
  });

  it('the creation of a partition that must wait for a lock gives up within seconds, and a later one succeeds', async () => {
    const now = at('2036-01-15T12:00:00Z');
    const locker = await database.pool.connect();
    try {
      // VACUUM and ANALYZE take such a lock.
      await locker.query('begin; lock table carillon.runs in share update exclusive mode');
      const beganAt = performance.now();
      const refused = await ensurePartitions(database.pool, now).catch((error) => error);
      // 55P03: lock_not_available.
      expect(refused).toMatchObject({ code: '55P03' });
      expect(performance.now() - beganAt).toBeLessThan(8_000);
      const waiting = await database.pool.query(
        'select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())',
      );
      expect(waiting.rowCount).toBe(0);
    } finally {
      await locker.query('rollback');
      locker.release();
    }
    await ensurePartitions(database.pool, now);
    expect(await partitions()).toEqual(expect.arrayContaining(['2036_01', '2036_02', '2036_03']));
  });

  it('a run that is claimed in one month, and retried or recovered from an expired lease in the next, has only one row, in the partition of the first month', async () => {
    const now = at('2032-01-31T23:59:59.999Z');
    const id = await insert(
      { rule: { at: new Date(now).toISOString() }, retry: { maxAttempts: 5 } },
      now - HOUR_MS,
    );
    const [first] = await engine.claim(now);
    if (!first) throw new Error('nothing was claimed');
    await engine.fail(first, now + 10);
    const [second] = await engine.claim(now + HOUR_MS);
    expect(second).toMatchObject({ scheduleId: id, month: '2032-01-01', attempt: 2 });
    expect(await rescueRuns(database.pool, now + 2 * HOUR_MS)).toMatchObject([{ scheduleId: id }]);
    const [third] = await engine.claim(now + 3 * HOUR_MS);
    if (!third) throw new Error('the rescued run was not claimed');
    expect(await engine.succeed(third, now + 4 * HOUR_MS)).toBe(1);
    expect(await monthsOf(id)).toEqual([{ month: '2032-01-01', status: 'succeeded' }]);
    const { rows } = await database.pool.query(
      'select number from carillon.run_attempts where schedule_id = $1 order by 1',
      [id],
    );
    expect(rows).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }]);
  });

  it('a trigger and a backfill in a month without a partition create the partition', async () => {
    const now = at('2033-05-05T12:00:00Z');
    const id = await insert({ rule: { every: 'PT1H' } }, now);
    const request = { ref: { id }, actor: 'ops', now };
    expect(await triggerSchedule(database.pool, request)).toMatchObject({ kind: 'changed' });
    const range = { fromAt: now, toAt: now + 2 * HOUR_MS };
    expect(
      await backfillSchedule(database.pool, { ...request, now: now + 40 * 24 * HOUR_MS }, range),
    ).toMatchObject({
      kind: 'changed',
      value: 2,
    });
    expect(await partitions()).toEqual(expect.arrayContaining(['2033_05', '2033_06']));
  });

  it('many concurrent claims in a month without a partition all succeed', async () => {
    const now = at('2034-09-09T12:00:00Z');
    const inputs = Array.from({ length: 40 }, () => ({ rule: { at: new Date(now).toISOString() } }));
    const ids = await insertSchedules(database, inputs, { nowAt: now - HOUR_MS });
    const claims = await Promise.all(Array.from({ length: 8 }, () => engine.claim(now, 5)));
    const claimed = claims.flat().map(({ scheduleId }) => scheduleId);
    expect(claimed.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });

  it('the skip of an occurrence half a year ahead is recorded in the partition of the current month, and no partition of a future month is created', async () => {
    const before = await partitions();
    const now = Date.now();
    const inHalfAYear = new Date(now + 180 * 24 * HOUR_MS);
    const cron = `0 0 ${Math.min(28, inHalfAYear.getUTCDate())} ${inHalfAYear.getUTCMonth() + 1} *`;
    const id = await insert({ id: 'yearly', rule: { cron } }, now);
    const { nextRunAt: skippedAt } = (await readSchedule(database.pool, projectId, 'yearly')) ?? {};

    await skipNext(database.pool, { ref: { id }, actor: 'ops', now });

    expect(await monthsOf(id)).toEqual([
      { month: `${monthAfter(0).replace('_', '-')}-01`, status: 'skipped' },
    ]);
    expect(await partitions()).toEqual(before);
    const skipped = { scheduleId: id, occurrenceAt: skippedAt ?? 0, origin: 'rule' as const };
    expect(await readRun(database.pool, projectId, skipped)).toMatchObject({ status: 'skipped' });
  });

  it('processes that create the partitions of the same months at the same time all succeed', async () => {
    for (const year of [2040, 2041, 2042, 2043, 2044]) {
      const now = at(`${year}-06-30T23:00:00Z`);
      await Promise.all(Array.from({ length: 8 }, () => ensurePartitions(database.pool, now)));
      const months = ['06', '07', '08'].map((month) => `${year}_${month}`);
      expect(await partitions('runs')).toEqual(expect.arrayContaining(months));
      expect(await partitions('attempts')).toEqual(expect.arrayContaining(months));
    }
  });
});
