import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { isInTheWay } from './is-away.js';
import { ensurePartitions } from './queries/ensure-partitions.js';

const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
/** Any number will do, as long as nobody else takes this advisory lock: the word "bell" in ASCII. */
const MIGRATION_LOCK = 0x62656c6c;
/**
 * How long a migration waits for a table. Everybody else queues up behind it meanwhile; and it is less than Postgres's
 * deadlock_timeout, so that where it and a worker wait for each other it is always the migration that gives way.
 */
const LOCK_TIMEOUT = '500ms';
/** How long workers and APIs have the tables to themselves before the next try. */
const PAUSE_MS = 250;
const MOST_TRIES = 100;

interface MigrateOptions {
  /** Where the migrations are. */
  folder?: string;
}

/**
 * Brings the database up to date, beside programs that are at work in it. Replicas that start together take turns;
 * the later ones find nothing to do.
 */
export async function migrate(url: string, { folder = MIGRATIONS }: MigrateOptions = {}): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'carillon-migrate' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
    for (let tried = 1; ; tried++) {
      try {
        await applyMigrations(drizzle(client), { migrationsFolder: folder });
        await ensurePartitions(client, null);
        return;
      } catch (error) {
        const { cause = error } = error as Error;
        if (!isInTheWay(cause)) throw error;
        if (tried === MOST_TRIES)
          throw new Error(
            `The database can't be migrated: for ${tried} tries, others held its tables locked. Look in pg_stat_activity for transactions that stay open, and end them.`,
            { cause },
          );
        await sleep(PAUSE_MS);
      }
    }
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}
