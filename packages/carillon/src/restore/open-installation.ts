import { openDatabase } from '@carillon/db';
import { readConfig as readWorkerConfig } from '@carillon/worker';
import type { Pool } from 'pg';

export interface OpenInstallation {
  pool: Pool;
  close(): Promise<void>;
}

/** Connects to the Postgres of an installation, with the same settings as a worker. */
export function openInstallation(environment: NodeJS.ProcessEnv): OpenInstallation | { problem: string } {
  const config = readWorkerConfig(environment);
  if ('problems' in config) return { problem: config.problems.join('; ') };
  const pool = openDatabase({
    url: config.DATABASE_URL,
    schema: config.DATABASE_SCHEMA,
    usesPreparedStatements: config.DATABASE_PREPARED_STATEMENTS,
    max: 2,
    applicationName: 'carillon-restore',
    connectTimeoutMs: 3_000,
    // A dry run reads every overdue schedule, which may take long.
    queryTimeoutMs: 60_000,
    transactionTimeoutMs: 60_000,
    onError: () => {},
  });
  return { pool, close: () => pool.end() };
}
