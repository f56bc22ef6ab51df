import type { Database } from '../database.js';
import { statement } from '../statement.js';

/** The server and its settings, for `carillon doctor`. */
export interface ServerFacts {
  /** For example 150004. */
  versionNumber: number;
  version: string;
  isReplica: boolean;
  hasAutovacuum: boolean;
  /** True if `track_counts` is on. Otherwise autovacuum does not know which tables have dead rows. */
  hasTrackCounts: boolean;
  /** The role of this connection. */
  role: string;
  /** True if the role may see the transactions of other roles. */
  seesOtherSessions: boolean;
  connections: number;
  maxConnections: number;
  extensions: string[];
}

const selectServer = statement<Record<string, never>, ServerFacts>(
  'doctor-server',
  `select current_setting('server_version_num')::int as "versionNumber", current_setting('server_version') as version,
          pg_is_in_recovery() as "isReplica", current_setting('autovacuum')::boolean as "hasAutovacuum",
          current_setting('track_counts')::boolean as "hasTrackCounts",
          current_user::text as role, pg_has_role(current_user, 'pg_read_all_stats', 'usage') as "seesOtherSessions",
          -- Postgres may hide the type of another role's session. Such a session counts as a client if it has a
          -- database: most background processes of the server have none.
          (select count(*) from pg_stat_activity
           where datid is not null and coalesce(backend_type, 'client backend') = 'client backend') as connections,
          current_setting('max_connections')::int as "maxConnections",
          array(select extname::text from pg_extension order by 1) as extensions`,
);

export async function readServerFacts(db: Database): Promise<ServerFacts> {
  const [facts] = await selectServer(db, {});
  return facts as ServerFacts;
}

/** The names of invalid indexes: building them failed, so Postgres does not use them. */
export async function readInvalidIndexes(db: Database, schema: string): Promise<string[]> {
  return (await selectInvalidIndexes(db, { schema })).map(({ name }) => name);
}

const selectInvalidIndexes = statement<{ schema: string }, { name: string }>(
  'doctor-invalid-indexes',
  `select indexrelid::regclass::text as name from pg_index
   join pg_class on pg_class.oid = indexrelid join pg_namespace on pg_namespace.oid = relnamespace
   where nspname = :schema::text and not (indisvalid and indisready) order by 1`,
);

export interface OpenTransaction {
  pid: number;
  application: string;
  state: string;
  ageMs: number;
}

/** The oldest open transaction of this database, apart from our own. Null if our role sees no other transaction. */
export async function readLongestTransaction(db: Database): Promise<OpenTransaction | null> {
  const [longest] = await selectLongestTransaction(db, {});
  return longest ?? null;
}

const selectLongestTransaction = statement<Record<string, never>, OpenTransaction>(
  'doctor-longest-transaction',
  `select pid, application_name as application, coalesce(state, 'unknown') as state,
          (extract(epoch from clock_timestamp() - xact_start) * 1000)::float8 as "ageMs"
   from pg_stat_activity
   where datname = current_database() and xact_start is not null and pid <> pg_backend_pid() and backend_type = 'client backend'
   order by xact_start limit 1`,
);

export interface DeadRows {
  table: string;
  live: number;
  dead: number;
  hasAutovacuum: boolean;
}

/** The tables of the schema with their dead rows, most dead rows first. */
export const readDeadRows = statement<{ schema: string }, DeadRows>(
  'doctor-dead-rows',
  `select s.relname::text as "table", s.n_live_tup as live, s.n_dead_tup as dead,
          not coalesce('autovacuum_enabled=false' = any(c.reloptions) or 'autovacuum_enabled=off' = any(c.reloptions), false) as "hasAutovacuum"
   from pg_stat_user_tables s join pg_class c on c.oid = s.relid
   where s.schemaname = :schema::text order by s.n_dead_tup desc, s.relname`,
);
