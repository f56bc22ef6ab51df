import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from '@carillon/db';
import { eventually } from '@carillon/testkit';
import { expect } from 'vitest';
import type { Installation } from '../harness/installation.js';
import type { Scenario } from '../harness/play.js';
import type { Input, Stage } from '../harness/stage.js';
import { createThroughout, repeatFor, seeAccepted, seeFire } from '../harness/traffic.js';

/** The size of a worker's pool of connections for deliveries, claims and closes. */
const WORKER_CONNECTIONS = 7;
const API_CONNECTIONS = 10;
/**
 * The number of runs of heartbeats. It is larger than the number of connections of all workers, so that some runs have
 * to wait for a connection.
 */
const HEARTBEATS = 120;
const LISTS_AT_ONCE = 40;
/**
 * Maximum time for an answer of the API. It allows for the time-outs of a few statements, but a request that hangs
 * takes longer.
 */
const ANSWER_WITHIN_MS = 30_000;

/** Counts the sessions that a program has in Postgres, and those of them that wait for a lock. */
async function countSessions({ pool }: Installation, program: 'api' | 'worker') {
  const { rows } = await pool.query<{ sessions: number; waiting: number }>(
    `select count(*)::int as sessions, (count(*) filter (where wait_event_type = 'Lock'))::int as waiting
     from pg_stat_activity where datname = current_database() and application_name = $1`,
    [`carillon-${program}`],
  );
  return rows[0] as (typeof rows)[number];
}

/**
 * Locks tables exclusively while `work` goes on. A statement that needs such a table waits, and keeps its connection
 * meanwhile.
 */
async function whileLocked(
  { pool }: Installation,
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const client: Transaction = await pool.connect();
  try {
    await client.query('begin');
    for (const table of tables) await client.query(`lock table carillon.${table} in access exclusive mode`);
    await work();
    await client.query('rollback');
  } finally {
    client.release(true);
  }
}

/** Repeats a request on many connections while `work` goes on, and returns the status codes. */
async function askMeanwhile(
  stage: Stage,
  path: string,
  work: () => Promise<void>,
): Promise<ReadonlySet<number>> {
  let isOver = false;
  const statuses = new Set<number>();
  const askRepeatedly = async () => {
    while (!isOver) {
      statuses.add((await inTime(stage.clients.alpha.ask('GET', path))).status);
      await sleep(10);
    }
  };
  const asking = Promise.all(Array.from({ length: LISTS_AT_ONCE }, askRepeatedly));
  const working = work().finally(() => {
    isOver = true;
  });
  await Promise.all([asking, working]);
  return statuses;
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = sleep(ANSWER_WITHIN_MS, null, { ref: false }).then(() => {
    throw new Error(`no answer within ${ANSWER_WITHIN_MS} ms`);
  });
  return Promise.race([answer, late]);
}

async function outcomesOf({ installation }: Stage, { id }: Input): Promise<(string | null)[]> {
  const { rows } = await installation.pool.query<{ outcome: string | null }>(
    `select a.outcome from carillon.run_attempts a join carillon.schedules s on s.id = a.schedule_id
     where s.key = $1 order by a.number`,
    [id],
  );
  return rows.map(({ outcome }) => outcome);
}

/**
 * The scenario locks one of these tables. `path` is the operation of the API that lists the rows of the table. The API
 * creates and edits schedules without these tables. `audit_log` is left out: an API reads it on each new connection, to
 * notice a restore. While `audit_log` is locked, an API opens no connection and answers 503.
 */
const LOCKED_LISTS = [
  { table: 'calendars', path: '/v1/calendars' },
  { table: 'templates', path: '/v1/templates' },
] as const;

export const exhaustedPools: Scenario = {
  number: 34,
  fault: 'statements that wait for a lock use up every connection in the pools of the API and of all workers',
  holds:
    'the workers keep their leases, no session is left behind in Postgres, and the API reports that it is not ready and answers within seconds',
  async play(stage) {
    const { installation, random, clients, receiver } = stage;
    await stage.load({ seconds: 4 });
    // The receiver answers these deliveries only after the locks are gone, so they need a long time-out.
    const held = Array.from({ length: 3 }, () => ({
      ...stage.webhook('beta', stage.inMs(200), 'hold'),
      timeout: 'PT5M',
    }));
    await clients.beta.createMany(held);
    await eventually(() => held.every(({ id }) => receiver.to(`hold/${id}`).length > 0));
    // A run whose target is `heartbeat` reads the locked table `pings`, on a connection of its worker.
    const heartbeats = Array.from({ length: HEARTBEATS }, () => ({
      ...stage.webhook('alpha', stage.inMs(random.integer(1_000, 2_500))),
      target: { type: 'heartbeat' as const, grace: 'PT3S', startGrace: null },
    }));
    await clients.alpha.createMany(heartbeats);
    const { table, path } = random.pick(LOCKED_LISTS);
    const lockedMs = stage.scaled({ short: 6_000, long: random.integer(6_000, 12_000), full: 40_000 });
    let mostSessions = 0;
    const readiness = new Set<number>();
    await createThroughout(stage, async (statuses) => {
      const listed = await askMeanwhile(stage, path, () =>
        whileLocked(installation, ['pings', table], async () => {
          stage.inject();
          // Statements time out while they wait, so the pools of the API and of the workers may be exhausted at
          // different moments.
          const wasExhausted = { api: false, worker: false };
          await eventually(
            async () => {
              const api = await countSessions(installation, 'api');
              const worker = await countSessions(installation, 'worker');
              wasExhausted.api ||= api.waiting >= API_CONNECTIONS;
              wasExhausted.worker ||= worker.waiting >= WORKER_CONNECTIONS * installation.workers.length;
              return wasExhausted.api && wasExhausted.worker;
            },
            { withinMs: 60_000, everyMs: 20, what: 'pools without a free connection' },
          );
          await eventually(() => statuses.at(-1) === 503, { what: 'a 503' });
          await repeatFor({ forMs: lockedMs, everyMs: 250 }, async () => {
            const { sessions } = await countSessions(installation, 'worker');
            mostSessions = Math.max(mostSessions, sessions);
            readiness.add((await inTime(installation.admin.ask('GET', '/health/ready'))).status);
          });
        }),
      );
      stage.heal();
      expect([...listed].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      await seeAccepted(statuses);
    });
    expect(readiness).toContain(503);
    // Each worker also has one connection outside of that pool, on which it extends its leases.
    expect(mostSessions).toBeLessThanOrEqual((WORKER_CONNECTIONS + 1) * installation.workers.length);
    for (const delivery of receiver.held()) await delivery.answer(200);
    for (const input of held) {
      await eventually(async () => (await outcomesOf(stage, input)).at(-1) === 'succeeded', {
        withinMs: 60_000,
        what: 'the end of a delivery that was in flight',
      });
      expect(await outcomesOf(stage, input)).toEqual(['succeeded']);
    }
    await seeFire(stage);
  },
};
