import { setTimeout as sleep } from 'node:timers/promises';
import { BELL_JOB, IDLE_BEHAVIOURS, openQueue, PostgresClock, QUEUES } from '@carillon/queue';
import { eventually, useDatabase } from '@carillon/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { InFlight } from '../src/pipeline/in-flight.js';
import { listenForBells } from '../src/pipeline/pipeline.js';
import { claimAll, insertDue, onlyOne, useParts } from './support.js';

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

it("a bell (the wake-up for a due time) starts its claim only once it is due by the clock of Postgres, even if the worker's estimate of that clock is ahead", async () => {
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

/** Opens a queue to which the test adds bells itself. */
function openBells() {
  const queue = openQueue(QUEUES.bells, { redis: worker.connections.blocking, prefix: database.prefix });
  onTestFinished(() => queue.close());
  return { queue, ring: () => queue.add(BELL_JOB, { ringAt: Date.now() - 1_000 }) };
}

/** Listens for bells. Counts the bells that would start a claim, and the bells that are passed on to another worker. */
function listen(inFlight: InFlight) {
  const seen = { rung: 0, passedOn: 0 };
  const { context } = worker;
  const bells = Object.assign(Object.create(context.bells), {
    ringNow: () => {
      seen.passedOn++;
      return context.bells.ringNow();
    },
  });
  const bellWorker = listenForBells(
    { ...context, bells },
    {
      redis: worker.connections.blocking,
      prefix: database.prefix,
      idle: IDLE_BEHAVIOURS.punctual,
      inFlight,
      ring: async () => void seen.rung++,
    },
  );
  onTestFinished(() => bellWorker.close());
  return { seen, bellWorker };
}

const withFreePlaces = () => new InFlight({ places: 10, bytes: 1e9 }, () => {});

it('a worker at its maximum of concurrent runs passes its bell (wake-up) on to another worker, and takes no more bells until a run ends', async () => {
  await insertDue(database, {});
  const { run } = onlyOne((await claimAll(worker.context)).flights);
  const inFlight = new InFlight({ places: 1, bytes: 1e9 }, (wasFull) => wasFull && full.bellWorker.resume());
  const flight = onlyOne(inFlight.add([run]));
  const full = listen(inFlight);
  const bells = openBells();

  await bells.ring();
  await eventually(() => full.seen.passedOn > 0);
  const other = listen(withFreePlaces());
  await eventually(() => other.seen.rung === 1);
  await bells.ring();
  await eventually(() => other.seen.rung === 2);
  expect(full.seen).toEqual({ rung: 0, passedOn: 1 });
  await other.bellWorker.close();

  inFlight.remove(flight);
  await bells.ring();
  await eventually(() => full.seen.rung === 1);
});

it('a job in the queue of bells (wake-ups) that is not a bell is ignored with a warning, and the next bell starts a claim', async () => {
  const { seen } = listen(withFreePlaces());
  const { queue, ring } = openBells();
  await queue.add('other', { ringAt: Date.now() });
  await queue.add(BELL_JOB, { ringAt: 'soon' });
  const ignored = () => worker.messages.filter((message) => message.includes('not a bell')).length;
  await eventually(() => ignored() === 2);
  expect(seen.rung).toBe(0);
  await ring();
  await eventually(() => seen.rung === 1);
});
