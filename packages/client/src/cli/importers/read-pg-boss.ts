import pg from 'pg';
import { UsageError } from '../usage-error.js';
import type { PgBossRow } from './pg-boss.js';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Reads the schedules of pg-boss from Postgres. The statement selects `*`, because the table has fewer columns in older
 * versions of pg-boss.
 */
export async function readPgBoss(url: string, schema: string): Promise<PgBossRow[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  try {
    await client.connect();
    const table = `${client.escapeIdentifier(schema)}.schedule`;
    const { rows } = await client.query<PgBossRow>(`select * from ${table} order by name`);
    return rows;
  } catch (error) {
    throw new UsageError(
      `cannot read schedules of pg-boss from ${schema}.schedule: ${(error as Error).message}`,
    );
  } finally {
    await client.end().catch(() => {});
  }
}
