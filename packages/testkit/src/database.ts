import { randomBytes } from 'node:crypto';
import { migrate, openDatabase } from '@carillon/db';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { testServers } from './servers.js';

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly redisUrl: string;
  /** BullMQ's key prefix, which separates this test file from others on the same Redis. */
  readonly prefix: string;
  /** The default project. */
  readonly projectId: number;
}

/** Creates a migrated database and a Redis prefix for the calling test file, and removes both afterwards. */
export function useDatabase(): TestDatabase {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const { databaseUrl, redisUrl } = testServers();
  const url = Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).toString();
  let pool: pg.Pool;

  beforeAll(async () => {
    await administer(databaseUrl, `create database ${name}`);
    await migrate(url);
    pool = openDatabase({ url, max: 10, applicationName: 'carillon-test', onError: () => {} });
  });
  afterAll(async () => {
    await pool?.end();
    await administer(databaseUrl, `drop database if exists ${name} with (force)`);
  });

  return {
    url,
    redisUrl,
    prefix: name,
    projectId: 1,
    get pool() {
      return pool;
    },
  };
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
