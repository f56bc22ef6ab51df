import {
  type Claimant,
  type ClaimedRun,
  claimDue,
  claimWaiting,
  handBackUnbegun,
  rescueRuns,
} from '@carillon/db';
import { insertSchedules, registerTestWorker, useDatabase } from '@carillon/testkit';
import { beforeAll, expect, it } from 'vitest';

const database = useDatabase();
let late: Claimant;
let others: Claimant[];
beforeAll(async () => {
  late = await registerTestWorker(database);
  others = await Promise.all(Array.from({ length: 3 }, () => registerTestWorker(database)));
});

/**
 * After some executions, Postgres switches to its generic plan, which prunes partitions at run time. This number of
 * rounds is far above that, so that most rounds use the generic plan.
 */
const ROUNDS = 40;
const RUNS = 60;
const LEASE_MS = 5_000;

/** Claims new runs and lets their lease expire. Each run then waits for its second and last attempt. */
async function loseSome(): Promise<ClaimedRun[]> {
  const rule = { at: new Date(Date.now() - 1_000).toISOString() };
  await insertSchedules(
    database,
    Array.from({ length: RUNS }, () => ({ rule, retry: { maxAttempts: 2 } })),
  );
  const { runs } = await claimDue(database.pool, {
    ...late,
    leaseMs: LEASE_MS,
    limit: RUNS,
    fairTo: [],
    now: null,
  });
  await rescueRuns(database.pool, Date.now() + 2 * LEASE_MS);
  return runs;
}

/** Gives the attempts back in small batches, and tries those again whose runs were locked. */
async function handAllBack(lost: readonly ClaimedRun[]): Promise<number> {
  let total = 0;
  let unbegun = [...lost];
  while (unbegun.length > 0) {
    const batch = unbegun.splice(0, 20);
    const { runs, left } = await handBackUnbegun(database.pool, { ...late, unbegun: batch, now: null });
    total += runs;
    unbegun = [...unbegun, ...(left as ClaimedRun[])];
  }
  return total;
}

/** Claims waiting runs in small batches until `count` have been claimed by all workers together. */
async function claimAll(claimed: ClaimedRun[], count: number, holder: Claimant): Promise<void> {
  while (claimed.length < count) {
    const { runs } = await claimWaiting(database.pool, {
      ...holder,
      leaseMs: 60_000,
      limit: 7,
      // The rescue was called with a time in the future, and its runs are due again only from that time on. So the
      // claim uses a later time.
      now: Date.now() + 3 * LEASE_MS,
    });
    claimed.push(...runs);
  }
}

it('hand-back and claim race: each run is claimed once, and no attempt is handed back after its run was claimed again', async () => {
  let before = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const lost = await loseSome();
    expect(lost).toHaveLength(RUNS);
    const claimed: ClaimedRun[] = [];
    const [handedBack] = await Promise.all([
      handAllBack(lost),
      ...others.map((holder) => claimAll(claimed, RUNS, holder)),
    ]);
    expect(claimed).toHaveLength(RUNS);
    // If a run was claimed after its attempt was handed back, the claim shows one free attempt.
    expect(claimed.filter(({ freeAttempts }) => freeAttempts === 1)).toHaveLength(handedBack);
    const ids = claimed.map(({ scheduleId }) => scheduleId);
    const { rows } = await database.pool.query(
      `select count(*) filter (where status = 'running' and attempt = 2 and outcome is null) as running, sum(free_attempts) as free
       from carillon.runs where schedule_id = any($1)`,
      [ids],
    );
    expect(rows).toEqual([{ running: RUNS, free: handedBack }]);
    before += handedBack;
    await database.pool.query('truncate carillon.runs, carillon.leases');
  }
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(ROUNDS * RUNS);
});
