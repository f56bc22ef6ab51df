import pg from 'pg';

/** A pool, or a client of it that is in a transaction. Always the first argument of a query. */
export type Database = pg.Pool | pg.PoolClient;
export type Transaction = pg.PoolClient;

/** Keys are bigint; they stay far below 2^53, so numbers will do. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

export interface DatabaseOptions {
  url: string;
  /** Connections at most. */
  max: number;
  /** How many of them stay open while there is nothing to do; opening one, and planning on it, takes tens of milliseconds. */
  kept?: number;
  /** Shows in pg_stat_activity. */
  applicationName: string;
  /** How long to wait for a connection, and for a statement: a server that vanished without a word answers neither. */
  connectTimeoutMs?: number;
  queryTimeoutMs?: number;
  onError: (error: Error) => void;
  /** For the engine's statements: see BY_INDEX. */
  byIndex?: boolean;
}

/**
 * The engine's statements all go by index, row by row from a batch. Plans are made once per connection, often when the
 * tables are still empty, and a hash join or a sequential scan that was right then is ruinous a minute later.
 */
const BY_INDEX = [
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'enable_seqscan=off',
  'enable_material=off',
  'plan_cache_mode=force_generic_plan',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

export function openDatabase({
  url,
  max,
  kept = 0,
  applicationName,
  connectTimeoutMs = 5_000,
  queryTimeoutMs = 60_000,
  onError,
  byIndex = false,
}: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    min: kept,
    types,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // Statements that do not wait for each other's answers travel together.
    pipeline: true,
    query_timeout: queryTimeoutMs,
    ...(byIndex ? { options: BY_INDEX } : {}),
  });
  // A connection that breaks is reported here while it is idle, and by itself while it is in use, also to whoever has
  // its error already: unhandled, either would end the process.
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

/** Runs `work` in one transaction: committed when it returns, rolled back when it throws. Within another, it joins that one. */
export async function inTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  if (!(db instanceof pg.Pool)) return inSavepoint(db, work);
  const client = await db.connect();
  let broken: Error | undefined;
  // The pool listens to idle connections only: one that breaks while it is ours would end the process.
  const onBroken = (error: Error) => {
    broken = error;
  };
  client.on('error', onBroken);
  try {
    const [, result] = await together(client, () => [client.query('begin'), work(client)]);
    if (client.getTransactionStatus() !== AT_REST) await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.off('error', onBroken);
    // A connection that broke, or could not even roll back, is not given to the next.
    client.release(broken);
  }
}

const AT_REST = 'I';

/** What is asked in one go travels in one packet: whoever is woken by it finds all of it there. */
function together<T extends unknown[]>(
  client: Transaction,
  ask: () => { [K in keyof T]: Promise<T[K]> },
): Promise<T> {
  const { stream } = client.connection;
  stream.cork();
  try {
    return Promise.all(ask()) as Promise<T>;
  } finally {
    stream.uncork();
  }
}

/** The last statement of a transaction, sent together with its commit. Where the statement fails, nothing is committed. */
export async function askLast<R extends unknown[]>(
  tx: Transaction,
  query: pg.QueryArrayConfig,
): Promise<pg.QueryArrayResult<R>> {
  const [result] = await together(tx, () => [tx.query<R>(query), tx.query('commit')]);
  return result;
}

/** The same within a transaction that is under way: what is made here stands or falls with it. */
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
