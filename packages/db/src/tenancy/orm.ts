import { NodePgDatabase, NodePgSession } from 'drizzle-orm/node-postgres';
import { PgDialect, type PgPreparedQuery, type PreparedQueryConfig } from 'drizzle-orm/pg-core';
import type { Database } from '../database.js';

const dialect = new PgDialect();

/** Drizzle's query builder on a pool, or inside the caller's transaction. */
export function orm(db: Database): NodePgDatabase {
  return new NodePgDatabase(dialect, new Session(db, dialect, undefined), undefined);
}

type NoTables = Record<string, never>;
type PrepareArguments = Parameters<NodePgSession<NoTables, NoTables>['prepareQuery']>;

/**
 * Drizzle wraps each error of Postgres in one of its own, whose message lists the parameters. The wrapper would hide
 * the SQLSTATE from `isDatabaseAway`, and it would carry secrets into the logs. This session throws the error of
 * Postgres.
 */
class Session extends NodePgSession<NoTables, NoTables> {
  override prepareQuery<T extends PreparedQueryConfig>(...args: PrepareArguments): PgPreparedQuery<T> {
    return Object.assign(super.prepareQuery<T>(...args), { queryWithCache: sendUnwrapped });
  }
}

/** Replaces the method of drizzle's prepared query that sends a statement and wraps its error. */
function sendUnwrapped<T>(_text: string, _parameters: unknown[], send: () => Promise<T>): Promise<T> {
  return send();
}
