import { inTransaction, registerWorker } from '@carillon/db';
import { decideDue } from '@carillon/shared';
import { insertSchedules, useDatabase, useEngine } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { readDue } from '../../packages/db/src/queries/read-due.js';
import { startRuns } from '../../packages/db/src/queries/start-runs.js';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-03-02T10:00:00Z');

/** One that moves on to its next occurrence, and one that has none and is gone. */
const RECURRING = { every: 'PT10S' };
const ONCE = { at: new Date(T0 + 10_000).toISOString() };
type Rule = typeof RECURRING | typeof ONCE;

/** Decides on a due schedule, lets it change before the claim, and answers how many runs the claim started. */
async function claimAfter(rule: Rule, change: string): Promise<{ started: number; runs: number }> {
  const workerId = await registerWorker(database.pool, { host: 'test', pid: 1 });
  const [id] = (await insertSchedules(database, [{ rule }], { nowAt: T0 })) as [number];
  const nowAt = T0 + 10_000;
  // The row lock is let go on purpose: the guard has to hold without it.
  const starts = await inTransaction(database.pool, async (tx) => {
    const { rows } = await readDue(tx, { limit: 100, fairTo: [], now: nowAt });
    return rows.flatMap((row) => {
      if ('unreadable' in row || row.id !== id) return [];
      const decision = decideDue(row, nowAt);
      return decision.kind === 'move' && decision.run
        ? [{ row, run: decision.run, next: decision.next }]
        : [];
    });
  });
  expect(starts.length).toBe(1);
  await database.pool.query(`update schedules set ${change} where id = $1`, [id]);
  const started = await inTransaction(database.pool, (tx) =>
    startRuns(tx, starts, { workerId, nowAt, leaseMs: 1_000 }),
  );
  const runs = await engine.runsOf(id);
  // Out of the way of whoever claims next.
  await database.pool.query(`update schedules set status = 'cancelled' where id = $1`, [id]);
  return { started: started.starts.length, runs: runs.length };
}

describe.each([
  ['of a schedule that recurs', RECURRING],
  ['of one that fires once', ONCE],
])('A claim %s that was decided on before', (_which, rule) => {
  it('nothing changed starts its run', async () => {
    expect(await claimAfter(rule, 'key = key')).toEqual({ started: 1, runs: 1 });
  });

  it.each([
    ['an edit (I5)', 'version = version + 1'],
    ['a pause (I4)', `status = 'paused'`],
    ['a cancel (I4)', `status = 'cancelled'`],
    ['a reschedule (I6)', `next_run_at = next_run_at + interval '1 minute'`],
  ])('%s starts nothing', async (_what, change) => {
    expect(await claimAfter(rule, change)).toEqual({ started: 0, runs: 0 });
  });
});
