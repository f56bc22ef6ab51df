import { inTransaction } from '@carillon/db';
import { useDatabase } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';

const database = useDatabase();

describe('A connection that is lost in a transaction', () => {
  it('fails that transaction, and neither ends the process nor comes back to the pool', async () => {
    const lost = inTransaction(database.pool, async (tx) => {
      const { rows } = await tx.query(`select pg_backend_pid() as pid`);
      await database.pool.query(`select pg_terminate_backend($1)`, [rows[0].pid]);
      // Between two statements, when nobody waits for an answer.
      await new Promise((resolve) => setTimeout(resolve, 100));
      await tx.query(`select 1`);
    });

    await expect(lost).rejects.toThrow();

    const answers = await Promise.all(Array.from({ length: 20 }, () => database.pool.query(`select 1`)));
    expect(answers).toHaveLength(20);
  });
});
