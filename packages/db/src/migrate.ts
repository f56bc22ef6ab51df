import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { NOTICE_VANISHED_CLIENT, singleClient, useSchema } from './database.js';
import { isConflict, UnsupportedDatabase } from './errors.js';
import { ensurePartitions } from './history/partitions.js';
import { probePooler } from './pooler.js';
import { SCHEMA } from './schema/columns.js';

const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
/**
 * The number of an advisory lock that only migrations of Carillon take: the word "bell" in ASCII. The lock belongs to
 * the session, because a lock of a transaction would be released too early. Drizzle's migrator creates its schema and
 * table by single statements, and then commits a transaction of its own for the migrations. The partitions are created
 * after that commit, and a failed try is repeated in a new transaction.
 */
const MIGRATION_LOCK = 0x62656c6c;
/**
 * How long a migration waits for a table lock. While it waits, every other statement on that table queues up behind it.
 * The limit is shorter than Postgres's deadlock_timeout, so in a deadlock with a worker it is the migration that fails,
 * and it tries again.
 */
const LOCK_TIMEOUT = '500ms';
/** The pause before the next try. Meanwhile workers and APIs can use the tables. */
const RETRY_PAUSE_MS = 250;
const MAX_LOCK_TRIES = 100;
/**
 * Makes Postgres end the session of a migration whose process is frozen or whose host has vanished. Otherwise the locks
 * of this session would keep every other process from starting.
 */
const END_IF_VANISHED = `set idle_session_timeout = '1min'; set idle_in_transaction_session_timeout = '1min';
  ${NOTICE_VANISHED_CLIENT}`;
const ANSWER_WITHIN_MS = 10_000;

interface MigrateOptions {
  /** The schema that holds Carillon's tables. It also holds the table that records which migrations were applied. */
  schema?: string;
  /** The folder of the migrations. */
  folder?: string;
}

/**
 * Applies the migrations that are missing, while other programs may work in the database. If several processes start
 * together, one of them migrates, and the others wait and then find nothing to do.
 */
export async function migrate(
  server: string | pg.ClientConfig,
  { schema = SCHEMA, folder = MIGRATIONS }: MigrateOptions = {},
): Promise<void> {
  await refusePooler(server);
  const client = singleClient(server, 'carillon-migrate');
  useSchema(client, schema);
  await client.connect();
  try {
    await client.query(END_IF_VANISHED);
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
    await refusePreRelease(client);
    await untilUncontended(async () => {
      await applyMigrations(drizzle(client), {
        migrationsFolder: folder,
        migrationsSchema: schema,
        migrationsTable: 'migrations',
      });
      await ensurePartitions(client, null);
    });
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}

/**
 * Throws a one-line error if migrations are missing, so that the command `migrate` must be run first. Changes nothing.
 */
export async function verifyMigrated(
  url: string,
  { schema = SCHEMA, folder = MIGRATIONS }: MigrateOptions = {},
): Promise<void> {
  const wanted = readMigrationFiles({ migrationsFolder: folder }).at(-1)?.folderMillis ?? 0;
  const client = singleClient(url, 'carillon-verify', ANSWER_WITHIN_MS);
  await client.connect();
  try {
    const table = `${pg.escapeIdentifier(schema)}.migrations`;
    const { rows } = await client.query('select to_regclass($1) is not null as "isThere"', [table]);
    const applied = rows[0]?.isThere
      ? (await client.query(`select max(created_at)::text as at from ${table}`)).rows[0]?.at
      : null;
    if (Number(applied ?? 0) >= wanted) return;
  } finally {
    await client.end();
  }
  throw new UnsupportedDatabase(
    `The tables in the schema "${schema}" are missing or older than this version: run the command migrate first, or set MIGRATE_ON_START=true`,
  );
}

/**
 * Refuses a pooler in transaction mode. A migration keeps a lock and settings in its session, and such a pooler would
 * give the session to other clients.
 */
async function refusePooler(server: string | pg.ClientConfig): Promise<void> {
  if ((await probePooler(server)).sharesBackends)
    throw new UnsupportedDatabase(
      'This address leads to a connection pooler in transaction mode, and migrations need a session of their own: set DATABASE_DIRECT_URL to Postgres itself',
    );
}

/**
 * Refuses a database of the pre-release, which kept its tables in the schema `public` in a form that no migration can
 * convert.
 */
async function refusePreRelease(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ isPreRelease: boolean }>(
    `select to_regclass('public.schedule_versions') is not null and to_regclass('public.leases') is not null as "isPreRelease"`,
  );
  if (rows[0]?.isPreRelease)
    throw new UnsupportedDatabase(
      'This database holds the tables of a Carillon pre-release (public.schedule_versions), which can’t be upgraded. ' +
        'Use an empty database, or delete the data folder (.carillon) of an embedded installation.',
    );
}

async function untilUncontended(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const { cause = error } = error as Error;
      if (!isConflict(cause)) throw error;
      if (tries === MAX_LOCK_TRIES)
        throw new Error(
          `The database can't be migrated: ${tries} tries found its tables locked. Look in pg_stat_activity for transactions that stay open, and end them.`,
          { cause },
        );
      await sleep(RETRY_PAUSE_MS);
    }
  }
}
