import { setTimeout as sleep } from 'node:timers/promises';
import { ensurePartitions } from '@carillon/db';
import { openQueue, QUEUES, TICKS } from '@carillon/queue';
import { eventually } from '@carillon/testkit';
import { expect } from 'vitest';
import type { Installation } from '../harness/installation.js';
import type { Scenario } from '../harness/play.js';
import type { Input } from '../harness/stage.js';
import { hasArrived, seeArrive, seeFire } from '../harness/traffic.js';

interface Held {
  text: string;
  values?: unknown[];
}

/** Runs SQL in a transaction that stays open until `work` is done. */
async function whileOpen({ pool }: Installation, held: Held[], work: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const { text, values } of held) await client.query(text, values);
    await work();
    await client.query('rollback');
  } finally {
    // If `work` has failed, the transaction is still open. Closing the connection ends it.
    client.release(true);
  }
}

/** Counts how many claims workers have made since the last call. */
async function countClaims({ pool }: Installation): Promise<number> {
  const { rows } = await pool.query<{ calls: number }>(
    `select coalesce(sum(calls), 0)::bigint as calls from pg_stat_statements
     where query ~ 'skip locked' and query ~ 'carillon\\.(agenda|runs)'`,
  );
  await pool.query('select pg_stat_statements_reset()');
  return rows[0]?.calls ?? 0;
}

/**
 * Three workers that wait between claims make about 20 claims a second. Workers that claim in a busy loop would make
 * hundreds.
 */
const MAX_CLAIMS_PER_SECOND = 80;

const keysOf = (inputs: readonly Input[]) => inputs.map(({ id }) => id);

const lockedSchedules: Scenario = {
  number: 23,
  fault: 'another session of Postgres locks the rows of due schedules, and of one whose run is to be retried',
  holds:
    'no worker claims in a busy loop, other schedules fire meanwhile, and the locked schedules fire afterwards',
  async play(stage) {
    const { installation, clients, random, receiver } = stage;
    await installation.pool.query('create extension if not exists pg_stat_statements');
    const soon = () => stage.inMs(random.integer(1_000, 1_500));
    const retried = stage.webhook('alpha', stage.inMs(100), 'hold');
    const due = Array.from({ length: 4 }, () => stage.webhook('alpha', soon()));
    // The agenda rows of these two schedules are free, but their rows in `schedules` are locked, and both schedules
    // need them. The claim of the third run of the first schedule stores its totals there. The second schedule must be
    // locked before its next queued run may start.
    const changed = [
      { ...stage.webhook('beta', { every: 'PT1S' }), maxRuns: 3 },
      { ...stage.webhook('beta', { every: 'PT1S' }, 'slow/50'), overlap: 'queue' as const },
    ];
    await clients.alpha.createMany([retried, ...due]);
    await clients.beta.createMany(changed);
    await seeArrive(stage, [retried]);
    const heldMs = stage.scaled({ short: 3_000, long: random.integer(3_000, 10_000), full: 30_000 });
    const locks = [
      { text: LOCK_SCHEDULES, values: [keysOf([retried, ...due, ...changed])] },
      { text: LOCK_AGENDA, values: [keysOf(due)] },
    ];
    await whileOpen(installation, locks, async () => {
      stage.inject();
      await countClaims(installation);
      for (const delivery of receiver.held()) await delivery.answer(500);
      const others = Array.from({ length: 10 }, () =>
        stage.webhook('alpha', stage.inMs(random.integer(300, heldMs - 500))),
      );
      await clients.alpha.createMany(others);
      await Promise.all([seeArrive(stage, others), sleep(heldMs)]);
      const claims = await countClaims(installation);
      expect(due.filter((input) => hasArrived(stage, input))).toEqual([]);
      expect(claims).toBeGreaterThan(0);
      expect(claims).toBeLessThan((MAX_CLAIMS_PER_SECOND * heldMs) / 1_000);
    });
    stage.heal();
    await seeArrive(stage, due);
    await eventually(
      async () => {
        for (const delivery of receiver.held()) await delivery.answer(200);
        return receiver.to(`hold/${retried.id}`).some(({ status }) => status === 200);
      },
      { what: 'the retry' },
    );
  },
};

const LOCK_SCHEDULES = 'select from carillon.schedules where key = any($1) order by id for update';
const LOCK_AGENDA = `
  select from carillon.agenda a where a.schedule_id in (select id from carillon.schedules where key = any($1)) for update`;

const READ_EVERYTHING = 'select count(*) from carillon.run_attempts';
/** Four months. The workers of these tests keep runs for 30 days. */
const LONG_AGO_MS = 120 * 86_400_000;

const PARTITIONS = `
  select c.relname as name, to_date(substring(c.relname from 6), 'YYYY_MM') < now() - interval '1 month' as "isOld",
         to_date(substring(c.relname from 6), 'YYYY_MM') > now() as "isAhead"
  from pg_class c where c.relname ~ '^runs_\\d{4}_\\d\\d$' and c.relkind = 'r' order by 1`;

const longRead: Scenario = {
  number: 24,
  fault:
    'a long query reads the table of runs while its partitions for the next months are created and those of old months are dropped',
  holds:
    'deliveries go on, the new partitions are created meanwhile, and the old ones are dropped after the query',
  async play(stage) {
    const { installation, random } = stage;
    const { pool, prefix, redis } = installation;
    const partitions = async () =>
      (await pool.query<{ name: string; isOld: boolean; isAhead: boolean }>(PARTITIONS)).rows;
    const ahead = (await partitions()).filter(({ isAhead }) => isAhead);
    for (const { name } of ahead)
      for (const table of [name, name.replace('runs', 'attempts')])
        await pool.query(`drop table carillon.${table}`);
    await ensurePartitions(pool, Date.now() - LONG_AGO_MS);
    expect((await partitions()).some(({ isOld }) => isOld)).toBe(true);

    await stage.load({ seconds: 4 });
    const ticks = openQueue(QUEUES.ticks, { redis, prefix });
    const prune = () => ticks.add(TICKS.prune, null, { removeOnComplete: true, removeOnFail: true });
    await whileOpen(installation, [{ text: READ_EVERYTHING }], async () => {
      const givenUpBefore = countGivenUp(installation);
      stage.inject();
      await prune();
      await eventually(
        async () => (await partitions()).filter(({ isAhead }) => isAhead).length === ahead.length,
        { what: 'partitions for the months ahead' },
      );
      await eventually(() => countGivenUp(installation) > givenUpBefore, {
        what: 'a retention that gave way',
      });
      await sleep(stage.scaled({ short: 0, long: random.integer(0, 8_000), full: 45_000 }));
      await seeFire(stage);
    });
    stage.heal();
    // The test requests the deletion of old months itself, because workers do it only once an hour.
    await eventually(
      async () => {
        await prune();
        return (await partitions()).every(({ isOld }) => !isOld);
      },
      { withinMs: 60_000, everyMs: 1_000, what: 'the end of the old months' },
    );
  },
};

const countGivenUp = ({ workers }: Installation) =>
  workers
    .flatMap(({ lines }) => lines)
    .filter(({ msg }) => msg?.startsWith('A month of history is past its retention')).length;

export const heldLocks = [lockedSchedules, longRead];
