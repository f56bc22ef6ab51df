import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import type { TestDatabase } from './database.js';

/** Creates a login role for one test file, without a right on any table, and opens a connection as that role. */
export function useRole(database: TestDatabase) {
  const name = `app_${randomBytes(6).toString('hex')}`;
  let client: pg.Client;
  beforeAll(async () => {
    await database.pool.query(`create role ${name} login password '${name}'`);
    const url = Object.assign(new URL(database.url), { username: name, password: name });
    client = new pg.Client({ connectionString: url.toString() });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await database.pool.query(`drop owned by ${name}`);
    await database.pool.query(`drop role ${name}`);
  });
  return {
    name,
    get client() {
      return client;
    },
  };
}

/** Runs statements in one transaction of a connection, and ends it with `commit` or `rollback`. */
export async function inUserTransaction(
  client: Pick<pg.Client, 'query'>,
  end: 'commit' | 'rollback',
  work: (client: Pick<pg.Client, 'query'>) => Promise<unknown>,
): Promise<void> {
  await client.query('begin');
  try {
    await work(client);
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
  await client.query(end);
}
