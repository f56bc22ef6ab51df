import { expect, test } from 'vitest';
import { readConfig } from './config.js';
import { StartError } from './start-error.js';

test('without any environment variable, npm start runs its own Postgres and Redis, and its API listens on this machine only', () => {
  expect(readConfig('/project', {})).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    databaseUrl: undefined,
    redisUrl: undefined,
    home: '/project/.carillon',
    workers: 2,
    allowPrivateTargets: 'true',
    watch: 'true',
  });
});

test('npm start with a REDIS_URL does not watch handlers for changes, unless CARILLON_WATCH is true', () => {
  const shared = { REDIS_URL: 'redis://cache:6379' };
  expect(readConfig('/project', shared).watch).toBe('false');
  expect(readConfig('/project', { ...shared, CARILLON_WATCH: 'true' }).watch).toBe('true');
});

test.each([
  [{ PORT: 'http' }, 'PORT must be a whole number from 0 to 65535'],
  [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535'],
  [{ WORKERS: '-1' }, 'WORKERS must be a whole number from 0 to 64'],
  [{ HOST: 'no such host' }, 'HOST must be an address or a host name'],
  [
    { DATABASE_URL: 'mysql://x' },
    'DATABASE_URL must be an address like postgres://user:password@host:5432/carillon',
  ],
  [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL must be an address like redis://host:6379, or none'],
  [{ CARILLON_REDIS: 'docker' }, 'CARILLON_REDIS must be native or wasm'],
  [{ CARILLON_ADMIN_KEY: 'short' }, 'CARILLON_ADMIN_KEY must be 24 or more visible characters'],
  [{ CARILLON_ENCRYPTION_KEY: 'short' }, 'CARILLON_ENCRYPTION_KEY must be 32 bytes in base64'],
  [{ ALLOW_PRIVATE_TARGETS: 'yes' }, 'ALLOW_PRIVATE_TARGETS must be true or false'],
])('npm start refuses the settings %j with one line that says what is expected', (variables, line) => {
  expect(() => readConfig('/project', variables)).toThrow(new StartError(line));
});

test('npm start reports several invalid environment variables in one line', () => {
  expect(() => readConfig('/project', { PORT: 'x', WORKERS: 'y' })).toThrow(
    /^PORT must .*; WORKERS must [^\n]*$/,
  );
});

test('npm start treats an empty environment variable as not set', () => {
  expect(readConfig('/project', { PORT: '', DATABASE_URL: ' ' })).toMatchObject({
    port: 3000,
    databaseUrl: undefined,
  });
});

test('npm start with a REDIS_URL refuses webhooks to private addresses, unless ALLOW_PRIVATE_TARGETS is true', () => {
  const shared = { REDIS_URL: 'redis://cache:6379' };
  expect(readConfig('/project', shared).allowPrivateTargets).toBe('false');
  expect(readConfig('/project', { ...shared, ALLOW_PRIVATE_TARGETS: 'true' }).allowPrivateTargets).toBe(
    'true',
  );
});
