import {
  cancelMany,
  cancelSchedule,
  listSchedules,
  openDatabase,
  pauseMany,
  pauseSchedule,
  purgeSchedule,
  replaceSchedule,
  resumeMany,
  resumeSchedule,
  skipNextOfMany,
} from '@carillon/db';
import { draft, insertSchedules, useDatabase } from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const database = useDatabase();
const { projectId } = database;
/** A pool with one connection, because each connection reports its own number of updates. */
let pool: ReturnType<typeof openDatabase>;
beforeAll(() => {
  pool = openDatabase({ url: database.url, max: 1, applicationName: 'test', onError: () => {} });
});
afterAll(() => pool.end());

const NO_END = { note: null, untilAt: null };
const HOURLY = { rule: { every: 'PT1H' } };

const changing = (id: number, actor = 'test') => ({ ref: { id }, actor });
const many = (ids: readonly number[]) => ({ projectId, ids, actor: 'test' });

async function insertOne(): Promise<number> {
  const [id] = (await insertSchedules(database, [HOURLY])) as [number];
  return id;
}

/** The row by which a stopped schedule is found; null if there is none. */
async function listed(id: number) {
  const { rows } = await pool.query(
    `select status, paused_until is not null as "hasEnd", paused_by_engine_at is not null as "isByEngine"
     from carillon.stopped_schedules where schedule_id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

describe('The list of stopped schedules', () => {
  it('the table stopped_schedules follows every pause, resume, cancel, replacement and purge of a schedule', async () => {
    const id = await insertOne();
    expect(await listed(id)).toBeNull();
    await pauseSchedule(pool, changing(id), NO_END);
    expect(await listed(id)).toEqual({ status: 'paused', hasEnd: false, isByEngine: false });
    await pauseSchedule(pool, changing(id), { note: null, untilAt: Date.now() + 3_600_000 });
    expect(await listed(id)).toEqual({ status: 'paused', hasEnd: true, isByEngine: false });
    await pauseSchedule(pool, changing(id, 'carillon'), NO_END);
    expect(await listed(id)).toEqual({ status: 'paused', hasEnd: false, isByEngine: true });
    await resumeSchedule(pool, changing(id));
    expect(await listed(id)).toBeNull();
    await cancelSchedule(pool, changing(id));
    expect(await listed(id)).toEqual({ status: 'cancelled', hasEnd: false, isByEngine: false });
    const revival = draft(HOURLY, Date.now());
    await replaceSchedule(pool, changing(id), { ...revival, limits: {} });
    expect(await listed(id)).toBeNull();
    await cancelSchedule(pool, changing(id));
    await purgeSchedule(pool, changing(id));
    expect(await listed(id)).toBeNull();
  });

  it('a list of schedules by status has each schedule once, newest first', async () => {
    const ids = await insertSchedules(database, [HOURLY, HOURLY, HOURLY, HOURLY]);
    await pauseMany(pool, many(ids.slice(0, 3)), NO_END);
    await cancelMany(pool, many(ids.slice(0, 1)));
    const idsOf = async (status: 'active' | 'paused' | 'cancelled') =>
      (await listSchedules(pool, { projectId, filter: { status }, limit: 10, beforeId: null })).map(
        ({ id }) => id,
      );
    expect(await idsOf('paused')).toEqual([ids[2], ids[1]]);
    expect(await idsOf('cancelled')).toEqual([ids[0]]);
    expect(await idsOf('active')).toEqual([ids[3]]);
  });
});

describe('HOT updates of schedules', () => {
  it('pausing, resuming, skipping and cancelling schedules are HOT updates, which change no index entry', async () => {
    // Each page keeps room for every new version, so an update is HOT unless it changes an indexed column.
    await pool.query('alter table carillon.schedules set (fillfactor = 30)');
    const inserted = await insertSchedules(
      database,
      Array.from({ length: 400 }, (_, n) => ({
        ...HOURLY,
        name: `Export of account ${n}`,
        tags: ['export'],
      })),
    );
    const ids = inserted.filter((_, n) => n % 20 === 0);
    const before = await countUpdates();
    await pauseMany(pool, many(ids), { note: 'incident', untilAt: Date.now() + 3_600_000 });
    await resumeMany(pool, many(ids));
    await skipNextOfMany(pool, many(ids));
    await cancelMany(pool, many(ids));
    const after = await countUpdates();
    expect({ updates: after.updates - before.updates, hot: after.hot - before.hot }).toEqual({
      updates: 4 * ids.length,
      hot: 4 * ids.length,
    });
  });

  async function countUpdates(): Promise<{ updates: number; hot: number }> {
    await pool.query('select pg_stat_force_next_flush()');
    const { rows } = await pool.query(
      `select n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables
       where schemaname = 'carillon' and relname = 'schedules'`,
    );
    return rows[0];
  }
});
