import pg from 'pg';
import { adoptPool } from './adopt-pool.js';
import { createPartition, missingMonth } from './history/partitions.js';
import { parseInstant } from './instants.js';
import { SCHEMA } from './schema/columns.js';

/** A pool, or a client of a pool that is in a transaction. Every query takes it as its first argument. */
export type Database = pg.Pool | pg.PoolClient;
export type Transaction = pg.PoolClient;

const { INT8, TIMESTAMPTZ, DATE } = pg.types.builtins;

/**
 * Parses a bigint as a number (our ids stay far below 2^53), a timestamptz as milliseconds since 1970, and a date as
 * text.
 */
export const TYPE_PARSERS: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return Number;
    if (oid === TIMESTAMPTZ) return parseInstant;
    if (oid === DATE) return String;
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

export interface DatabaseOptions {
  /** The URL of the server, or the settings of a connection to it. */
  url: string | pg.ClientConfig;
  /** A pool of the user's program, to be used instead of opening one. */
  pool?: pg.Pool | undefined;
  /** Maximum number of connections. */
  max: number;
  /**
   * Minimum number of connections, which stay open while idle. Without them, the first statements would wait some tens
   * of milliseconds until a connection is open and Postgres has planned the statements on it.
   */
  min?: number;
  /** The name that pg_stat_activity shows. */
  applicationName: string;
  /** The schema that holds Carillon's tables (default `carillon`). */
  schema?: string;
  /** False sends statements without names, for a pooler that does not keep prepared statements (default true). */
  usesPreparedStatements?: boolean;
  /**
   * How long to wait for a connection, and (`queryTimeoutMs`) for the answer to a statement. Without these limits, a
   * server that vanished would block the caller forever.
   */
  connectTimeoutMs?: number;
  queryTimeoutMs?: number;
  /**
   * Postgres ends a statement that runs for longer than this inside a transaction, and a transaction that is idle for
   * longer than this.
   */
  transactionTimeoutMs?: number;
  /**
   * If true, Postgres also ends statements outside of transactions after `transactionTimeoutMs`, and soon notices that
   * the host of a client has vanished. Without this time-out, a statement that waits for a lock keeps its session after
   * the client has given up, and each new try of the client takes another session. Must be false behind a pooler: these
   * settings belong to the session, which the pooler also gives to other clients.
   */
  limitsSessions?: boolean;
  /** Called with each new connection before its first use. If it fails, the connection is closed. */
  verify?: ((client: Transaction) => Promise<unknown>) | undefined;
  /**
   * True if the URL leads to a pooler in transaction mode, which may run each transaction of a connection in another
   * session of Postgres, or even on another server. So `verify` is called in each transaction as well, and a single
   * statement is sent as a transaction.
   */
  isPooled?: boolean;
  onError: (error: Error) => void;
}

export function openDatabase({
  url,
  pool: given,
  max,
  min = 0,
  applicationName,
  schema = SCHEMA,
  usesPreparedStatements = true,
  connectTimeoutMs = CONNECT_WITHIN_MS,
  queryTimeoutMs = 10_000,
  transactionTimeoutMs = 8_000,
  limitsSessions = false,
  verify,
  isPooled = false,
  onError,
}: DatabaseOptions): pg.Pool {
  const prepare = (client: pg.ClientBase) => {
    useSchema(client, schema);
    if (!usesPreparedStatements) dropStatementNames(client);
  };
  if (given) {
    const adopted = adoptPool(given, { types: TYPE_PARSERS, queryTimeoutMs, onConnect: prepare, verify });
    begins.set(adopted, beginWithin(transactionTimeoutMs));
    queryTimeouts.set(adopted, queryTimeoutMs);
    if (isPooled && verify) verifyTransactions(adopted, verify);
    return adopted;
  }
  const pool = new pg.Pool({
    ...(typeof url === 'string' ? { connectionString: url } : url),
    max,
    min,
    types: TYPE_PARSERS,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    // Pipelining: statements that do not depend on each other's results are sent without waiting.
    pipeline: true,
    query_timeout: queryTimeoutMs,
    ...(verify && {
      verify: (client: pg.PoolClient, done: (error?: Error) => void) => {
        verify(client).then(() => done(), done);
      },
    }),
  });
  begins.set(pool, beginWithin(transactionTimeoutMs));
  queryTimeouts.set(pool, queryTimeoutMs);
  // Without these two listeners, a broken connection would end the process. The pool's own event reports idle
  // connections only.
  pool.on('error', onError);
  pool.on('connect', (client) => {
    client.on('error', onError);
    prepare(client);
    // If the connection breaks here, its first use reports the error.
    if (limitsSessions)
      client
        .query(`set statement_timeout = ${Math.round(transactionTimeoutMs)}; ${NOTICE_VANISHED_CLIENT}`)
        .catch(() => {});
  });
  if (isPooled && verify) verifyTransactions(pool, verify);
  return pool;
}

/** For each pool that leads to a pooler: the check that is made at the beginning of each transaction. */
const verifiers = new WeakMap<pg.Pool, (tx: Transaction) => Promise<unknown>>();

function verifyTransactions(pool: pg.Pool, verify: (tx: Transaction) => Promise<unknown>): void {
  verifiers.set(pool, verify);
  const query = (...statement: [pg.QueryConfig, unknown[]?]) =>
    inTransaction(pool, (tx) => tx.query(...statement));
  Object.assign(pool, { query });
}

/**
 * True if a pooler may run each transaction of a connection in another session of Postgres. A setting must then not
 * outlive its transaction, because it would stay in a session that other clients use.
 */
export const isBehindPooler = (pool: pg.Pool): boolean => verifiers.has(pool);

/**
 * Makes Postgres notice within half a minute that the host of a client has vanished, and end its session. By default
 * Linux sends the first probe after two hours.
 */
export const NOTICE_VANISHED_CLIENT =
  'set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3';

/** How long to wait until a server accepts a connection. */
const CONNECT_WITHIN_MS = 5_000;

/** Creates a single connection outside of any pool, for work that is done once at the start, such as migrations. */
export function singleClient(
  server: string | pg.ClientConfig,
  applicationName: string,
  queryTimeoutMs?: number,
): pg.Client {
  return new pg.Client({
    ...(typeof server === 'string' ? { connectionString: server } : server),
    types: TYPE_PARSERS,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
    ...(queryTimeoutMs !== undefined && { query_timeout: queryTimeoutMs }),
  });
}

/**
 * Makes a client send statements without their names. Postgres drops an unnamed statement after its execution, so this
 * works behind a pooler that may send each transaction to another session of Postgres.
 */
function dropStatementNames(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const unnamed = (statement: unknown, ...rest: unknown[]) => {
    if (typeof statement === 'string' || !(statement as { name?: string }).name)
      return query(statement, ...rest);
    const { name: _, ...others } = statement as { name: string };
    return query(others, ...rest);
  };
  Object.assign(client, { query: unnamed });
}

/** Makes a client replace the schema name `carillon` in our statements by another schema. */
export function useSchema(client: pg.ClientBase, schema: string): void {
  if (schema === SCHEMA) return;
  const rename = schemaRenamer(schema);
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const renamed = (statement: unknown, ...rest: unknown[]) => {
    if (typeof statement === 'string') return query(rename(statement), ...rest);
    const { text } = statement as { text?: unknown };
    return typeof text === 'string'
      ? query({ ...(statement as object), text: rename(text) }, ...rest)
      : query(statement, ...rest);
  };
  Object.assign(client, { query: renamed });
}

function schemaRenamer(schema: string): (text: string) => string {
  const quoted = pg.escapeIdentifier(schema);
  const renamed = new Map<string, string>();
  return (text) => {
    const known = renamed.get(text);
    if (known !== undefined) return known;
    const made = text.replace(/"carillon"(?=[.;]|$)|\bcarillon(?=\.)/gm, quoted);
    if (renamed.size < 1_000) renamed.set(text, made);
    return made;
  };
}

/** The statement that begins a transaction, for each pool. */
const begins = new WeakMap<pg.Pool, string>();

/**
 * How long our statements wait for an answer, for each pool. A pool of the user's program may have another time-out of
 * its own, so ours is kept here.
 */
const queryTimeouts = new WeakMap<pg.Pool, number>();

export function queryTimeoutOf(pool: pg.Pool): number {
  const timeoutMs = queryTimeouts.get(pool);
  if (timeoutMs === undefined) throw new Error('this pool was not opened by openDatabase');
  return timeoutMs;
}

/**
 * The server ends a transaction that is idle or whose statement takes too long, so that a frozen or vanished process
 * does not keep its rows locked. While the server sends a large result to such a process, only the limit for TCP ends
 * the transaction. The limits are set for each transaction and not for the session: a connection pooler hands the
 * session to the next client.
 */
const beginWithin = (ms: number) =>
  `begin; ${['idle_in_transaction_session_timeout', 'statement_timeout', 'tcp_user_timeout']
    .map((name) => `set local ${name} = ${Math.round(ms)}`)
    .join('; ')}`;

/**
 * Planner settings for the statements that claim and close runs. They make Postgres look rows up by key, even if
 * the statistics of a table are outdated, and plan each statement once per connection.
 *
 * By default, a plan that was made while a table was nearly empty would read the whole table. Postgres keeps such a
 * plan, and would still use it a second later, when many rows are due. With the alternatives switched off, each plan is
 * a nested loop of index lookups. By default Postgres would also plan each statement again in its first five executions
 * on a connection.
 */
const PLAN_BY_KEY = [
  'set local enable_seqscan = off',
  'set local enable_hashjoin = off',
  'set local enable_mergejoin = off',
  'set local plan_cache_mode = force_generic_plan',
].join('; ');

/**
 * Runs `work` in one transaction, which is committed when `work` returns and rolled back when it throws. If `db` is in
 * a transaction already, `work` runs in a savepoint of it. If a row belongs to a month that has no partition yet, the
 * partition is created and `work` runs again.
 */
export async function inTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  if (!(db instanceof pg.Pool)) return inSavepoint(db, work);
  return transactWithPartition(db, work, begins.get(db) ?? 'begin');
}

/**
 * Runs `work` in a transaction in which Postgres looks rows up by key (`PLAN_BY_KEY`). For the statements that claim
 * and close runs, and for the statements of a bulk action, which change a thousand schedules each.
 */
export function inFireTransaction<T>(pool: pg.Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return transactWithPartition(pool, work, `${begins.get(pool) ?? 'begin'}; ${PLAN_BY_KEY}`);
}

async function transactWithPartition<T>(
  pool: pg.Pool,
  work: (tx: Transaction) => Promise<T>,
  begin: string,
): Promise<T> {
  try {
    return await transact(pool, work, begin);
  } catch (error) {
    const month = missingMonth(error);
    if (month === null) throw error;
    await createPartition(pool, month);
    return transact(pool, work, begin);
  }
}

async function transact<T>(pool: pg.Pool, work: (tx: Transaction) => Promise<T>, begin: string): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onBroken = (error: Error) => {
    broken = error;
  };
  client.on('error', onBroken);
  try {
    const verify = verifiers.get(pool);
    if (verify) await inOnePacket(client, () => [client.query(begin), verify(client)]);
    const [, result] = await inOnePacket(client, () => [verify ? null : client.query(begin), work(client)]);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.off('error', onBroken);
    // A connection that broke, or could not even roll back, must not be reused.
    client.release(broken);
  }
}

/**
 * Sends all statements that the callback issues synchronously in one packet, so that Postgres has to wake up only once
 * for all of them.
 */
function inOnePacket<T extends unknown[]>(
  client: Transaction,
  ask: () => { [K in keyof T]: T[K] | Promise<T[K]> },
): Promise<T> {
  const { stream } = client.connection;
  stream.cork();
  try {
    return Promise.all(ask()) as Promise<T>;
  } finally {
    stream.uncork();
  }
}

async function inSavepoint<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await tx.query('savepoint within');
  try {
    const result = await work(tx);
    await tx.query('release savepoint within');
    return result;
  } catch (error) {
    await tx.query('rollback to savepoint within');
    throw error;
  }
}
