import { inTransaction, StaleGeneration } from '@carillon/db';
import { decideDue } from '@carillon/shared';
import { insertSchedules, registerTestWorker, useDatabase, useEngine } from '@carillon/testkit';
import { expect, it } from 'vitest';
import { lockDue } from '../../packages/db/src/engine/claim-due.js';
import { startRuns } from '../../packages/db/src/engine/start-runs.js';

const database = useDatabase();
const engine = useEngine(database);
const T0 = Date.parse('2026-03-02T10:00:00Z');

/**
 * The two kinds of schedules: a claim moves a recurring one on to its next occurrence, and removes a one-shot from the
 * agenda.
 */
const SCHEDULES = [
  ['a recurring schedule', { every: 'PT10S' }],
  ['a one-shot schedule', { at: new Date(T0 + 10_000).toISOString() }],
] as const;
type Rule = (typeof SCHEDULES)[number][1];

/**
 * Does the first steps of a claim (locks a due schedule and decides to start its run), then changes the database, and
 * only then does the last step, which starts the run. Returns how many runs that step started and how many exist.
 */
async function claimAfter(rule: Rule, change: string): Promise<{ started: number; runs: number }> {
  const holder = await registerTestWorker(database);
  const [id] = (await insertSchedules(database, [{ rule }], { nowAt: T0 })) as [number];
  const nowAt = T0 + 10_000;
  // This transaction ends here, and so releases its lock on purpose: the statement that starts the run must notice the
  // change without the lock.
  const starts = await inTransaction(database.pool, async (tx) => {
    const { rows } = await lockDue(tx, { limit: 100, fairTo: [], handlers: ['noop'], now: nowAt });
    return rows.flatMap((row) => {
      if ('unreadable' in row || row.id !== id) return [];
      const decision = decideDue(row, nowAt);
      return decision.kind === 'move' && decision.run
        ? [{ row, run: decision.run, next: decision.next }]
        : [];
    });
  });
  expect(starts.length).toBe(1);
  await database.pool.query(change.replace(':id', String(id)));
  try {
    const started = await inTransaction(database.pool, (tx) =>
      startRuns(tx, starts, { ...holder, mayExist: false, nowAt, leaseMs: 1_000 }),
    );
    return {
      started: started.flatMap(({ starts }) => starts).length,
      runs: (await engine.runsOf(id)).length,
    };
  } finally {
    // Remove the schedule, so that the next test does not claim it.
    await database.pool.query('delete from carillon.agenda where schedule_id = $1', [id]);
  }
}

it.each(SCHEDULES)(
  'a claim of %s starts its run if nothing has changed since the claim decided to start it',
  async (_which, rule) => {
    expect(await claimAfter(rule, 'select 1')).toEqual({ started: 1, runs: 1 });
  },
);

const CHANGES = [
  ['an edit', 'I5', 'update carillon.agenda set version = version + 1 where schedule_id = :id'],
  ['a pause', 'I4', 'update carillon.agenda set is_held = true where schedule_id = :id'],
  ['a cancel', 'I4', 'delete from carillon.agenda where schedule_id = :id'],
  [
    'a reschedule',
    'I6',
    `update carillon.agenda set due_at = due_at + interval '1 minute' where schedule_id = :id`,
  ],
] as const;

it.each(SCHEDULES.flatMap(([which, rule]) => CHANGES.map((change) => [which, ...change, rule] as const)))(
  'a claim of %s starts no run if, after its decision to start one, %s was committed (promise %s)',
  async (_which, _what, _promise, change, rule) => {
    expect(await claimAfter(rule, change)).toEqual({ started: 0, runs: 0 });
  },
);

it.each(SCHEDULES)(
  'a claim of %s is refused and starts no run if its worker registered before a restore of the database (promise I10)',
  async (_which, rule) => {
    const change = 'update carillon.installation set generation = generation + 1';
    await expect(claimAfter(rule, change)).rejects.toThrow(StaleGeneration);
    const { rowCount } = await database.pool.query(
      'select from carillon.runs where schedule_id = (select max(id) from carillon.schedules)',
    );
    expect(rowCount).toBe(0);
  },
);
