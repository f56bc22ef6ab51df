import { setTimeout as sleep } from 'node:timers/promises';
import { BELL_JOB, IDLE_BEHAVIOURS, openQueue, PostgresClock, QUEUES } from '@carillon/queue';
import { eventually, useDatabase } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { InFlight } from '../src/pipeline/in-flight.js';
import { listenForBells } from '../src/pipeline/pipeline.js';
import { useParts } from './support.js';

const database = useDatabase();
const worker = useParts(database);

/**
 * A clock whose estimate of Postgres's time is 200 ms ahead: the round trip took 400 ms, and Postgres read its clock
 * only at the end.
 */
async function clockThatIsAhead(): Promise<PostgresClock> {
  const clock = new PostgresClock(Date.now);
  await clock.ask(async () => {
    const askedAt = Date.now();
    await sleep(400);
    return { nowAt: askedAt + 400 };
  });
  return clock;
}

it("a bell does not ring early by the clock of Postgres, even if the worker's estimate of that clock is ahead", async () => {
  const { blocking: redis } = worker.connections;
  const clock = await clockThatIsAhead();
  expect(clock.now()).toBeGreaterThan(Date.now() + 100);
  const rangAts: number[] = [];
  const bellWorker = listenForBells(
    { ...worker.context, clock },
    {
      redis,
      prefix: database.prefix,
      idle: IDLE_BEHAVIOURS.punctual,
      inFlight: new InFlight({ places: 10, bytes: 1_000 }, () => {}),
      ring: async () => void rangAts.push(Date.now()),
    },
  );
  // The bell is added without a delay, so BullMQ hands it over long before its time.
  const ringAt = Date.now() + 600;
  const queue = openQueue(QUEUES.bells, { redis, prefix: database.prefix });
  await queue.add(BELL_JOB, { ringAt });
  await eventually(() => rangAts.length > 0);
  await bellWorker.close();
  expect(rangAts[0]).toBeGreaterThanOrEqual(ringAt);
});
