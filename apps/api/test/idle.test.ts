import { eventually } from '@carillon/testkit';
import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { useApi } from './use-api.js';

const api = useApi();

it('an API without requests and event streams sends no queries to Postgres', async () => {
  const lastQueryAt = async () => {
    const { rows } = await api.database.pool.query(
      `select max(query_start) as at from pg_stat_activity where application_name = 'carillon-api' and datname = current_database()`,
    );
    return rows[0].at as number;
  };
  const redis = new Redis(api.database.redisUrl);
  const key = `${api.database.prefix}:carillon-watch`;
  /** Waits for the periodic check of Redis, which must not query Postgres. */
  const redisCheck = async () => {
    await redis.del(key);
    await eventually(async () => (await redis.exists(key)) === 1, { withinMs: 30_000 });
  };
  const before = await lastQueryAt();
  await redisCheck();
  await redisCheck();
  // The pool may close idle connections meanwhile. The record of their last query is then gone, which is why the time
  // may be smaller.
  expect(await lastQueryAt()).toBeLessThanOrEqual(before);
  redis.disconnect();
}, 90_000);
