import { randomBytes } from 'node:crypto';
import { openDatabase } from '@carillon/db';
import type pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { dropDatabase, urlOf } from './administer.js';
import { testServers } from './servers.js';
import { copyTemplate } from './template-database.js';

export interface TestDatabase {
  /** The address of the database, without PgBouncer in between. */
  readonly url: string;
  /**
   * The address that Carillon uses: the one of PgBouncer if the tests run through PgBouncer, otherwise the same as
   * `url`.
   */
  readonly pooledUrl: string;
  readonly pool: pg.Pool;
  readonly redisUrl: string;
  /** BullMQ's key prefix, which separates this test file from others on the same Redis. */
  readonly prefix: string;
  /** The id of the default project. */
  readonly projectId: number;
}

/** Creates a migrated database and a Redis prefix for the calling test file, and removes both afterwards. */
export function useDatabase(): TestDatabase {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const { databaseUrl, redisUrl, pooledUrl: pooler } = testServers();
  const url = urlOf(databaseUrl, name);
  const pooledUrl = urlOf(pooler ?? databaseUrl, name);
  let pool: pg.Pool;

  beforeAll(async () => {
    await copyTemplate(databaseUrl, inject('templateDatabase'), name);
    pool = openDatabase({
      url: pooledUrl,
      max: 10,
      usesPreparedStatements: pooler === null,
      applicationName: 'carillon-test',
      onError: () => {},
    });
  });
  afterAll(async () => {
    await pool?.end();
    await dropDatabase(databaseUrl, name);
  });

  return {
    url,
    pooledUrl,
    redisUrl,
    prefix: name,
    projectId: 1,
    get pool() {
      return pool;
    },
  };
}
