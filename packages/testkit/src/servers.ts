import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    databaseUrl: string;
    redisUrl: string;
    /** The name of the migrated database that the databases of the test files are copied from. */
    templateDatabase: string;
    /** The URL of Postgres by way of PgBouncer; null if the tests run without PgBouncer. */
    pooledUrl: string | null;
    /** The folder of the bundled API and worker. */
    apps: string;
  }
}

/** The real Postgres and Redis that global-setup started for this test run. */
export function testServers(): { databaseUrl: string; redisUrl: string; pooledUrl: string | null } {
  return {
    databaseUrl: inject('databaseUrl'),
    redisUrl: inject('redisUrl'),
    pooledUrl: inject('pooledUrl'),
  };
}
