import { eventually, type ReplicatedPostgres } from '@carillon/testkit';
import type { Scenario } from '../harness/play.js';
import type { Input, Stage } from '../harness/stage.js';
import { createThroughout, seeAccepted, seeArrive, seeFire } from '../harness/traffic.js';

/**
 * Creates schedules that fire within the time that will be lost. Their deliveries stay open until the receiver is told
 * to answer.
 */
async function createHeld(stage: Stage, forMs: number): Promise<Input[]> {
  const { random, clients } = stage;
  const held = Array.from({ length: random.integer(2, 8) }, () =>
    stage.webhook('alpha', stage.inMs(random.integer(forMs / 2, forMs)), 'hold'),
  );
  await clients.alpha.createMany(held);
  return held;
}

/**
 * Waits until these deliveries are open, then replaces the database with one that lacks the last transactions. So the
 * deliveries were claimed in the lost time, and their workers try to record the answers in the new database.
 */
async function loseTail(
  stage: Stage,
  { held, fromAt, replace }: { held: readonly Input[]; fromAt: number; replace: () => Promise<void> },
): Promise<void> {
  const { clients, receiver } = stage;
  const known = Object.values(clients).map(({ acknowledged }) => acknowledged.length);
  await createThroughout(stage, async (statuses) => {
    await seeArrive(stage, held);
    stage.inject();
    await replace();
    stage.heal();
    stage.lostTail = { fromAt, untilAt: Date.now() };
    // Changes that the API acknowledged in the lost time are gone. Neither an asynchronous standby nor a backup can
    // prevent that, so they are not checked.
    Object.values(clients).forEach((client, index) => {
      client.acknowledged.splice(known[index] as number);
    });
    await answerHeld(receiver);
    await seeAccepted(statuses);
  });
  await seeFire(stage);
  await eventually(
    async () => {
      await answerHeld(receiver);
      const { rows } = await stage.installation.pool.query(
        `select from carillon.schedules s join carillon.runs r on r.schedule_id = s.id
         where s.key = any($1) and r.status = 'succeeded'`,
        [held.map(({ id }) => id)],
      );
      return rows.length === held.length;
    },
    { withinMs: 60_000, what: 'success of the runs whose claims were lost' },
  );
}

async function answerHeld(receiver: Stage['receiver']): Promise<void> {
  for (const delivery of receiver.held()) await delivery.answer(200);
}

const lengthOf = (stage: Stage) =>
  stage.scaled({ short: 2_000, long: stage.random.integer(1_500, 5_000), full: 15_000 });

/** Scenarios in which Postgres loses its last transactions while the workers keep running. */
export const lostTail = (postgres: () => ReplicatedPostgres): Scenario[] => [
  {
    number: 21,
    fault: 'failover to an asynchronous standby that lacks the last transactions, workers alive',
    holds: 'no epoch is issued twice, no place of a worker leaks, and late writes are refused',
    async play(stage) {
      const standby = await postgres().startStandby();
      await stage.load({ seconds: 6 });
      const held = await createHeld(stage, lengthOf(stage));
      await standby.catchUp(stage.installation.pool);
      const fromAt = Date.now();
      standby.cutOff();
      await loseTail(stage, { held, fromAt, replace: () => postgres().failOverTo(standby) });
    },
  },
  {
    number: 22,
    fault: 'the database is replaced by a backup while workers hold leases that are newer than the backup',
    holds: 'no epoch is issued twice, no place of a worker leaks, and late writes are refused',
    async play(stage) {
      await stage.load({ seconds: 6 });
      const held = await createHeld(stage, lengthOf(stage));
      const fromAt = Date.now();
      const backup = await postgres().backUp();
      await loseTail(stage, { held, fromAt, replace: () => postgres().restore(backup) });
    },
  },
];
