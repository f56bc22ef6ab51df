import { expect, it } from 'vitest';
import { z } from 'zod';
import { redisVariables, resolveRedis } from './redis-settings.js';

const Settings = z.object(redisVariables).transform(resolveRedis);
const problemsOf = (variables: Record<string, string>) =>
  Settings.safeParse(variables).error?.issues.map(({ path, message }) => `${path}: ${message}`);

it('the default prefix of Redis keys has a hash tag on a Redis Cluster, and none on a single Redis', () => {
  expect(Settings.parse({ REDIS_URL: 'redis://a' }).REDIS_PREFIX).toBe('bull');
  expect(Settings.parse({ REDIS_URL: 'redis-cluster://a' }).REDIS_PREFIX).toBe('{bull}');
});

it('a prefix of Redis keys without a hash tag is refused on a cluster, because the keys of one BullMQ script would be on several nodes', () => {
  const problems = problemsOf({ REDIS_URL: 'redis-cluster://a', REDIS_PREFIX: 'mine' });
  expect(problems).toEqual(['REDIS_PREFIX: must be in braces on a cluster, such as {mine}']);
});

it('the error about a CA file that cannot be read names the environment variable', () => {
  const problems = problemsOf({ REDIS_URL: 'rediss://a', REDIS_CA_FILE: '/not/there.pem' });
  expect(problems).toEqual(["REDIS_CA_FILE: the file can't be read (ENOENT)"]);
});

it('REDIS_URL=none gives settings without a Redis', () => {
  expect(Settings.parse({ REDIS_URL: 'none' }).redis).toBeNull();
});
