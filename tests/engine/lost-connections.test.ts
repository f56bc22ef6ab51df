import type { EventEmitter } from 'node:events';
import { inTransaction } from '@carillon/db';
import { useDatabase } from '@carillon/testkit';
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
