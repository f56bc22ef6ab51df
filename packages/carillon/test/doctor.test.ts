import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { openDatabase, registerWorker, verifyEncryptionKey } from '@carillon/db';
import { ensurePgbouncer, Pgbouncer, useDatabase } from '@carillon/testkit';
import { expect, it, onTestFinished } from 'vitest';
import type { Check } from '../src/doctor/check.js';
import { runDoctor } from '../src/doctor/run-doctor.js';

const database = useDatabase();
/** An installation without a worker, about which doctor warns. */
const workerless = useDatabase();
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
    'pooler',
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
  const checkNamed = await examine();
  expect(checkNamed('indexes')).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('runs_waiting'),
  });
  expect(checkNamed('partitions').status).toBe('failed');
  expect(checkNamed('autovacuum')).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('agenda'),
  });
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

it('carillon doctor reports a DATABASE_DIRECT_URL that cannot be reached', async () => {
  const checkNamed = await examine({ DATABASE_DIRECT_URL: 'postgres://127.0.0.1:1/none' });
  expect([checkNamed('pooler').status, checkNamed('direct connection').status]).toEqual(['ok', 'failed']);
});

it('carillon doctor with a warning exits with 0, and with --strict exits with 1', () => {
  const program = fileURLToPath(new URL('../bin/carillon.mjs', import.meta.url));
  const run = (...words: string[]) => {
    const env = { ...process.env, ...environment({ DATABASE_URL: workerless.url, REDIS_URL: 'none' }) };
    const { status, stdout } = spawnSync(process.execPath, [program, 'doctor', '--json', ...words], { env });
    const { checks } = JSON.parse(stdout.toString()) as { checks: Check[] };
    return { status, statuses: new Set(checks.map((check) => check.status)) };
  };
  const plain = run();
  expect(plain.statuses).toContain('warning');
  expect(plain.statuses).not.toContain('failed');
  expect([plain.status, run('--strict').status]).toEqual([0, 1]);
});

it.runIf(ensurePgbouncer())(
  'carillon doctor reports a pooler in transaction mode whose settings are missing, and a DATABASE_DIRECT_URL that leads to the pooler',
  async () => {
    const bouncer = await Pgbouncer.start(database.url);
    onTestFinished(() => bouncer.stop());
    // The session that the pooler gives to doctor has this statement already, as if another program had prepared it.
    const pooled = openDatabase({ url: bouncer.url, max: 1, applicationName: 'test', onError: () => {} });
    onTestFinished(() => pooled.end());
    await pooled.query('prepare "doctor-server" as select 1');
    const bare = await examine({ DATABASE_URL: bouncer.url });
    expect(bare('pooler')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('set DATABASE_DIRECT_URL'),
    });
    expect(bare('migrations').status).toBe('ok');
    const set = { DATABASE_URL: bouncer.url, DATABASE_PREPARED_STATEMENTS: 'off' };
    const wrong = await examine({ ...set, DATABASE_DIRECT_URL: bouncer.url });
    expect([wrong('pooler').status, wrong('direct connection').status]).toEqual(['ok', 'failed']);
    const right = await examine({ ...set, DATABASE_DIRECT_URL: database.url });
    expect([right('pooler').status, right('direct connection').status]).toEqual(['ok', 'ok']);
  },
);
