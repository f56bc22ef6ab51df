import { explainPooler, inTransaction, migrate, openDatabase, probePooler } from '@carillon/db';
import {
  ensurePgbouncer,
  eventually,
  insertSchedules,
  Pgbouncer,
  TcpProxy,
  useDatabase,
  useProcesses,
} from '@carillon/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const database = useDatabase();
const processes = useProcesses(database);
const RUNS = 200;

describe('explainPooler', () => {
  const direct = { sharesBackends: false, breaksPreparedStatements: false };
  const shared = { sharesBackends: true, breaksPreparedStatements: false };
  const breaking = { sharesBackends: true, breaksPreparedStatements: true };

  it('a direct connection to Postgres is accepted without settings for a pooler', () => {
    expect(explainPooler(direct, { hasDirectUrl: false, usesPreparedStatements: true })).toBeNull();
  });

  it('a pooler is accepted with DATABASE_DIRECT_URL or, if it breaks prepared statements, with DATABASE_DIRECT_URL and prepared statements off', () => {
    expect(explainPooler(breaking, { hasDirectUrl: true, usesPreparedStatements: false })).toBeNull();
    expect(explainPooler(shared, { hasDirectUrl: true, usesPreparedStatements: true })).toBeNull();
  });

  it('a pooler is refused with one line that names each missing setting', () => {
    const line = explainPooler(breaking, { hasDirectUrl: false, usesPreparedStatements: true });
    expect(line).toContain('DATABASE_PREPARED_STATEMENTS=off');
    expect(line).toContain('DATABASE_DIRECT_URL');
    expect(line).not.toContain('\n');
    expect(explainPooler(shared, { hasDirectUrl: false, usesPreparedStatements: true })).not.toContain(
      'DATABASE_PREPARED_STATEMENTS',
    );
  });

  it('a direct connection to Postgres is not taken for a pooler', async () => {
    expect(await probePooler(database.url)).toEqual(direct);
  });

  it('if Postgres accepts connections but never answers, a program that starts gives up with a time-out', async () => {
    const proxy = await TcpProxy.before(database.url);
    onTestFinished(() => proxy.close());
    proxy.silence();
    await expect(probePooler(proxy.url(database.url))).rejects.toThrow('timeout expired');
    await expect(migrate(proxy.url(database.url))).rejects.toThrow('timeout expired');
  });
});

describe('A pool that leads to a pooler', () => {
  it('behind a pooler, each transaction and each single statement first verifies the server, and is refused if the check fails', async () => {
    let isVerified = true;
    const pool = openDatabase({
      url: database.url,
      max: 1,
      applicationName: 'test',
      isPooled: true,
      verify: async (client) => {
        await client.query('select 1');
        if (!isVerified) throw new Error('another server');
      },
      onError: () => {},
    });
    onTestFinished(() => pool.end());
    await database.pool.query('create table carillon.written (by text)');
    onTestFinished(() => database.pool.query('drop table carillon.written').then(() => {}));
    const write = (by: string) => pool.query('insert into carillon.written values ($1)', [by]);
    await write('a statement');
    // The connection stays open and was verified. Behind a pooler, its next transaction may reach another server.
    isVerified = false;
    await expect(write('a statement, refused')).rejects.toThrow('another server');
    await expect(
      inTransaction(pool, (tx) => tx.query(`insert into carillon.written values ('a transaction, refused')`)),
    ).rejects.toThrow('another server');
    isVerified = true;
    await inTransaction(pool, (tx) => tx.query(`insert into carillon.written values ('a transaction')`));
    const { rows } = await database.pool.query('select by from carillon.written');
    expect(rows).toEqual([{ by: 'a statement' }, { by: 'a transaction' }]);
  });
});

if (!ensurePgbouncer())
  console.log(
    'PgBouncer is not installed here and can not be, so the tests through a real pooler are left out.',
  );
else
  describe('PgBouncer in transaction mode', () => {
    let bouncer: Pgbouncer;
    let url: string;

    beforeAll(async () => {
      bouncer = await Pgbouncer.start(database.url);
      url = bouncer.url;
    });
    afterAll(async () => {
      await processes.endAll();
      await bouncer.stop();
    });

    it('a worker behind a pooler in transaction mode without the settings that it needs exits with one line that names them', async () => {
      const traits = await probePooler(url);
      expect(traits.sharesBackends).toBe(true);
      const line = explainPooler(traits, { hasDirectUrl: false, usesPreparedStatements: true });
      await expect(processes.worker({ env: { DATABASE_URL: url } })).rejects.toThrow(
        `[{"msg":"carillon worker: ${line}"}]`,
      );
    });

    it('an API behind a pooler in transaction mode without the settings that it needs exits with one line that names them', async () => {
      const line = explainPooler(await probePooler(url), {
        hasDirectUrl: false,
        usesPreparedStatements: true,
      });
      await expect(processes.api({ env: { DATABASE_URL: url } })).rejects.toThrow(`carillon api: ${line}`);
    });

    it('migrations through a pooler in transaction mode are refused, and leave no advisory lock in Postgres', async () => {
      await expect(migrate(url)).rejects.toThrow('set DATABASE_DIRECT_URL to Postgres itself');
      const { rows } = await database.pool.query(`select from pg_locks where locktype = 'advisory'`);
      expect(rows).toEqual([]);
    });

    it('a worker behind a pooler in transaction mode delivers every run if DATABASE_DIRECT_URL is set and prepared statements are off', async () => {
      const env = {
        DATABASE_URL: url,
        DATABASE_DIRECT_URL: database.url,
        DATABASE_PREPARED_STATEMENTS: 'off',
      };
      await processes.worker({ env });
      await processes.worker({ env });
      const at = new Date().toISOString();
      const ids = await insertSchedules(
        database,
        Array.from({ length: RUNS }, () => ({ rule: { at }, retry: { maxAttempts: 1 } })),
      );
      await eventually(async () => {
        const { rows } = await database.pool.query(
          `select from carillon.runs where schedule_id = any($1) and status = 'succeeded'`,
          [ids],
        );
        return rows.length === RUNS;
      });
    }, 90_000);

    it('a request by SQL that commits through a pooler wakes a worker that listens on a direct connection', async () => {
      await processes.endAll();
      await processes.worker({
        env: {
          DATABASE_URL: url,
          DATABASE_DIRECT_URL: database.url,
          DATABASE_PREPARED_STATEMENTS: 'off',
          SWEEP_INTERVAL_MS: '300000',
          ARM_HORIZON_MS: '900000',
        },
      });
      await eventually(async () => {
        const { rows } = await database.pool.query(
          `select from pg_stat_activity where datname = current_database() and application_name = 'carillon-listener'
             and state = 'idle' and query = 'select 1'`,
        );
        return rows.length === 1;
      });
      const pooled = openDatabase({ url, max: 1, applicationName: 'test', onError: () => {} });
      onTestFinished(() => pooled.end());
      await pooled.query(
        `select carillon.schedule(id => 'pooled', at => now(), target => '{"type":"handler","name":"noop"}')`,
      );
      await eventually(async () => {
        const { rows } = await database.pool.query(
          `select from carillon.runs r join carillon.schedules s on s.id = r.schedule_id
           where s.key = 'pooled' and r.status = 'succeeded'`,
        );
        return rows.length === 1;
      });
    }, 90_000);
  });
