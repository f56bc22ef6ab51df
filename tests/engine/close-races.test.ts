import { type ClaimedRun, closeRuns, rescueRuns } from '@carillon/db';
import { eventually, insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { succeededRun } from './closed-run.js';

const database = useDatabase();
const engine = useEngine(database);

/** Enough executions to make Postgres switch to its generic plan, which prunes partitions at run time. */
const ROUNDS = 8;

async function claimSome(count: number): Promise<ClaimedRun[]> {
  const nowAt = Date.now();
  const rule = { at: new Date(nowAt - 1_000).toISOString() };
  await insertSchedules(
    database,
    Array.from({ length: count }, () => ({ rule })),
  );
  return engine.claim(nowAt);
}

/**
 * Makes `change` in an open transaction, starts the close, and commits the change once the close waits for its lock.
 */
async function closeDuring(change: (ids: number[]) => [text: string, values: unknown[]], runs: ClaimedRun[]) {
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query(...change(runs.map(({ scheduleId }) => scheduleId)));
    const holder = await engine.holder();
    const closing = closeRuns(database.pool, runs.map(succeededRun), {
      ...holder,
      now: null,
    });
    await untilBlocked();
    await client.query('commit');
    return await closing;
  } finally {
    client.release();
  }
}

async function untilBlocked(): Promise<void> {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await eventually(async () => ((await database.pool.query(waiting)).rowCount ?? 0) > 0, {
    everyMs: 1,
    what: 'a transaction that waits for a lock',
  });
}

it('if another transaction is writing the progress of runs, closing them waits for its commit and then closes every run', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const runs = await claimSome(20);
    const kept = await closeDuring(
      (ids) => [`update carillon.runs set progress = '{}' where schedule_id = any($1)`, [ids]],
      runs,
    );
    expect(kept).toHaveLength(20);
  }
  expect((await database.pool.query('select from carillon.leases')).rowCount).toBe(0);
});

it('if another transaction is cancelling some of the runs, closing them waits for its commit and then closes only the other runs', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const runs = await claimSome(20);
    const kept = await closeDuring(
      (ids) => [
        `update carillon.runs set status = 'cancelled', outcome = 'cancelled', finished_at = now() where schedule_id = any($1)`,
        [ids.slice(0, 5)],
      ],
      runs,
    );
    expect(kept).toHaveLength(15);
  }
});

it('if a worker closes runs while a sweep takes them back because their lease has expired, exactly one of the two ends each attempt', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const runs = await claimSome(50);
    const afterLease = Date.now() + 60_000;
    const holder = await engine.holder();
    const [kept, rescued] = await Promise.all([
      closeRuns(database.pool, runs.map(succeededRun), { ...holder, now: null }),
      rescueRuns(database.pool, afterLease),
    ]);
    expect(kept.length + rescued.length).toBe(50);
    const rescuedIds = new Set(rescued.map(({ scheduleId }) => scheduleId));
    expect(kept.filter(({ scheduleId }) => rescuedIds.has(scheduleId))).toEqual([]);
    await rescueRuns(database.pool, afterLease);
    for (const { scheduleId } of rescued) {
      await database.pool.query(
        `update carillon.runs set status = 'cancelled', next_attempt_at = null, finished_at = now() where schedule_id = $1`,
        [scheduleId],
      );
    }
  }
});
