import type { EventEmitter } from 'node:events';
import { inTransaction, openDatabase } from '@carillon/db';
import { eventually, useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';

const database = useDatabase();

it('a Postgres connection lost between two statements fails its transaction and leaves the pool, and the process goes on', async () => {
  const lost = inTransaction(database.pool, async (tx) => {
    const { rows } = await tx.query('select pg_backend_pid() as pid');
    // The connection breaks between two statements, so there is no promise that could be rejected with the error.
    const connectionEnds = new Promise((resolve) => (tx as unknown as EventEmitter).once('end', resolve));
    await database.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
    await connectionEnds;
    await tx.query('select 1');
  });

  await expect(lost).rejects.toThrow();

  const answers = await Promise.all(Array.from({ length: 20 }, () => database.pool.query('select 1')));
  expect(answers).toHaveLength(20);
});

it('a statement that waits for a lock leaves no session behind in Postgres after its time-out', async () => {
  const pool = openDatabase({
    url: database.url,
    max: 3,
    applicationName: 'limited',
    queryTimeoutMs: 600,
    transactionTimeoutMs: 300,
    limitsSessions: true,
    onError: () => {},
  });
  const locker = await database.pool.connect();
  try {
    await locker.query('begin; lock table carillon.calendars in access exclusive mode');
    const reads = Array.from({ length: 3 }, () => pool.query('select from carillon.calendars'));
    expect(await Promise.allSettled(reads)).toMatchObject(reads.map(() => ({ status: 'rejected' })));
    await eventually(
      async () => {
        const { rowCount } = await database.pool.query(
          `select from pg_stat_activity where application_name = 'limited' and wait_event_type = 'Lock'`,
        );
        return rowCount === 0;
      },
      { what: 'the end of the waiting sessions' },
    );
  } finally {
    await locker.query('rollback');
    locker.release();
    await pool.end();
  }
});

it('Postgres notices within half a minute that the host of a connection has vanished, and not after two hours', async () => {
  const pool = openDatabase({
    url: database.url,
    max: 1,
    applicationName: 'probed',
    limitsSessions: true,
    onError: () => {},
  });
  const { rows } = await pool.query(
    `select name, setting::int from pg_settings where name like 'tcp_keepalives_%'`,
  );
  await pool.end();
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    tcp_keepalives_idle: 15,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
  });
});
