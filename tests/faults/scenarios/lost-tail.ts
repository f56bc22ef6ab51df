import { readInstallationState } from '@carillon/db';
import { RESTORE_MODES } from '@carillon/shared';
import { eventually, type ReplicatedPostgres } from '@carillon/testkit';
import { expect } from 'vitest';
import { restore } from '../../../packages/carillon/src/restore/restore.js';
import type { Scenario } from '../harness/play.js';
import type { Input, Stage } from '../harness/stage.js';
import { createThroughout, seeAccepted, seeArrive, seeFire } from '../harness/traffic.js';

/**
 * Creates schedules whose claims will be lost. They fire after the standby or backup that will replace Postgres has
 * received its last transaction. The receiver holds the deliveries until the scenario tells it to answer.
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
 * Waits until these deliveries are open, then replaces the database with one that lacks the latest transactions. So the
 * claims of the deliveries are lost, and their workers try to record the answers in a database that does not know the
 * claims.
 */
async function loseTail(
  stage: Stage,
  { held, fromAt, replace }: { held: readonly Input[]; fromAt: number; replace: () => Promise<void> },
): Promise<void> {
  const { clients, receiver, installation } = stage;
  const mode = stage.random.pick(RESTORE_MODES);
  const cutAt = Date.now();
  const known = Object.values(clients).map(({ acknowledged }) => acknowledged.length);
  await createThroughout(stage, async (statuses) => {
    await seeArrive(stage, held);
    await seeHeartbeatsAfter(stage, cutAt + MIN_LOST_MS);
    stage.inject();
    const issued = await readIssued(stage);
    await replace();
    await seeHeld(stage, issued);
    const released = await restore(installation.pool, {
      kind: 'release',
      mode,
      isAdopted: false,
      untilAt: null,
    });
    expect(released).toMatchObject({ ok: true });
    stage.heal();
    stage.lostTail = { fromAt, untilAt: Date.now() };
    // Changes that the API acknowledged while their transactions were being lost are gone. Neither an asynchronous
    // standby nor a backup can prevent that, so the checker does not look for them.
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
      const { rows } = await installation.pool.query(
        `select from carillon.schedules s join carillon.runs r on r.schedule_id = s.id
         where s.key = any($1) and (r.status = 'succeeded' or $2 and r.status = 'skipped' and r.reason_code = 'restored')`,
        [held.map(({ id }) => id), mode === 'account'],
      );
      return rows.length === held.length;
    },
    { withinMs: 60_000, what: `the end of the runs whose claims were lost (--${mode})` },
  );
}

/** The highest id of a schedule and the time of Postgres, right before the database is replaced. */
async function readIssued({ installation }: Stage): Promise<{ scheduleId: number; at: number }> {
  const { rows } = await installation.pool.query<{ scheduleId: number; at: number }>(
    `select max(id) as "scheduleId", clock_timestamp() as at from carillon.schedules`,
  );
  return rows[0] as { scheduleId: number; at: number };
}

/**
 * Waits until Carillon notices the loss. Checks promise I10: until then no run was claimed on the new server, and no id
 * that was lost was issued again.
 */
async function seeHeld(stage: Stage, issued: { scheduleId: number; at: number }): Promise<void> {
  const { pool } = stage.installation;
  const held = await eventually(
    async () => {
      const { hold } = await readInstallationState(pool);
      return hold ?? false;
    },
    { withinMs: 30_000, what: 'the hold' },
  );
  expect(held).toMatchObject({ code: 'transactions_lost' });
  await eventually(
    async () => {
      const system = await stage.installation.admin.ask('GET', '/v1/system');
      return system.status === 200 && system.body.hold?.code === 'transactions_lost';
    },
    { withinMs: 30_000, what: 'the hold in /v1/system' },
  );
  const since = new Date(issued.at);
  const claimed = await pool.query('select from carillon.runs where claimed_at > $1', [since]);
  expect(claimed.rowCount, 'runs that were claimed while the loss was not noticed').toBe(0);
  const again = await pool.query('select from carillon.schedules where created_at > $1 and id <= $2', [
    since,
    issued.scheduleId,
  ]);
  expect(again.rowCount, 'ids that were issued twice').toBe(0);
}

async function answerHeld(receiver: Stage['receiver']): Promise<void> {
  for (const delivery of receiver.held()) await delivery.answer(200);
}

const lengthOf = (stage: Stage) =>
  stage.scaled({ short: 2_000, long: stage.random.integer(1_500, 5_000), full: 15_000 });

/**
 * Minimum time from the last transaction that the new server has until it replaces the old server. The API notices the
 * loss by the latest heartbeat that it remembers. That heartbeat may be two seconds old: one second until the next
 * heartbeat, and one second until the API reads it.
 */
const MIN_LOST_MS = 3_000;

/**
 * Waits until every running worker has written a heartbeat after this instant. Only running workers count: the table
 * keeps the rows of ended ones.
 */
const seeHeartbeatsAfter = ({ installation }: Stage, at: number) =>
  eventually(
    async () => {
      const { rowCount } = await installation.pool.query(
        'select from carillon.workers where heartbeat_at > $1',
        [new Date(at)],
      );
      return rowCount === installation.workers.length;
    },
    { what: 'heartbeats in the lost time' },
  );

const HOLDS =
  'workers claim nothing until an operator decides, no id or lease number (epoch) is issued twice, and writes under a lost claim are refused';

/** Scenarios in which Postgres loses its latest transactions while the workers keep running. */
export const lostTail = (postgres: () => ReplicatedPostgres): Scenario[] => [
  {
    number: 21,
    fault: 'Postgres fails over to a standby that lacks the last transactions, while workers run',
    holds: HOLDS,
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
    holds: HOLDS,
    async play(stage) {
      await stage.load({ seconds: 6 });
      const held = await createHeld(stage, lengthOf(stage));
      const fromAt = Date.now();
      const backup = await postgres().backUp();
      await loseTail(stage, { held, fromAt, replace: () => postgres().restore(backup) });
    },
  },
];
