import { type Bells, connectProducer, PostgresClock, untilReady } from '@carillon/queue';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../src/config.js';
import { Counters } from '../src/metrics/counters.js';
import { openBells } from '../src/open-bells.js';
import { useApi } from './use-api.js';

const { database } = useApi();

it('two API processes with the same pid, which is 1 in every container, add bells (wake-up jobs) with different ids, so that Redis keeps both', async () => {
  const redis = connectProducer(database.redisUrl, () => {});
  await untilReady(redis);
  const config = readConfig({
    DATABASE_URL: database.url,
    REDIS_URL: database.redisUrl,
    REDIS_PREFIX: `${database.prefix}-bells`,
  });
  if ('problems' in config) throw new Error(config.problems.join());
  const counters = new Counters(database.pool);
  const parts = { config, clock: new PostgresClock(Date.now), counters, log: pino({ level: 'silent' }) };
  const opened = [openBells(redis, parts).bells as Bells, openBells(redis, parts).bells as Bells] as const;
  onTestFinished(async () => {
    for (const bells of opened) await bells.close();
    redis.disconnect();
  });
  const ringAt = Date.now() + 5_000;
  // A bell that is added again has an id of its process.
  for (const bells of opened) await bells.rearm([ringAt]);
  expect(await opened[0].countArmed()).toBe(2);
});
