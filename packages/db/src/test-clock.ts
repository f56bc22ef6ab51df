import pg from 'pg';
import type { Database } from './database.js';
import { statement } from './statement.js';

/**
 * Creates an empty database for a test. Its SQL functions that ask for the time return `now` until `setTestClock` sets
 * another instant. Returns the URL of the database.
 */
export async function createTestDatabase(
  serverUrl: string,
  { name, now }: { name: string; now: number },
): Promise<string> {
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).toString();
  await withClient(serverUrl, (client) => client.query(`create database ${client.escapeIdentifier(name)}`));
  await withClient(url, async (client) => {
    await client.query(INSTALL_CLOCK);
    await client.query('insert into carillon_clock.reading select to_timestamp($1::float8 / 1000)', [now]);
    // Postgres searches pg_catalog first, unless search_path lists it. Here it is listed after carillon_clock, so the
    // functions of carillon_clock replace the built-in ones.
    await client.query(
      `alter database ${client.escapeIdentifier(name)} set search_path = carillon_clock, pg_catalog, public`,
    );
  });
  return url;
}

/** SQL that replaces every function by which our statements and column defaults ask Postgres for the time. */
const INSTALL_CLOCK = `
  create schema carillon_clock;
  create table carillon_clock.reading (at timestamptz not null);
  create function carillon_clock.clock_timestamp() returns timestamptz language sql volatile
    as 'select at from carillon_clock.reading';
  create function carillon_clock.statement_timestamp() returns timestamptz language sql stable
    as 'select at from carillon_clock.reading';
  create function carillon_clock.now() returns timestamptz language sql stable
    as 'select at from carillon_clock.reading'`;

export const dropTestDatabase = (serverUrl: string, name: string): Promise<unknown> =>
  withClient(serverUrl, (client) =>
    client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`),
  );

const writeReading = statement<{ now: number }>(
  'set-test-clock',
  `update carillon_clock.reading set at = to_timestamp(:now::float8 / 1000)`,
);

export async function setTestClock(db: Database, now: number): Promise<void> {
  await writeReading(db, { now });
}

const selectNext = statement<{ now: number }, { dueAt: number | null }>(
  'read-next-test-instant',
  `select least(
     (select min(due_at) from carillon.agenda where due_at > to_timestamp(:now::float8 / 1000)),
     (select min(next_attempt_at) from carillon.runs
      where next_attempt_at > to_timestamp(:now::float8 / 1000) and next_attempt_at < 'infinity'),
     (select min(paused_until) from carillon.stopped_schedules
      where paused_until > to_timestamp(:now::float8 / 1000))) as "dueAt"`,
);

/**
 * The next instant after `now`, in any project, at which an occurrence or a run is due or a pause ends; null if there
 * is none.
 */
export async function readNextDueAt(db: Database, now: number): Promise<number | null> {
  const [row] = await selectNext(db, { now });
  return row?.dueAt ?? null;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'carillon-testing' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
