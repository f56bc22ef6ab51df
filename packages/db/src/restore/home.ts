import type { CurrentHome, Home } from '@carillon/shared';
import type { Database } from '../database.js';
import { statement } from '../statement.js';

type Server = Omit<CurrentHome, 'address'>;

/**
 * `pg_control_checkpoint()` shows a new timeline only after the next checkpoint. Therefore the timeline is taken from
 * the name of a WAL file.
 */
const selectServer = statement<object, Server>(
  'read-server-identity',
  `select (select system_identifier::text from pg_control_system()) as "systemIdentifier",
          (select oid::bigint from pg_database where datname = current_database()) as "databaseOid",
          ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as timeline`,
);

/**
 * Reads the identity of the Postgres server and its database. A managed Postgres may not allow this. Then all fields
 * are null, and the server is not compared with the one that was recorded.
 */
export async function readServerIdentity(db: Database): Promise<Server> {
  const unknown = { systemIdentifier: null, databaseOid: null, timeline: null };
  const [server] = await selectServer(db, {}).catch(() => []);
  return server ?? unknown;
}

const update = statement<{ home: string; generation: number }>(
  'record-home',
  'update carillon.installation set home = :home::jsonb where held_at is null and generation = :generation',
);

/** Records the Postgres server that the workers use. At later starts, workers compare their server with it. */
export async function recordHome(db: Database, home: Home, generation: number): Promise<void> {
  await update(db, { home: JSON.stringify(home), generation });
}
