import pg from 'pg';

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A server that is stopping sends an error event to idle clients. Without a listener, the event would end the
  // process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export type ReadinessAnswer =
  | { state: 'ready' }
  | { state: 'not yet' }
  | { state: 'refused'; reason: string };

/** The error codes of a server that has not bound its port yet, or is still starting or recovering. */
const NOT_YET = new Set(['ECONNREFUSED', 'ECONNRESET', '57P03']);

/** Finds out whether the server accepts our password and answers a query. */
export async function askWhetherReady(url: string): Promise<ReadinessAnswer> {
  try {
    await withClient(url, (client) => client.query('select 1'));
    return { state: 'ready' };
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    return NOT_YET.has(code) ? { state: 'not yet' } : { state: 'refused', reason: message };
  }
}

export function createDatabase(url: string, name: string): Promise<void> {
  return withClient(url, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  });
}

export function serverVersion(url: string): Promise<string> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? 'of unknown version';
  });
}
