import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The PATH of this process, in which a natively installed Redis is looked for. */
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
 * Sets CARILLON_HANDLERS for the worker, which reads its settings from the environment. The worker runs in this process
 * or in a child process.
 */
export function setHandlersModule(module: string): void {
  process.env.CARILLON_HANDLERS = module;
}

/**
 * The files in CARILLON_HOME in which `npm start` stores addresses and keys, by the variable that each file replaces.
 */
const HOME_FILES = {
  DATABASE_URL: 'postgres.url',
  REDIS_URL: 'redis.url',
  CARILLON_ENCRYPTION_KEY: 'encryption.key',
  CARILLON_ADMIN_KEY: 'admin.key',
};

/** The environment of `carillon doctor`. Without DATABASE_URL, the command checks the installation in this folder. */
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
