import { eventually, useDatabase } from '@carillon/testkit';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CarillonError,
  cancelIn,
  defineHandler,
  type RunningCarillon,
  run,
  type SqlSchedule,
  scheduleIn,
  triggerIn,
} from '../src/index.js';

const database = useDatabase();
const seen: unknown[] = [];
const note = defineHandler({ name: 'sql-note', run: ({ payload }) => void seen.push(payload) });
const target = { type: 'handler', name: note.name } as const;
const later = { at: '2030-01-01T00:00:00Z' };
let carillon: RunningCarillon;
let pool: pg.Pool;

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: database.url, max: 12 });
  // Without a listener, a connection that Postgres ends while it is idle would end the process of the tests.
  pool.on('error', () => {});
  await pool.query('create table invoices (id text primary key)');
  carillon = await run({
    pool,
    redisUrl: database.redisUrl,
    logger: pino({ level: 'silent' }),
    handlers: [note],
    settings: {
      REDIS_PREFIX: database.prefix,
      SWEEP_INTERVAL_MS: '300000',
      ARM_HORIZON_MS: '900000',
      STOP_DEADLINE_MS: '300',
    },
  });
});
afterAll(async () => {
  await carillon?.stop();
  await pool?.end();
});

const read = (id: string) =>
  eventually(() =>
    carillon.client.schedules.get(id).catch((error) => {
      if (error instanceof CarillonError && error.status === 404) return null;
      throw error;
    }),
  );

describe('scheduleIn, cancelIn and triggerIn', () => {
  it('scheduleIn in a pg transaction: the schedule fires after the commit, not before', async () => {
    const client = await pool.connect();
    await client.query('begin');
    await client.query(`insert into invoices values ('pg-1')`);
    const id = await scheduleIn(client, {
      id: 'pg-1',
      rule: { at: new Date() },
      target,
      payload: { n: 'pg-1' },
    });
    expect(id).toBe('pg-1');
    expect(seen).not.toContainEqual({ n: 'pg-1' });
    await client.query('commit');
    client.release();
    await eventually(() => seen.some((payload) => (payload as { n: string }).n === 'pg-1'));
  });

  it('scheduleIn in a pg transaction that is rolled back creates no schedule', async () => {
    const client = await pool.connect();
    await client.query('begin');
    await scheduleIn(client, { id: 'pg-2', rule: later, target });
    await client.query('rollback');
    client.release();
    await scheduleIn(pool, { id: 'pg-3', rule: later, target });
    await read('pg-3');
    await expect(carillon.client.schedules.get('pg-2')).rejects.toMatchObject({ status: 404 });
  });

  it('scheduleIn, triggerIn and cancelIn take effect when their drizzle transaction commits, and a cancelIn that is rolled back changes nothing', async () => {
    const db = drizzle(pool);
    await db.transaction(async (tx) => {
      await tx.execute(sql`insert into invoices values ('drizzle-1')`);
      await scheduleIn(tx, { id: 'drizzle-1', rule: later, target, payload: { n: 'drizzle-1' } });
      await triggerIn(tx, 'drizzle-1');
    });
    await eventually(() => seen.some((payload) => (payload as { n: string }).n === 'drizzle-1'));
    const failing = db.transaction(async (tx) => {
      expect(await cancelIn(tx, 'drizzle-1')).toBe(true);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await read('drizzle-1')).toMatchObject({ status: 'active' });
    expect(await db.transaction((tx) => cancelIn(tx, 'drizzle-1'))).toBe(true);
    await eventually(async () => (await read('drizzle-1')).status === 'cancelled');
    expect(await db.transaction((tx) => cancelIn(tx, 'unknown'))).toBe(false);
  });

  it('scheduleIn passes on every field of a schedule, and a null payload stays null', async () => {
    await scheduleIn(pool, {
      id: 'full',
      rule: { cron: '0 9 * * 1-5' },
      timezone: 'America/New_York',
      target,
      payload: null,
      name: `it's "quoted"`,
      tags: ['billing'],
      retry: { maxAttempts: 5 },
    });
    expect(await read('full')).toMatchObject({
      rule: { cron: '0 9 * * 1-5' },
      timezone: 'America/New_York',
      payload: null,
      name: `it's "quoted"`,
      tags: ['billing'],
      retry: { maxAttempts: 5 },
    });
    for (const [id, rule] of Object.entries({
      'full-every': { every: 'PT15M' },
      'full-in': { in: 'P1DT2H' },
      'full-rrule': { rrule: 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0' },
    })) {
      await scheduleIn(pool, { id, rule, target });
      expect((await read(id)).rule).toEqual(rule);
    }
  });

  it('scheduleIn refuses a local time without an offset before it sends anything', async () => {
    const schedule: SqlSchedule = { id: 'local', rule: { at: '2030-01-01T00:00:00' }, target };
    await expect(scheduleIn(pool, schedule)).rejects.toThrow(
      'expected a Date, or a time with Z or an offset',
    );
  });

  it('scheduleIn and triggerIn throw if their SQL function refuses the request, and SQL text in their arguments is not executed', async () => {
    const evil = `x'); drop table invoices; --`;
    await expect(scheduleIn(pool, { id: evil, rule: later, target })).rejects.toThrow('is refused: id:');
    await expect(triggerIn(pool, evil)).rejects.toThrow('there is no schedule with the id');
    await expect(scheduleIn(pool, { id: 'e', rule: later, target }, { schema: evil })).rejects.toThrow(
      'does not exist',
    );
    expect(await cancelIn(pool, evil)).toBe(false);
    expect((await pool.query('select from invoices')).rowCount).toBeGreaterThan(0);
  });

  it('if a worker refuses a schedule that was requested by SQL, GET /v1/schedules/:id and the ledger say why', async () => {
    await scheduleIn(pool, { id: 'bad-cron', rule: { cron: '61 * * * *' }, target });
    const detail = await eventually(async () => {
      const error = await carillon.client.schedules
        .get('bad-cron')
        .catch((refused: CarillonError) => refused);
      return error instanceof CarillonError && error.message.includes('refused') && error.message;
    });
    expect(detail).toContain(
      'there is no schedule with the id bad-cron; the request by SQL was refused at 20',
    );
    expect(detail).toContain('rule.cron:');
    await expect(carillon.client.schedules.ledger('bad-cron').take(1)).rejects.toThrow('rule.cron:');
  });
});
