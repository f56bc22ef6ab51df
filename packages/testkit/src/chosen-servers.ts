/**
 * The folder of the Postgres that tests run on, such as /usr/lib/postgresql/15; undefined for the embedded one. `pnpm
 * suite --postgres` sets it.
 */
export const POSTGRES_FOLDER = process.env.CARILLON_TEST_POSTGRES || undefined;

/** True if Carillon reaches Postgres through PgBouncer in every test. `pnpm suite --pgbouncer` sets it. */
export const USES_PGBOUNCER = process.env.CARILLON_TEST_PGBOUNCER === '1';

/** The settings of a process whose DATABASE_URL leads to PgBouncer 1.18, which keeps no prepared statements. */
export const poolerSettings = (directUrl: string) => ({
  DATABASE_DIRECT_URL: directUrl,
  DATABASE_PREPARED_STATEMENTS: 'off',
});
