import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The PATH of this process, by which a Redis that is installed on this machine is found. */
export const readPath = (): string => process.env.PATH ?? '';

/** True if npm runs this process as a script of a package.json. */
export const isNpmScript = (): boolean => process.env.npm_lifecycle_event !== undefined;

/**
 * The URLs of the servers that tests with `@carillon/testing` use instead of embedded ones, such as the services of a
 * CI job.
 */
export const readTestServers = () => ({
  databaseUrl: process.env.CARILLON_TEST_DATABASE_URL || undefined,
  redisUrl: process.env.CARILLON_TEST_REDIS_URL || undefined,
});

/**
 * Passes the module of handlers to the worker, which reads CARILLON_HANDLERS from the environment. The worker runs in
 * this process or in a child process.
 */
export function setHandlersModule(module: string): void {
  process.env.CARILLON_HANDLERS = module;
}

/** For each environment variable: the file in CARILLON_HOME to which `npm start` writes its value. */
const HOME_FILES = {
  DATABASE_URL: 'postgres.url',
  REDIS_URL: 'redis.url',
  CARILLON_ENCRYPTION_KEY: 'encryption.key',
  CARILLON_ADMIN_KEY: 'admin.key',
};

/**
 * The environment of `carillon doctor` and `carillon restore`. Without DATABASE_URL, missing addresses and keys are
 * read from the files that `npm start` wrote to CARILLON_HOME (default `.carillon`).
 */
export function readDoctorEnvironment(): NodeJS.ProcessEnv {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value?.trim()));
  if (given.DATABASE_URL !== undefined) return given;
  const home = given.CARILLON_HOME ?? '.carillon';
  const local = Object.entries(HOME_FILES).flatMap(([variable, file]) => {
    try {
      return [[variable, readFileSync(join(home, file), 'utf8').trim()]];
    } catch {
      return [];
    }
  });
  return { ...Object.fromEntries(local), ...given };
}
