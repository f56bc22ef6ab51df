import { connectProducer, type RedisClient } from '@carillon/queue';
import type { TestDatabase } from '@carillon/testkit';
import { afterAll, beforeAll } from 'vitest';

/** Connects to the Redis of a test file, from its first test to its last. */
export function useRedis(database: TestDatabase) {
  let client: RedisClient;
  beforeAll(async () => {
    client = connectProducer(database.redisUrl, () => {});
    await new Promise((resolve) => client.once('ready', resolve));
  });
  afterAll(() => client.disconnect());
  return {
    get client() {
      return client;
    },
    /** Deletes all keys of this test file, as FLUSHALL does. */
    async empty(): Promise<void> {
      const keys = await client.keys(`${database.prefix}:*`);
      if (keys.length > 0) await client.del(...keys);
    },
  };
}
