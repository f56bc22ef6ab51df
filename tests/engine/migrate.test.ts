import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  claimDue,
  closeRuns,
  createSchedules,
  migrate,
  openDatabase,
  readSchedule,
  registerWorker,
  rescueRuns,
  UnsupportedDatabase,
} from '@carillon/db';
import { draft, eventually, testServers, useDatabase } from '@carillon/testkit';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { succeededRun } from './closed-run.js';

/** The time of the migrations that these tests add. It is later than the time of every real migration. */
const LATER = '2999-01-01';
const MIGRATIONS = join(import.meta.dirname, '../../packages/db/migrations');
const database = useDatabase();
/** For creating and dropping databases that Carillon has not migrated yet. */
const administrator = openDatabase({
  url: testServers().databaseUrl,
  max: 1,
  applicationName: 'test',
  onError: () => {},
});
afterAll(() => administrator.end());

/** Creates a database, runs these statements in it, and calls `work` before Carillon has migrated it. */
async function withDatabase(statements: string, work: (url: string) => Promise<void>): Promise<void> {
  const name = `${new URL(database.url).pathname.slice(1)}_other`;
  const url = Object.assign(new URL(database.url), { pathname: `/${name}` }).toString();
  await administrator.query(`create database ${name}`);
  const pool = openDatabase({ url, max: 1, applicationName: 'test', onError: () => {} });
  try {
    await pool.query(statements);
    await work(url);
  } finally {
    await pool.end();
    await administrator.query(`drop database ${name} with (force)`);
  }
}

describe('Migrations', () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  it('if Postgres refuses a statement of a migration, `migrate` fails with the error of Postgres', async () => {
    const folder = await migrationOf('ALTER TABLE "carillon"."no_such_table" ADD COLUMN "extra" integer');
    await expect(migrate(database.url, { folder })).rejects.toMatchObject({ cause: { code: '42P01' } });
  });

  it('the session of a migration has time-outs, so that Postgres ends it within about a minute if the process freezes or the host vanishes', async () => {
    const folder = await migrationOf(
      `CREATE TABLE carillon.session_settings AS SELECT name, setting::int FROM pg_settings
       WHERE name ~ '^(idle_session_timeout|idle_in_transaction_session_timeout|tcp_keepalives_.*)$'`,
    );
    await migrate(database.url, { folder });
    const { rows } = await database.pool.query('select name, setting from carillon.session_settings');
    // The idle time-outs are in milliseconds, the others in seconds. Postgres's own defaults are 0 (never) for the idle
    // time-outs and, on Linux, two hours for the first keepalive.
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      idle_session_timeout: 60_000,
      idle_in_transaction_session_timeout: 60_000,
      tcp_keepalives_idle: 15,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 3,
    });
    await database.pool.query(
      `drop table carillon.session_settings; delete from carillon.migrations where created_at = ${Date.parse(LATER)}`,
    );
  });

  it('a migration that would deadlock with a transaction lets the transaction finish, and then succeeds', async () => {
    const folder = await migrationOf(
      'ALTER TABLE "carillon"."runs" ADD COLUMN "extra" integer',
      'ALTER TABLE "carillon"."leases" ADD COLUMN "extra" integer',
    );
    const worker = await database.pool.connect();
    try {
      await worker.query('begin');
      await worker.query('lock table carillon.leases in row exclusive mode');
      // With this `deadlock_timeout`, Postgres would resolve a deadlock only after a minute, by ending the worker's
      // transaction. The migration has to give way before that.
      const server = { connectionString: database.url, options: '-c deadlock_timeout=1min' };
      const migrated = migrate(server, { folder });
      await eventually(
        async () => {
          const { rows } = await database.pool.query(
            `select from pg_locks where relation = 'carillon.leases'::regclass and not granted`,
          );
          return rows.length > 0;
        },
        { what: 'the migration waiting for carillon.leases, with carillon.runs locked' },
      );
      // The worker asks for a table that the migration has locked, while the migration waits for a table that the
      // worker has locked.
      await worker.query('lock table carillon.runs in row exclusive mode');
      await worker.query('commit');
      await migrated;
      const { rows } = await database.pool.query(
        `select distinct table_name from information_schema.columns
         where table_schema = 'carillon' and column_name = 'extra' and table_name in ('leases', 'runs') order by 1`,
      );
      expect(rows.map(({ table_name }) => table_name)).toEqual(['leases', 'runs']);
    } finally {
      worker.release();
    }
  });

  /** Makes a folder with one migration that is later than all existing ones. */
  async function migrationOf(...statements: string[]): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'carillon-migrations-'));
    folders.push(folder);
    await mkdir(join(folder, 'meta'));
    await writeFile(join(folder, '9999_later.sql'), statements.join(';--> statement-breakpoint\n'));
    const entry = {
      idx: 0,
      version: '7',
      when: Date.parse(LATER),
      tag: '9999_later',
      breakpoints: true,
    };
    await writeFile(
      join(folder, 'meta', '_journal.json'),
      JSON.stringify({ version: '7', dialect: 'postgresql', entries: [entry] }),
    );
    return folder;
  }

  it('the migration that adds the table stopped_schedules fills it with every schedule that was paused or cancelled before', async () => {
    const first = await copyOfFirst(1);
    await withDatabase('select 1', async (url) => {
      await migrate(url, { folder: first });
      const pool = openDatabase({ url, max: 1, applicationName: 'test', onError: () => {} });
      // Written by SQL, because the statements of today may need columns of later migrations.
      await pool.query(
        `insert into carillon.schedules (project_id, key, target_type, rule, timing, plan, defined_by)
         select 1, key, 'handler', '{}', '{}', '{}', 'test'
         from unnest(array['active', 'paused', 'by-engine', 'cancelled']) as key`,
      );
      await pool.query(
        `update carillon.schedules set status = 'paused', paused_at = now(), paused_until = now(),
           paused_by = case key when 'paused' then 'test' else 'carillon' end where key in ('paused', 'by-engine')`,
      );
      await pool.query(`update carillon.schedules set status = 'cancelled' where key = 'cancelled'`);
      await migrate(url);
      const { rows } = await pool.query(
        `select s.key, l.status, l.paused_until is not null as "hasEnd", l.paused_by_engine_at is not null as "isByEngine"
         from carillon.stopped_schedules l join carillon.schedules s on s.id = l.schedule_id order by s.id`,
      );
      expect(rows).toEqual([
        { key: 'paused', status: 'paused', hasEnd: true, isByEngine: false },
        { key: 'by-engine', status: 'paused', hasEnd: true, isByEngine: true },
        { key: 'cancelled', status: 'cancelled', hasEnd: false, isByEngine: false },
      ]);
      await pool.end();
    });
  });

  /** Copies the first migrations of Carillon into a folder of their own. */
  async function copyOfFirst(count: number): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'carillon-migrations-'));
    folders.push(folder);
    await cp(MIGRATIONS, folder, { recursive: true });
    const journal = join(folder, 'meta', '_journal.json');
    const { entries, ...others } = JSON.parse(await readFile(journal, 'utf8'));
    await writeFile(journal, JSON.stringify({ ...others, entries: entries.slice(0, count) }));
    return folder;
  }

  it('processes that migrate one database at the same time take turns, and all succeed', async () => {
    await withDatabase('select 1', async (url) => {
      await Promise.all([1, 2, 3, 4].map(() => migrate(url)));
      const pool = openDatabase({ url, max: 1, applicationName: 'test', onError: () => {} });
      const { rows } = await pool.query('select count(*) as installations from carillon.installation');
      expect(rows).toEqual([{ installations: 1 }]);
      await pool.end();
    });
  });
});

describe('Databases that hold other tables', () => {
  it('a database of the pre-release is refused with one line that says what to do, and is not changed', async () => {
    const preRelease = 'create table public.schedule_versions (id int); create table public.leases (id int)';
    await withDatabase(preRelease, async (url) => {
      const refusal = await migrate(url).catch((error: Error) => error);
      expect(refusal).toBeInstanceOf(UnsupportedDatabase);
      const { message } = refusal as Error;
      expect(message).toContain('pre-release');
      expect(message).toContain('Use an empty database');
      expect(message).not.toContain('\n');
      const pool = openDatabase({ url, max: 1, applicationName: 'test', onError: () => {} });
      const { rows } = await pool.query(`select to_regnamespace('carillon') as schema`);
      expect(rows).toEqual([{ schema: null }]);
      await pool.end();
    });
  });

  it('a database that has another application’s table called leases is migrated', async () => {
    await withDatabase('create table public.leases (id int)', (url) => migrate(url));
  });

  it('another application’s rows in drizzle.__drizzle_migrations do not keep Carillon from migrating', async () => {
    const theirs = `
      create schema drizzle;
      create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
      insert into drizzle.__drizzle_migrations (hash, created_at) values ('theirs', ${Date.parse('2999-01-01')})`;
    await withDatabase(theirs, async (url) => {
      await migrate(url);
      const pool = openDatabase({ url, max: 1, applicationName: 'test', onError: () => {} });
      expect(await fireOnce(pool, 'beside-drizzle')).toBe('finished');
      const { rows } = await pool.query('select hash from drizzle.__drizzle_migrations');
      expect(rows).toEqual([{ hash: 'theirs' }]);
      await pool.end();
    });
  });
});

type Pool = ReturnType<typeof openDatabase>;

async function create(pool: Pool, key: string, at: number): Promise<void> {
  const drafts = [draft({ id: key, rule: { at: new Date(at).toISOString() } }, at)];
  expect(await createSchedules(pool, { projectId: 1, drafts, actor: 'test' })).toMatchObject([
    { kind: 'created' },
  ]);
}

async function claim(pool: Pool, now: number | null = null) {
  const token = '00000000-0000-4000-8000-000000000001';
  const holder = await registerWorker(pool, {
    host: 'test',
    pid: 1,
    token,
    handlers: ['noop', 'log'],
    tzdata: 'test',
    heartbeatIntervalMs: 5_000,
  });
  const { runs } = await claimDue(pool, { ...holder, leaseMs: 5_000, limit: 10, fairTo: [], now });
  return { holder, runs };
}

/** Creates a one-shot, claims and closes it; returns its status. */
async function fireOnce(pool: Pool, key: string): Promise<string | undefined> {
  await create(pool, key, Date.now() - 1_000);
  const { holder, runs } = await claim(pool);
  expect(runs.map(({ scheduleKey }) => scheduleKey)).toEqual([key]);
  const closed = await closeRuns(pool, runs.map(succeededRun), { ...holder, now: null });
  expect(closed).toHaveLength(1);
  return (await readSchedule(pool, 1, key))?.status;
}

describe('Schemas', () => {
  it('two schemas of one database hold two installations that do not see each other', async () => {
    const schema = 'other';
    await migrate(database.url, { schema });
    await migrate(database.url, { schema });
    const other = openDatabase({
      url: database.url,
      max: 2,
      applicationName: 'test',
      schema,
      onError: () => {},
    });
    try {
      const now = Date.now() - 1_000;
      await create(database.pool, 'ours', now);
      // The claim in the other schema finds only its own schedule, and the key of our schedule is free there.
      expect(await fireOnce(other, 'theirs')).toBe('finished');
      expect(await readSchedule(other, 1, 'ours')).toBeNull();
      expect(await readSchedule(database.pool, 1, 'theirs')).toBeNull();
      await create(other, 'ours', now + 3_600_000);

      // A claim in a month without a partition creates the partition in the schema of its installation.
      const { runs } = await claim(other, Date.parse('2030-05-05T00:00:00Z'));
      expect(runs).toMatchObject([{ scheduleKey: 'ours', month: '2030-05-01' }]);
      const { rows } = await database.pool.query(
        `select relnamespace::regnamespace::text as schema from pg_class where relname = 'runs_2030_05'`,
      );
      expect(rows).toEqual([{ schema: 'other' }]);
      // A rescue in one schema does not touch the leases of the other.
      expect(await rescueRuns(database.pool, Date.parse('2031-01-01T00:00:00Z'))).toEqual([]);
      expect(await rescueRuns(other, Date.parse('2031-01-01T00:00:00Z'))).toHaveLength(1);

      expect((await claim(database.pool)).runs).toMatchObject([{ scheduleKey: 'ours' }]);
    } finally {
      await other.end();
    }
  });
});
