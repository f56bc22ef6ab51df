import { randomBytes, randomUUID } from 'node:crypto';
import { registerWorker, verifyEncryptionKey } from '@carillon/db';
import { useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';
import type { Check } from '../src/doctor/check.js';
import { runDoctor } from '../src/doctor/run-doctor.js';

const database = useDatabase();
const key = randomBytes(32).toString('base64');

const environment = (more: Record<string, string> = {}) => ({
  DATABASE_URL: database.url,
  REDIS_URL: database.redisUrl,
  REDIS_PREFIX: database.prefix,
  CARILLON_ENCRYPTION_KEY: key,
  ...more,
});
const examine = async (more?: Record<string, string>) => {
  const checks = await runDoctor(environment(more));
  return (name: string) => checks.find((check) => check.name === name) as Check;
};

it('every check of carillon doctor passes on a new installation that has a worker', async () => {
  const tzdata = process.versions.tz ?? 'unknown';
  const worker = {
    host: 'a',
    pid: 1,
    token: randomUUID(),
    handlers: [],
    tzdata,
    heartbeatIntervalMs: 60_000,
  };
  await registerWorker(database.pool, worker);
  const checks = await runDoctor(environment());
  // Checks are left out if their results depend on the servers of the test run, such as the eviction policy of the
  // embedded Redis.
  const own = checks.filter(({ name }) => !['extensions', 'redis policy', 'redis latency'].includes(name));
  expect(own.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(own.map(({ name }) => name)).toEqual([
    'versions',
    'settings',
    'postgres',
    'clock of this machine',
    'migrations',
    'partitions',
    'indexes',
    'longest transaction',
    'autovacuum',
    'workers',
    'time zone data',
    'secrets',
    'redis',
    'redis version',
  ]);
});

it('carillon doctor reports an invalid index, a missing partition and a table without autovacuum', async () => {
  const { pool } = database;
  await pool.query(
    `update pg_index set indisvalid = false where indexrelid = 'carillon.runs_waiting'::regclass`,
  );
  await pool.query('alter table carillon.agenda set (autovacuum_enabled = false)');
  const { rows } = await pool.query(
    `select to_char(date_trunc('month', now() at time zone 'UTC') + interval '1 month', 'YYYY_MM') as next`,
  );
  await pool.query(`alter table carillon.runs detach partition carillon.runs_${rows[0].next}`);
  await pool.query(`drop table carillon.runs_${rows[0].next}`);
  const found = await examine();
  expect(found('indexes')).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('runs_waiting'),
  });
  expect(found('partitions').status).toBe('failed');
  expect(found('autovacuum')).toMatchObject({ status: 'failed', message: expect.stringContaining('agenda') });
});

it('carillon doctor compares the given encryption key with the key of the installation, and stores nothing', async () => {
  expect((await examine())('secrets').message).toContain('the first process that starts');
  await verifyEncryptionKey(database.pool, key);
  expect((await examine())('secrets').status).toBe('ok');
  const other = randomBytes(32).toString('base64');
  expect((await examine({ CARILLON_ENCRYPTION_KEY: other }))('secrets').status).toBe('failed');
});

it('carillon doctor reports unreachable servers, a wrong setting and a schema without tables', async () => {
  const away = await examine({
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    REDIS_URL: 'redis://127.0.0.1:1',
  });
  expect([away('postgres').status, away('redis').status]).toEqual(['failed', 'failed']);
  const wrong = await examine({ REDIS_URL: 'http://x' });
  expect(wrong('settings')).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('REDIS_URL'),
  });
  const empty = await examine({ DATABASE_SCHEMA: 'nothing_here' });
  expect(empty('migrations')).toMatchObject({ status: 'failed', advice: expect.stringContaining('migrate') });
  expect((await examine({ REDIS_URL: 'none' }))('redis').status).toBe('skipped');
});
