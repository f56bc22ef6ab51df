import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { eventually, useDatabase } from '@carillon/testkit';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cancelIn, type RunningCarillon, run, scheduleIn, triggerIn } from '../src/index.js';

const database = useDatabase();
/** The role that the page creates gets a unique name here, because roles belong to the whole Postgres server. */
const role = `billing_app_${randomBytes(6).toString('hex')}`;
let page: string;
let pool: pg.Pool;
let carillon: RunningCarillon;

beforeAll(async () => {
  const text = await readFile(new URL('../../../docs/sql.md', import.meta.url), 'utf8');
  page = text.replaceAll('billing_app', role);
  pool = new pg.Pool({ connectionString: database.url, max: 12 });
  await pool.query('create table invoices (id int primary key, customer text)');
  await pool.query(`insert into carillon.projects (key, name) values ('billing', 'Billing')`);
  carillon = await run({
    pool,
    redisUrl: database.redisUrl,
    logger: pino({ level: 'silent' }),
    settings: { REDIS_PREFIX: database.prefix, STOP_DEADLINE_MS: '300' },
  });
});
afterAll(async () => {
  await carillon?.stop();
  await pool?.query(`drop owned by ${role}`);
  await pool?.query(`drop role ${role}`);
  await pool?.end();
});

const blocks = (language: string, text = page) =>
  [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, blockLanguage, block]) =>
    blockLanguage === language ? [block as string] : [],
  );
const becomes = (id: string, expected: object) =>
  eventually(async () => {
    const schedule = await carillon.client.schedules.get(id).catch(() => null);
    return schedule && Object.entries(expected).every(([field, value]) => schedule[field as 'id'] === value);
  });

it('the SQL examples of docs/sql.md have the effects that the page describes', async () => {
  const [invoice, others, roles] = blocks('sql') as [string, string, string];
  await pool.query(invoice);
  await becomes('invoice-42', { status: 'active', nextRunAt: '2030-01-31T08:00:00.000Z' });
  await pool.query(others);
  await becomes('weekday-report', { timezone: 'America/New_York' });
  await becomes('welcome-42', { status: 'active' });
  await becomes('invoice-42', { status: 'cancelled' });
  const [triggered] = await eventually(async () => {
    const runs = await carillon.client.runs.list({ schedule: 'weekday-report' }).take(1);
    return runs.length === 1 && runs;
  });
  expect(triggered).toMatchObject({ origin: 'trigger' });
  await pool.query(roles);
  const { rows } = await pool.query('select role from carillon.sql_roles');
  expect(rows).toEqual([{ role }]);
});

it('the SQL example of the README creates the schedule that it describes', async () => {
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  for (const block of blocks('sql', readme)) await pool.query(block);
  await becomes('invoice-41', { status: 'active' });
});

it('the TypeScript examples of docs/sql.md have the effects that the page describes', async () => {
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const [ofPg, ofDrizzle] = blocks('ts').map((text) => text.replace(/^import .*$/gm, '')) as [string, string];
  const names = ['pool', 'db', 'sql', 'scheduleIn', 'cancelIn', 'triggerIn'];
  const values = [pool, drizzle(pool), sql, scheduleIn, cancelIn, triggerIn];
  await new AsyncFunction(...names, ofPg)(...values);
  await becomes('invoice-43', { status: 'active', nextRunAt: '2030-01-31T08:00:00.000Z' });
  await new AsyncFunction(...names, ofDrizzle)(...values);
  await becomes('invoice-43', { status: 'cancelled' });
  expect((await pool.query('select from invoices where id = 43')).rowCount).toBe(0);
});
