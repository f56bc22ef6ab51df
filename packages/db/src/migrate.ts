import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { ensurePartitions } from './queries/ensure-partitions.js';

const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
/** Any number will do, as long as nobody else takes this advisory lock: the word "bell" in ASCII. */
const MIGRATION_LOCK = 0x62656c6c;

/** Brings the database up to date. Replicas that start together take turns; the later ones find nothing to do. */
export async function migrate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'carillon-migrate' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await applyMigrations(drizzle(client), { migrationsFolder: MIGRATIONS });
    await ensurePartitions(client, null);
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}
