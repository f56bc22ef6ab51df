import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { singleClient } from './database.js';
import { UnsupportedDatabase } from './errors.js';

/**
 * How a connection pooler between this process and Postgres behaves. Both fields are false without a pooler, and with a
 * pooler in session mode.
 */
export interface PoolerTraits {
  /**
   * True if one Postgres session (backend) served two open connections, which means that the pooler works in
   * transaction mode.
   */
  sharesBackends: boolean;
  /** True if a prepared statement of one connection collides with one of another connection, or is lost. */
  breaksPreparedStatements: boolean;
}

export interface PoolerOptions {
  server: string | pg.ClientConfig;
  hasDirectUrl: boolean;
  usesPreparedStatements: boolean;
}

/**
 * How often the probe is repeated. Once is not enough, because a busy pooler in transaction mode may give the two
 * connections different backends by chance.
 */
const PROBES = 5;
/** Error codes (SQLSTATE): a prepared statement with this name exists already, or does not exist. */
const BROKEN_STATEMENT = new Set(['42P05', '26000']);

/**
 * Throws before the start if a pooler would make statements fail later. The error is one line that names the setting to
 * change.
 */
export async function verifyPooler({ server, ...options }: PoolerOptions): Promise<void> {
  const problem = explainPooler(await probePooler(server), options);
  if (problem !== null) throw new UnsupportedDatabase(problem);
}

/** Says which settings a pooler with these traits needs; null if none is missing. */
export function explainPooler(
  { sharesBackends, breaksPreparedStatements }: PoolerTraits,
  { hasDirectUrl, usesPreparedStatements }: Omit<PoolerOptions, 'server'>,
): string | null {
  const settings: string[] = [];
  if (breaksPreparedStatements && usesPreparedStatements)
    settings.push('DATABASE_PREPARED_STATEMENTS=off, because it does not keep prepared statements');
  if (sharesBackends && !hasDirectUrl)
    settings.push('DATABASE_DIRECT_URL to Postgres itself, because migrations need a session of their own');
  if (settings.length === 0) return null;
  return `DATABASE_URL leads to a connection pooler in transaction mode: set ${settings.join('; and set ')}`;
}

/**
 * Finds out with two connections whether there is a pooler in transaction mode. Without one, two open connections never
 * share a backend.
 */
export async function probePooler(server: string | pg.ClientConfig): Promise<PoolerTraits> {
  const [first, second] = [0, 1].map(() => singleClient(server, 'carillon-probe', 10_000)) as [
    pg.Client,
    pg.Client,
  ];
  const probe = { name: `carillon_probe_${randomUUID()}`, text: 'select pg_backend_pid() as pid' };
  const readPid = async (client: pg.Client): Promise<number> => (await client.query(probe)).rows[0].pid;
  try {
    await Promise.all([first.connect(), second.connect()]);
    for (let tries = 0; tries < PROBES; tries++) {
      const firstPid = await readPid(first);
      await second.query('begin');
      const secondPid = await readPid(second);
      await second.query('rollback');
      if (firstPid === secondPid) return { sharesBackends: true, breaksPreparedStatements: false };
    }
    return { sharesBackends: false, breaksPreparedStatements: false };
  } catch (error) {
    if (!BROKEN_STATEMENT.has((error as { code?: string }).code ?? '')) throw error;
    return { sharesBackends: true, breaksPreparedStatements: true };
  } finally {
    await Promise.allSettled([first.end(), second.end()]);
  }
}
