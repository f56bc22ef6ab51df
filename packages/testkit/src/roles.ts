import { randomBytes } from 'node:crypto';
import { openDatabase } from '@carillon/db';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { dropDatabase, urlOf, withAdmin } from './administer.js';
import type { TestDatabase } from './database.js';
import { testServers } from './servers.js';

/** Creates a login role for one test file, without any right on a table, and opens a connection as that role. */
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

/**
 * Creates a role without superuser rights and an empty database that the role owns, as a hosted Postgres offers them.
 * The URLs and the pool that are returned connect as that role.
 */
export function useOwnedDatabase(): TestDatabase & { role: string } {
  const role = `owner_${randomBytes(6).toString('hex')}`;
  const name = `test_${role}`;
  const { databaseUrl, redisUrl } = testServers();
  const url = Object.assign(new URL(urlOf(databaseUrl, name)), { username: role, password: role }).toString();
  let pool: pg.Pool;
  beforeAll(async () => {
    await withAdmin(databaseUrl, async (admin) => {
      await admin.query(
        `create role ${role} login nosuperuser nocreatedb nocreaterole noreplication password '${role}'`,
      );
      await admin.query(`create database ${name} owner ${role}`);
    });
    pool = openDatabase({ url, max: 10, applicationName: 'carillon-test', onError: () => {} });
  });
  afterAll(async () => {
    await pool?.end();
    await dropDatabase(databaseUrl, name);
    await withAdmin(databaseUrl, async (admin) => void (await admin.query(`drop role ${role}`)));
  });
  return {
    role,
    url,
    pooledUrl: url,
    redisUrl,
    prefix: name,
    projectId: 1,
    get pool() {
      return pool;
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
