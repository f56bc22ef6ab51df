import { testServers } from '@carillon/testkit';
import { afterEach, expect, it, vi } from 'vitest';
import { startTestServers } from '../src/index.js';

afterEach(() => vi.unstubAllEnvs());

it('startTestServers uses the servers whose URLs are in environment variables, and starts none', async () => {
  const { databaseUrl, redisUrl } = testServers();
  vi.stubEnv('CARILLON_TEST_DATABASE_URL', databaseUrl);
  vi.stubEnv('CARILLON_TEST_REDIS_URL', redisUrl);
  const servers = await startTestServers();
  expect(servers).toMatchObject({ databaseUrl, redisUrl });
  await servers.stop();
});
